import { readRegularFile } from '../../kernel/storage/regular-file.ts';

/** In bytes; the longest secrets are keys in PEM. */
const MAX_BYTES = 1_000_000;

/** The text of a secret file, trimmed. */
export async function readSecretFile(path: string): Promise<string> {
  return (await readRegularFile(path, MAX_BYTES)).trim();
}
