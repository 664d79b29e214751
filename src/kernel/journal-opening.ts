import { closeSync, constants, fsyncSync, ftruncateSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from './errors.ts';
import { FILE_HEAD_BYTES, findRecords, type JournalRecord, readFileHead, readRecord } from './journal-record.ts';
import { openPrivateFile, readPrivateFile } from './private-file.ts';

export interface JournalPlace {
  /** The directory. */
  readonly path: string;
  /** What the names of the files begin with. */
  readonly name: string;
  /** Of the data that the journal belongs to: 1 to 32 characters of ASCII. */
  readonly id: string;
}

/** A file of a journal. */
export interface JournalFile {
  readonly number: number;
  readonly path: string;
  /** The serial of its first record. */
  readonly first: number;
  /** Of its last record; `first - 1` while there is none. */
  readonly last: number;
  /** Where its last record ends. */
  readonly size: number;
}

/** What a journal holds when it is opened. */
export interface FoundJournal {
  /** In their order, the last of them to be written on. */
  readonly files: readonly JournalFile[];
  readonly records: readonly JournalRecord[];
  /** The last serial; `after` when there is none beyond. */
  readonly last: number;
}

export const journalFileName = (name: string, number: number): string => `${name}.${String(number).padStart(6, '0')}`;

/** The numbered files of a journal, ascending. */
export function listJournal({ path, name }: Omit<JournalPlace, 'id'>): readonly { number: number; path: string }[] {
  return readdirSync(path)
    .filter((file) => file.startsWith(`${name}.`) && /^\d{6,}$/.test(file.slice(name.length + 1)))
    .map((file) => ({ number: Number(file.slice(name.length + 1)), path: join(path, file) }))
    .sort((a, b) => a.number - b.number);
}

/**
 * Reads all records beyond the serial `after`. What was written last may not be whole: nobody was told that it is safe, and
 * it is cut off. Damage to what was safe once is refused with a CommandError, and so is a journal that is not of these data.
 */
export function readJournal(place: JournalPlace, after: number): FoundJournal {
  const listed = listJournal(place);
  const files: JournalFile[] = [];
  const records: JournalRecord[] = [];
  for (const { number, path } of listed) {
    const bytes = readPrivateFile(path);
    const head = readFileHead(bytes);
    if (head && head.id !== place.id) refuse(path, 'it belongs to other data than those beside it');
    // The disk may have a new head and not the name that belongs to it, or the other way round. What is missing then at the
    // beginning shows in the next file, what is missing later in the records that follow.
    if (head?.number !== number) {
      if (files.length === 0) continue;
      break;
    }
    const { first } = head;
    const before = files.at(-1);
    if (before && first !== before.last + 1) break;
    if (!before && first > after + 1)
      refuse(path, `it begins with record ${first}, and the data beside it end with ${after}`);
    files.push(readFile(bytes, { number, path, first }, (record) => record.serial > after && records.push(record)));
  }
  cutOff(listed, files.at(-1), after);
  for (const { number, path } of listed) if (number < (files[0]?.number ?? 0)) rmSync(path);
  const last = files.at(-1)?.last ?? after;
  if (last >= after) return { files, records, last };
  // The data have outlived a loss of power that the journal has not: whoever asked for no more was told so.
  for (const { path } of files) rmSync(path);
  return { files: [], records, last: after };
}

function readFile(
  bytes: Buffer,
  file: Pick<JournalFile, 'number' | 'path' | 'first'>,
  take: (record: JournalRecord) => unknown,
): JournalFile {
  let size = FILE_HEAD_BYTES;
  let last = file.first - 1;
  for (;;) {
    const record = readRecord(bytes, size);
    if (!record || record.serial !== last + 1) return { ...file, last, size };
    take(record);
    last = record.serial;
    size = record.end;
  }
}

/** Removes what follows the end, so that no record of it is ever taken for one that is written there later. */
function cutOff(listed: ReturnType<typeof listJournal>, end: JournalFile | undefined, after: number): void {
  const last = end?.last ?? after;
  const rest = listed.filter(({ number }) => end === undefined || number >= end.number);
  for (const { number, path } of rest) {
    for (const { serial, synced } of findRecords(readPrivateFile(path), number === end?.number ? end.size : 0))
      if (serial > last && synced > last) refuse(path, `record ${last + 1} was on disk once, and is damaged or gone`);
  }
  for (const { number, path } of rest) {
    if (number === end?.number) truncate(path, end.size);
    else rmSync(path);
  }
}

function truncate(path: string, size: number): void {
  const descriptor = openPrivateFile(path, constants.O_RDWR);
  try {
    ftruncateSync(descriptor, size);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function refuse(path: string, why: string): never {
  throw new CommandError(
    `cannot go on from the journal ${path}: ${why}; put it and the data back as they were, or restore a backup, or move all files of the journal away to go on with what the data hold without it`,
  );
}
