import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as v from 'valibot';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { RoomsClient } from '../client.ts';
import type { TryLimits } from '../persistence.ts';

/** A file that is to be sent. */
export interface Attachment {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** In hex: by it the server's file is known again. */
  readonly sha256: string;
}

/** A slow line takes its time for a large file. */
const UPLOAD_TIMEOUT_MS = 120_000;

export function attachmentOf(name: string, bytes: Uint8Array): Attachment {
  return { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

export function readAttachment(path: string): Attachment {
  try {
    return attachmentOf(basename(path), readFileSync(path));
  } catch (error) {
    throw new CommandError(`cannot read ${path}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
}

/** Answers the file's id. A repeated upload leaves a file that nobody refers to; the server removes it. */
export async function uploadAttachment(client: RoomsClient, file: Attachment, limits: TryLimits): Promise<string> {
  const answer = await client.send('POST', '/api/file', {
    body: file.bytes,
    headers: { 'content-type': 'application/octet-stream', 'x-file-name': encodeURIComponent(file.name) },
    timeoutMs: Math.max(limits.timeoutMs, UPLOAD_TIMEOUT_MS),
  });
  return client.parse(answer, v.looseObject({ id: v.string() })).id;
}
