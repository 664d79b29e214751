import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { CommandError } from '../../kernel/errors.ts';
import { readPrivateFile } from '../../kernel/storage/private-file.ts';

// Opsdeck 0.1.0 kept a journal before its tables, which holds the last acknowledged writes after a kill. At the first
// start it is imported into the tables, and removed. It consists of numbered files. A file begins with a head: magic,
// the file's number, the serial of its first record, the epoch of the log, a checksum. Records follow without gaps:
// magic, checksum of the rest, length, serial, the last serial that had been synced when this one was written, payload.
// Numbers are little-endian.

export const JOURNAL_NAME = 'rooms.journal';

const FILE_MAGIC = Buffer.from('odjrnl1\n');
/** Bytes that cannot occur in UTF-8. */
const RECORD_MAGIC = Buffer.from([0xf7, 0xfa, 0xf5, 0xf9]);
const EPOCH_BYTES = 32;
const FILE_HEAD_BYTES = 64;
const RECORD_HEAD_BYTES = 24;

export interface JournalRecord {
  /** 1, 2, 3 … without holes. */
  readonly serial: number;
  readonly payload: Uint8Array;
}

interface PlacedRecord extends JournalRecord {
  /** The last serial that had been synced when this one was written. */
  readonly synced: number;
  /** The offset of the next record. */
  readonly end: number;
}

interface JournalFile {
  readonly number: number;
  readonly path: string;
}

/** The last record read, and the rest of the journal. */
interface ReadEnd {
  readonly serial: number;
  readonly fileNumber: number;
  readonly offset: number;
}

export const hasJournal = (path: string): boolean => listFiles(path).length > 0;

/** Removes all of its files, after its records have become durable elsewhere. */
export function removeJournal(path: string): void {
  for (const file of listFiles(path)) rmSync(file.path);
  rmSync(join(path, `${JOURNAL_NAME}.spare`), { force: true });
}

/**
 * Reads the records after the serial `after`. The last one may be incomplete: it was never acknowledged, and is
 * dropped. Damage to synced records is refused with a CommandError, and so is the journal of another log.
 */
export function readJournal(path: string, epoch: string, after: number): readonly JournalRecord[] {
  const files = listFiles(path);
  const records: JournalRecord[] = [];
  let end: ReadEnd | undefined;
  for (const file of files) {
    const bytes = readPrivateFile(file.path);
    const head = readFileHead(bytes);
    if (head && head.epoch !== epoch) refuse(file.path, 'it belongs to other data than those beside it');
    // A crash may have left a file with a new head and the old name, or the reverse. Records missing at the beginning
    // show in the next file, later ones in the records that follow.
    if (head?.number !== file.number) {
      if (!end) continue;
      break;
    }
    if (end && head.first !== end.serial + 1) break;
    if (!end && head.first > after + 1)
      refuse(file.path, `it begins with record ${head.first}, and the data beside it end with ${after}`);
    end = { serial: head.first - 1, fileNumber: file.number, offset: FILE_HEAD_BYTES };
    for (let record = readRecord(bytes, end.offset); record?.serial === end.serial + 1; ) {
      if (record.serial > after) records.push(record);
      end = { ...end, serial: record.serial, offset: record.end };
      record = readRecord(bytes, end.offset);
    }
  }
  checkRest(files, end, after);
  return records;
}

/** The numbered files, ascending. */
function listFiles(path: string): readonly JournalFile[] {
  return readdirSync(path)
    .filter((file) => file.startsWith(`${JOURNAL_NAME}.`) && /^\d{6,}$/.test(file.slice(JOURNAL_NAME.length + 1)))
    .map((file) => ({ number: Number(file.slice(JOURNAL_NAME.length + 1)), path: join(path, file) }))
    .sort((a, b) => a.number - b.number);
}

function readFileHead(
  bytes: Buffer,
): { readonly number: number; readonly first: number; readonly epoch: string } | undefined {
  if (bytes.length < FILE_HEAD_BYTES || !bytes.subarray(0, FILE_MAGIC.length).equals(FILE_MAGIC)) return undefined;
  if (bytes.readUInt32LE(60) !== crc32(bytes.subarray(0, 60))) return undefined;
  const epoch = bytes.toString('latin1', 18, 18 + EPOCH_BYTES).replace(/\0+$/, '');
  return { number: bytes.readUInt32LE(8), first: bytes.readUIntLE(12, 6), epoch };
}

/** The record at an offset; `undefined`: none, or an incomplete or damaged one. */
function readRecord(bytes: Buffer, start: number): PlacedRecord | undefined {
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

/** Refuses a journal that lacks a record which a later one reports as synced. */
function checkRest(files: readonly JournalFile[], end: ReadEnd | undefined, after: number): void {
  const last = end?.serial ?? after;
  for (const { number, path } of files) {
    if (end && number < end.fileNumber) continue;
    const bytes = readPrivateFile(path);
    for (const { serial, synced } of findRecords(bytes, number === end?.fileNumber ? end.offset : 0))
      if (serial > last && synced > last) refuse(path, `record ${last + 1} was on disk once, and is damaged or gone`);
  }
}

/** All complete records from an offset on, wherever they begin. */
function* findRecords(bytes: Buffer, from: number): Iterable<PlacedRecord> {
  for (let start = bytes.indexOf(RECORD_MAGIC, from); start >= 0; ) {
    const record = readRecord(bytes, start);
    if (record) yield record;
    start = bytes.indexOf(RECORD_MAGIC, record?.end ?? start + 1);
  }
}

function refuse(path: string, why: string): never {
  throw new CommandError(
    `cannot take over the journal ${path}: ${why}; put it and the data back as they were, or restore a backup, or move all files of the journal away to go on with what the data hold without it`,
  );
}
