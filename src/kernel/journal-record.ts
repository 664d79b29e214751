import { crc32 } from 'node:zlib';

// The bytes of a journal. A file begins with a head: magic, the file's number, the serial of its first record, the id of
// the journal, a checksum. Records follow each other without a gap: magic, checksum of all that follows, length, serial,
// the last serial that was safe from a loss of power when this one was written, payload. Numbers are little-endian.

const FILE_MAGIC = Buffer.from('odjrnl1\n');
/** No text in UTF-8 holds these bytes. */
const RECORD_MAGIC = Buffer.from([0xf7, 0xfa, 0xf5, 0xf9]);
const ID_BYTES = 32;

export const FILE_HEAD_BYTES = 64;
export const RECORD_HEAD_BYTES = 24;

export interface JournalFileHead {
  readonly number: number;
  readonly first: number;
  readonly id: string;
}

export interface JournalRecord {
  /** 1, 2, 3 … without holes. */
  readonly serial: number;
  readonly payload: Uint8Array;
}

/** A record as it stands in a file. */
export interface PlacedRecord extends JournalRecord {
  /** The last serial that was safe when this one was written. */
  readonly synced: number;
  /** Where the next record begins. */
  readonly end: number;
}

export function printFileHead({ number, first, id }: JournalFileHead): Buffer {
  const head = Buffer.alloc(FILE_HEAD_BYTES);
  FILE_MAGIC.copy(head);
  head.writeUInt32LE(number, 8);
  head.writeUIntLE(first, 12, 6);
  head.write(id, 18, ID_BYTES, 'latin1');
  head.writeUInt32LE(crc32(head.subarray(0, 60)), 60);
  return head;
}

/** `undefined`: it is none. */
export function readFileHead(bytes: Buffer): JournalFileHead | undefined {
  if (bytes.length < FILE_HEAD_BYTES || !bytes.subarray(0, FILE_MAGIC.length).equals(FILE_MAGIC)) return undefined;
  if (bytes.readUInt32LE(60) !== crc32(bytes.subarray(0, 60))) return undefined;
  const id = bytes.toString('latin1', 18, 18 + ID_BYTES).replace(/\0+$/, '');
  return { number: bytes.readUInt32LE(8), first: bytes.readUIntLE(12, 6), id };
}

/** What stands before the payload. */
export function printRecordHead({ serial, payload }: JournalRecord, synced: number): Buffer {
  const head = Buffer.allocUnsafe(RECORD_HEAD_BYTES);
  RECORD_MAGIC.copy(head);
  head.writeUInt32LE(payload.length, 8);
  head.writeUIntLE(serial, 12, 6);
  head.writeUIntLE(synced, 18, 6);
  head.writeUInt32LE(crc32(payload, crc32(head.subarray(8))), 4);
  return head;
}

/** The record that begins there; `undefined`: none, or not the whole of it, or not as it was written. */
export function readRecord(bytes: Buffer, start: number): PlacedRecord | undefined {
  const from = start + RECORD_HEAD_BYTES;
  if (from > bytes.length || RECORD_MAGIC.compare(bytes, start, start + RECORD_MAGIC.length) !== 0) return undefined;
  const end = from + bytes.readUInt32LE(start + 8);
  if (end > bytes.length || crc32(bytes.subarray(start + 8, end)) !== bytes.readUInt32LE(start + 4)) return undefined;
  return {
    serial: bytes.readUIntLE(start + 12, 6),
    synced: bytes.readUIntLE(start + 18, 6),
    payload: bytes.subarray(from, end),
    end,
  };
}

/** All records that are whole, wherever they begin from there on. */
export function* findRecords(bytes: Buffer, from: number): Iterable<PlacedRecord> {
  for (let start = bytes.indexOf(RECORD_MAGIC, from); start >= 0; ) {
    const record = readRecord(bytes, start);
    if (record) yield record;
    start = bytes.indexOf(RECORD_MAGIC, record?.end ?? start + 1);
  }
}
