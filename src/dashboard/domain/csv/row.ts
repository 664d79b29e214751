import { exactCents, isBilledKind, parseCostCents } from '../cost.ts';
import {
  type EventColumns,
  type EventNames,
  IS_BILLED,
  IS_CHARGEABLE,
  IS_DATE_ONLY,
  IS_INCLUDED,
  IS_MAX_MODE,
} from '../event/columns.ts';
import { DAY_MS } from '../zone.ts';
import { DateReader, NEGATIVE_TOKENS, readTokens } from './cell.ts';
import type { BadRowReason } from './file.ts';
import type { CsvLayout } from './header.ts';
import type { CsvScanner } from './scanner.ts';

/** No such assistant wrote exports before this date. */
const OLDEST_PLAUSIBLE = Date.UTC(2023, 0, 1);
const BAD_TEXT_LENGTH = 40;

const decoder = new TextDecoder();

export interface CsvTarget {
  readonly columns: EventColumns;
  readonly names: EventNames;
  readonly users: ReadonlyMap<string, number>;
  /** The user of the events if there is no `User` column. */
  readonly user: number;
  readonly now: number;
}

interface KnownCost {
  readonly cents: number;
  readonly list: number;
  readonly costText: number;
  readonly flags: number;
}

/** Turns the cells that a scanner found into a row of the columns. */
export class CsvRowReader {
  badText = '';
  totalsThatDiffer = 0;
  readonly #layout: CsvLayout;
  readonly #target: CsvTarget;
  readonly #dates = new DateReader();
  readonly #needed: number;
  /** Costs by the numbers of kind and cost text, so that each pair is read once. */
  readonly #costs: KnownCost[][] = [];
  readonly #unknownModel: number;
  readonly #unknownKind: number;
  readonly #noCost: number;
  readonly #userCells = new Map<string, number>();

  constructor(layout: CsvLayout, target: CsvTarget) {
    this.#layout = layout;
    this.#target = target;
    const { date, input, cacheRead, output, total } = layout;
    this.#needed = Math.max(date, input, cacheRead, output, total);
    this.#unknownModel = target.names.models.internText('unknown');
    this.#unknownKind = target.names.kinds.internText('unknown');
    this.#noCost = target.names.costTexts.internText('');
  }

  /** Why the row was skipped; undefined if it became an event. */
  read(bytes: Uint8Array, scanner: CsvScanner): BadRowReason | 'header' | undefined {
    const layout = this.#layout;
    if (scanner.cells <= this.#needed)
      return this.#isHeader(bytes, scanner) ? 'header' : this.#bad('cells', bytes, scanner, 0);
    const { starts, ends } = scanner;
    const at = this.#dates.read(bytes, starts[layout.date] as number, ends[layout.date] as number);
    if (!(at >= OLDEST_PLAUSIBLE && at <= this.#target.now + DAY_MS)) {
      if (this.#isHeader(bytes, scanner)) return 'header';
      return this.#bad(Number.isNaN(at) ? 'date' : 'implausible-date', bytes, scanner, layout.date);
    }
    const input = this.#tokens(bytes, scanner, layout.input);
    const cacheWrite = layout.cacheWrite < 0 ? 0 : this.#tokens(bytes, scanner, layout.cacheWrite);
    const cacheRead = this.#tokens(bytes, scanner, layout.cacheRead);
    const output = this.#tokens(bytes, scanner, layout.output);
    const total = this.#tokens(bytes, scanner, layout.total);
    if (input < 0) return this.#badTokens(input, bytes, scanner, layout.input);
    if (cacheWrite < 0) return this.#badTokens(cacheWrite, bytes, scanner, layout.cacheWrite);
    if (cacheRead < 0) return this.#badTokens(cacheRead, bytes, scanner, layout.cacheRead);
    if (output < 0) return this.#badTokens(output, bytes, scanner, layout.output);
    if (total < 0) return this.#badTokens(total, bytes, scanner, layout.total);

    const { columns } = this.#target;
    columns.makeRoom();
    const row = columns.length++;
    columns.at[row] = at;
    columns.input[row] = input;
    columns.cacheWrite[row] = cacheWrite;
    columns.cacheRead[row] = cacheRead;
    columns.output[row] = output;
    const sum = input + cacheWrite + cacheRead + output;
    columns.total[row] = total === 0 ? sum : total;
    if (total !== 0 && total !== sum) this.totalsThatDiffer++;
    this.#writeRest(row, bytes, scanner);
    return undefined;
  }

  #writeRest(row: number, bytes: Uint8Array, scanner: CsvScanner): void {
    const { columns, names, user } = this.#target;
    const { starts, ends } = scanner;
    const layout = this.#layout;
    columns.model[row] = this.#name(names.models, bytes, scanner, layout.model, this.#unknownModel);
    const kind = this.#name(names.kinds, bytes, scanner, layout.kind, this.#unknownKind);
    columns.kind[row] = kind;
    const cost = this.#cost(bytes, scanner, kind);
    columns.cost[row] = cost.cents;
    columns.list[row] = cost.list;
    columns.costText[row] = cost.costText;
    const maxMode = layout.maxMode;
    const isMax =
      maxMode >= 0 && maxMode < scanner.cells && isYes(bytes, starts[maxMode] as number, ends[maxMode] as number);
    columns.flags[row] = cost.flags | (isMax ? IS_MAX_MODE : 0) | (this.#dates.isDateOnly ? IS_DATE_ONLY : 0);
    columns.user[row] = layout.user < 0 ? user : this.#userOf(bytes, scanner);
  }

  #tokens(bytes: Uint8Array, { starts, ends }: CsvScanner, cell: number): number {
    return readTokens(bytes, starts[cell] as number, ends[cell] as number);
  }

  #name(names: EventNames['models'], bytes: Uint8Array, scanner: CsvScanner, cell: number, unknown: number): number {
    if (cell < 0 || cell >= scanner.cells) return unknown;
    let start = scanner.starts[cell] as number;
    let end = scanner.ends[cell] as number;
    while (start < end && (bytes[start] as number) <= 32) start++;
    while (end > start && (bytes[end - 1] as number) <= 32) end--;
    if (start === end) return unknown;
    return scanner.isEscaped[cell]
      ? names.internText(textOf(bytes, scanner, cell).trim())
      : names.intern(bytes, start, end);
  }

  #cost(bytes: Uint8Array, scanner: CsvScanner, kind: number): KnownCost {
    const { costTexts, kinds } = this.#target.names;
    const cell = this.#layout.cost;
    const hasCell = cell >= 0 && cell < scanner.cells;
    const raw = hasCell
      ? costTexts.intern(bytes, scanner.starts[cell] as number, scanner.ends[cell] as number)
      : this.#noCost;
    let ofKind = this.#costs[kind];
    if (!ofKind) {
      ofKind = [];
      this.#costs[kind] = ofKind;
    }
    const known = ofKind[raw];
    if (known) return known;
    const text = hasCell ? textOf(bytes, scanner, cell) : '';
    const kindText = kind === this.#unknownKind ? '' : kinds.text(kind);
    const { cents, isIncluded, display } = parseCostCents(text, kindText);
    const flags =
      (isIncluded ? IS_INCLUDED : 0) | (cents > 0 ? IS_CHARGEABLE : 0) | (isBilledKind(kindText) ? IS_BILLED : 0);
    const cost = { cents, list: exactCents(text), costText: costTexts.internText(display), flags };
    ofKind[raw] = cost;
    return cost;
  }

  #userOf(bytes: Uint8Array, scanner: CsvScanner): number {
    const { users, user } = this.#target;
    if (this.#layout.user >= scanner.cells) return user;
    const text = textOf(bytes, scanner, this.#layout.user);
    let known = this.#userCells.get(text);
    if (known === undefined) {
      known = users.get(text.trim().toLowerCase()) ?? user;
      this.#userCells.set(text, known);
    }
    return known;
  }

  /** A header in the middle, as in files joined by hand. */
  #isHeader(bytes: Uint8Array, scanner: CsvScanner): boolean {
    const { date } = this.#layout;
    return date < scanner.cells && textOf(bytes, scanner, date).replace('\ufeff', '').trim().toLowerCase() === 'date';
  }

  #badTokens(found: number, bytes: Uint8Array, scanner: CsvScanner, cell: number): BadRowReason {
    return this.#bad(found === NEGATIVE_TOKENS ? 'negative-tokens' : 'tokens', bytes, scanner, cell);
  }

  #bad(reason: BadRowReason, bytes: Uint8Array, scanner: CsvScanner, cell: number): BadRowReason {
    this.badText = textOf(bytes, scanner, cell).slice(0, BAD_TEXT_LENGTH);
    return reason;
  }
}

function isYes(bytes: Uint8Array, start: number, end: number): boolean {
  const first = (bytes[start] as number) | 32;
  if (end - start === 2 && first === 110) return false;
  if (end - start === 3 && first === 121) {
    return ((bytes[start + 1] as number) | 32) === 101 && ((bytes[start + 2] as number) | 32) === 115;
  }
  return /^(?:yes|true|1)$/i.test(decoder.decode(bytes.subarray(start, end)).trim());
}

function textOf(bytes: Uint8Array, { starts, ends, isEscaped }: CsvScanner, cell: number): string {
  const text = decoder.decode(bytes.subarray(starts[cell], ends[cell]));
  return isEscaped[cell] ? text.replaceAll('""', '"') : text;
}
