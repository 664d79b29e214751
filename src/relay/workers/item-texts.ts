import type { ItemKind, ItemText } from '../flag-store.ts';

// The items of a store as bytes that threads share: for each a line with kind and key, and a line of JSON.

const NEWLINE = 0x0a;

export function encodeItems(items: () => Iterable<ItemText>): SharedArrayBuffer {
  let size = 0;
  for (const { kind, key, json } of items()) size += Buffer.byteLength(headOf(kind, key)) + Buffer.byteLength(json) + 1;
  const bytes = Buffer.from(new SharedArrayBuffer(size));
  let used = 0;
  for (const { kind, key, json } of items()) {
    used += bytes.write(headOf(kind, key), used);
    used += bytes.write(json, used);
    bytes[used++] = NEWLINE;
  }
  return bytes.buffer as unknown as SharedArrayBuffer;
}

export function* decodeItems(shared: SharedArrayBuffer): Generator<ItemText> {
  const bytes = Buffer.from(shared);
  let start = 0;
  const readLine = () => {
    const end = bytes.indexOf(NEWLINE, start);
    const line = bytes.toString('utf8', start, end);
    start = end + 1;
    return line;
  };
  while (start < bytes.length) {
    const [kind, key] = JSON.parse(readLine()) as [ItemKind, string];
    yield { kind, key, json: readLine() };
  }
}

const headOf = (kind: ItemKind, key: string) => `${JSON.stringify([kind, key])}\n`;
