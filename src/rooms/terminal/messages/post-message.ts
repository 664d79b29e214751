import * as v from 'valibot';
import type { PostMessageBody, WireMessage } from '../../contract/message.ts';
import { RefusedError, type RoomsClient } from '../client.ts';
import { safeLines } from '../output.ts';
import type { TryLimits } from '../persistence.ts';
import { enc, messageSchema } from '../wire.ts';
import type { Attachment } from './attachment.ts';

/** The result: a message, or a notice to the sender alone, as of some commands. */
export type Said =
  | { readonly kind: 'message'; readonly message: WireMessage; readonly answer: unknown }
  | { readonly kind: 'notice'; readonly lines: readonly string[]; readonly answer: unknown };

const saidSchema = v.union([messageSchema, v.looseObject({ notice: v.string() })]);

/** Posts a message. Repeatable: the server recognises its id. */
export async function postMessage(
  client: RoomsClient,
  body: PostMessageBody & { readonly id: string },
  files: readonly Attachment[],
  limits: TryLimits,
): Promise<Said> {
  try {
    const answer = await client.send('POST', '/api/message', { json: body, timeoutMs: limits.timeoutMs });
    const said = client.parse(answer, saidSchema);
    return 'seq' in said
      ? { kind: 'message', message: said as WireMessage, answer: said }
      : { kind: 'notice', lines: safeLines(String(said.notice)), answer: said };
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'id_conflict' || files.length === 0) throw error;
    const message = await findSame(client, body, files).catch((trouble: unknown) => {
      if (trouble instanceof RefusedError) return undefined;
      throw trouble;
    });
    if (!message) throw error;
    return { kind: 'message', message, answer: message };
  }
}

/**
 * The message of that id, if it has the same text and files of the same bytes, which were uploaded again under new ids.
 */
async function findSame(
  client: RoomsClient,
  { id, body, threadId }: PostMessageBody & { readonly id: string },
  files: readonly Attachment[],
): Promise<WireMessage | undefined> {
  const found = await client.get(`/api/message/${enc(id)}`, messageSchema);
  const isSame =
    !found.deleted &&
    (found.body === body || found.edited !== null) &&
    found.threadId === (threadId ?? null) &&
    found.attachments.length === files.length &&
    found.attachments.every(({ sha256 }, index) => sha256 === files[index]?.sha256);
  return isSame ? found : undefined;
}
