import * as v from 'valibot';
import { printable } from '../../../kernel/terminal/printable.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import type { WireMessage } from '../../contract/message.ts';
import { type RoomsClient, withClient } from '../client.ts';
import type { ConnectionOptions } from '../connection.ts';
import { messageLines } from '../message-lines.ts';
import { colorsOf, printJson, safeLines } from '../output.ts';
import { enc, messageSchema } from '../wire.ts';

const historySchema = v.looseObject({
  history: v.array(
    v.looseObject({ version: v.number(), body: v.string(), editedAt: v.string(), editedBy: v.string() }),
  ),
});

const pathOf = (id: string): string => `/api/message/${enc(id)}`;

/** `rooms show`: a message and its details. */
export async function showMessage(
  id: string,
  options: ConnectionOptions & { readonly history?: boolean },
  terminal: Terminal,
): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const message = await client.get(pathOf(id), messageSchema);
    const former = options.history ? (await client.get(`${pathOf(id)}/history`, historySchema)).history : [];
    if (options.json) return printJson(terminal, options.history ? { ...message, history: former } : message);
    const colors = colorsOf(terminal);
    terminal.out(messageLines({ ...message, threadId: null }, { colors }));
    for (const [name, value] of factsOf(message)) terminal.out(colors.dim(`${name}: ${printable(value)}\n`));
    for (const { version, editedAt, editedBy, body } of former) {
      terminal.out(colors.dim(printable(`version ${version}, until ${editedBy} changed it at ${editedAt}:`)));
      terminal.out(`\n${safeLines(body).join('\n')}\n`);
    }
  });
}

function factsOf(message: WireMessage): readonly (readonly [string, string])[] {
  const { id, roomId, seq, threadId, version, createdAt, edited, pinned, reactions } = message;
  const facts: (readonly [string, string])[] = [
    ['id', id],
    ['room', `${roomId} #${seq}`],
    ['created', createdAt],
    ['version', String(version)],
  ];
  if (threadId !== null) facts.push(['thread', threadId]);
  if (edited) facts.push(['edited', `${edited.count}×, last by ${edited.by} at ${edited.at}`]);
  if (pinned) facts.push(['pinned', 'yes']);
  if (reactions.length > 0)
    facts.push(['reactions', reactions.map(({ emoji, userIds }) => `${emoji} ${userIds.join(', ')}`).join('; ')]);
  return facts;
}

/** `rooms rm` */
export async function removeMessage(
  id: string,
  options: ConnectionOptions & { readonly reason?: string },
  terminal: Terminal,
): Promise<void> {
  const query = options.reason === undefined ? '' : `?reason=${enc(options.reason)}`;
  await change(options, terminal, (client) => client.send('DELETE', `${pathOf(id)}${query}`));
}

/** `rooms react` */
export async function react(
  id: string,
  emoji: string,
  options: ConnectionOptions & { readonly remove?: boolean },
  terminal: Terminal,
): Promise<void> {
  const method = options.remove ? 'DELETE' : 'PUT';
  await change(options, terminal, (client) => client.send(method, `${pathOf(id)}/reaction/${enc(emoji)}`));
}

/** `rooms pin` */
export async function pinMessage(
  id: string,
  options: ConnectionOptions & { readonly remove?: boolean },
  terminal: Terminal,
): Promise<void> {
  const method = options.remove ? 'DELETE' : 'PUT';
  await change(options, terminal, (client) => client.send(method, `${pathOf(id)}/pin`));
}

/** Prints the message's id, or the message with `--json`. */
async function change(
  options: ConnectionOptions,
  terminal: Terminal,
  send: (client: RoomsClient) => ReturnType<RoomsClient['send']>,
): Promise<void> {
  await withClient(options, terminal, async (client) => {
    const message = client.parse(await send(client), messageSchema);
    if (options.json) printJson(terminal, message);
    else terminal.out(`${printable(message.id)}\n`);
  });
}
