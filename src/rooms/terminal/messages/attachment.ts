import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as v from 'valibot';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { RoomsClient } from '../client.ts';
import type { TryLimits } from '../persistence.ts';

/** A file to be sent. */
export interface Attachment {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** In hex; identifies the server's copy. */
  readonly sha256: string;
}

/** Allows for a large file on a slow connection. */
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

/** Returns the file's id. A repeated upload leaves an unused file, which the server removes. */
export async function uploadAttachment(client: RoomsClient, file: Attachment, limits: TryLimits): Promise<string> {
  const answer = await client.send('POST', '/api/file', {
    body: file.bytes,
    headers: { 'content-type': 'application/octet-stream', 'x-file-name': encodeURIComponent(file.name) },
    timeoutMs: Math.max(limits.timeoutMs, UPLOAD_TIMEOUT_MS),
  });
  return client.parse(answer, v.looseObject({ id: v.string() })).id;
}
