import { EventColumns, type EventNames } from '../event/columns.ts';
import { ByteSource } from './byte-source.ts';
import type { BadRow, CsvCounts, CsvFile, CsvFileError, CsvFileResult } from './file.ts';
import { readCsvHeader } from './header.ts';
import { CsvRowReader, type CsvTarget } from './row.ts';
import { CsvScanner } from './scanner.ts';

/** A longer row has an unclosed quote. */
const MAX_ROW_BYTES = 1 << 20;
const BAD_ROWS_SHOWN = 20;

const decoder = new TextDecoder();

export interface CsvReading extends CsvCounts {
  readonly columns: EventColumns;
  readonly error: CsvFileError | undefined;
  readonly badRows: readonly BadRow[];
  readonly totalsThatDiffer: number;
}

/** Reads one CSV file of usage events, chunk by chunk, into columns of its own. */
export class CsvReader {
  readonly #file: CsvFile;
  readonly #target: CsvTarget;
  readonly #columns = new EventColumns();
  readonly #source = new ByteSource();
  #scanner = new CsvScanner(0);
  #row: CsvRowReader | undefined;
  #error: CsvFileError | undefined;
  #bytes = 0;
  #line = 1;
  #rows = 0;
  #skipped = 0;
  readonly #badRows: BadRow[] = [];

  /** `users`: user numbers by the lower-case names of a `User` column. */
  constructor(file: CsvFile, names: EventNames, users: ReadonlyMap<string, number>, now: number) {
    this.#file = file;
    const user = Math.max(0, names.users.indexOf(file.user));
    this.#target = { columns: this.#columns, names, users, user, now };
  }

  push(bytes: Uint8Array): CsvCounts {
    this.#bytes += bytes.length;
    if (this.#error) return this.#counts();
    this.#source.push(bytes);
    this.#read(false);
    return this.#counts();
  }

  /** Ends the file. Nothing may be pushed after. */
  finish(): CsvReading {
    if (!this.#error) {
      this.#source.finish();
      this.#read(true);
    }
    if (!this.#error && this.#row === undefined) this.#error = { code: 'empty' };
    if (!this.#error && this.#rows > 0 && this.#columns.length === 0) this.#error = { code: 'all-rows-bad' };
    return {
      ...this.#counts(),
      columns: this.#columns,
      error: this.#error,
      badRows: this.#badRows,
      totalsThatDiffer: this.#row?.totalsThatDiffer ?? 0,
    };
  }

  #counts(): CsvCounts {
    return { bytes: this.#bytes, rows: this.#rows, events: this.#columns.length, skipped: this.#skipped };
  }

  #read(isLast: boolean): void {
    const source = this.#source;
    if (!this.#row && !this.#readHeader(isLast)) return;
    const row = this.#row as CsvRowReader;
    const scanner = this.#scanner;
    let at = source.from;
    while (at < source.end) {
      const next = scanner.scan(source.bytes, at, source.end, isLast);
      if (next < 0) break;
      if (scanner.cells > 1 || scanner.starts[0] !== scanner.ends[0]) this.#readRow(row, source.bytes);
      this.#line += 1 + scanner.innerLines;
      at = next;
    }
    source.from = at;
    if (at < source.end && (isLast || source.end - at > MAX_ROW_BYTES)) {
      this.#error = { code: 'unclosed-quote', line: this.#line };
    }
    this.#foresee();
  }

  #readRow(row: CsvRowReader, bytes: Uint8Array): void {
    const reason = row.read(bytes, this.#scanner);
    if (reason === 'header') return;
    this.#rows++;
    if (!reason) return;
    this.#skipped++;
    if (this.#badRows.length < BAD_ROWS_SHOWN) this.#badRows.push({ line: this.#line, reason, text: row.badText });
  }

  /** Whether a valid header was read, so that rows may follow. */
  #readHeader(isLast: boolean): boolean {
    const { bytes, end } = this.#source;
    // A header line ends at the first line end whatever the delimiter: names contain none.
    const scanner = new CsvScanner(0);
    while (this.#source.from < end) {
      const next = scanner.scan(bytes, this.#source.from, end, isLast);
      if (next < 0 && !isLast && end - this.#source.from <= MAX_ROW_BYTES) return false;
      const stop = next < 0 ? end : next;
      const text = decoder.decode(bytes.subarray(this.#source.from, stop));
      this.#source.from = stop;
      this.#line += 1 + scanner.innerLines;
      if (text.trim() === '') continue;
      const header = readCsvHeader(text);
      if (!header.ok) {
        this.#error = { code: 'missing-columns', columns: header.missing };
        return false;
      }
      this.#scanner = new CsvScanner(header.delimiter);
      this.#row = new CsvRowReader(header.layout, this.#target);
      return true;
    }
    return false;
  }

  /** Makes room for all rows of the file at once, estimated from the rows so far: growing would hold two copies. */
  #foresee(): void {
    const read = this.#bytes - (this.#source.end - this.#source.from);
    if (this.#rows < 100 || this.#file.size <= read) return;
    const expected = Math.ceil((this.#columns.length / read) * this.#file.size * 1.01);
    if (expected > this.#columns.flags.length) this.#columns.reserve(Math.ceil(expected * 1.01));
  }

  /** The report on the file, once it is known whether it was added. */
  describe(reading: CsvReading, status: CsvFileResult['status'], fileId: number | undefined): CsvFileResult {
    const { at, length } = reading.columns;
    let oldestAt = Number.POSITIVE_INFINITY;
    let newestAt = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < length; row++) {
      oldestAt = Math.min(oldestAt, at[row] as number);
      newestAt = Math.max(newestAt, at[row] as number);
    }
    const { bytes, rows, events, skipped, error, badRows, totalsThatDiffer } = reading;
    const span = length > 0 ? { oldestAt, newestAt } : { oldestAt: undefined, newestAt: undefined };
    const { name } = this.#file;
    return { status, fileId, name, bytes, rows, events, skipped, error, badRows, totalsThatDiffer, ...span };
  }
}
