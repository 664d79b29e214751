import { decodeFileText, type FileText, type FileTexts, isTextFile } from '../domain/copilot/prompt-file.ts';
import type { FileRef } from '../domain/file/file.ts';
import type { Message } from '../domain/message/message.ts';
import type { FileStore } from '../files/file-store.ts';

/** Bytes of one file. */
const MAX_FILE_BYTES = 32 * 1024;
/** Bytes of all files of a prompt. */
const MAX_BYTES = 128 * 1024;

/** Reads attached texts for a model, in the order of the messages, up to the limits. */
export async function readPromptFiles(
  files: Pick<FileStore, 'read'>,
  messages: readonly Message[],
  mostBytes = MAX_BYTES,
): Promise<FileTexts> {
  const texts = new Map<string, FileText>();
  let left = mostBytes;
  for (const file of messages.flatMap(({ deleted, attachments }) => (deleted ? [] : attachments))) {
    if (left <= 0) break;
    if (texts.has(file.id) || !isTextFile(file)) continue;
    const bytes = await readHead(files, file, Math.min(left, MAX_FILE_BYTES));
    const text = bytes && decodeFileText(bytes, bytes.length < file.size);
    if (!text) continue;
    texts.set(file.id, text);
    left -= bytes.length;
  }
  return texts;
}

/** `undefined`: its bytes are gone. */
async function readHead(files: Pick<FileStore, 'read'>, file: FileRef, most: number): Promise<Buffer | undefined> {
  if (file.size === 0) return undefined;
  const stream = await files.read(file, { start: 0, end: Math.min(file.size, most) - 1 });
  if (!stream) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
