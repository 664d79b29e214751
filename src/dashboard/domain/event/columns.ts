import { ByteDictionary, grown } from '../csv/byte-dictionary.ts';
import { familyOf } from '../model-family.ts';
import type { ModelFamily } from '../view.ts';

export const IS_MAX_MODE = 1;
export const IS_INCLUDED = 2;
export const IS_CHARGEABLE = 4;
export const IS_API = 8;
export const IS_BILLED = 16;
/** The instant is UTC midnight of a date without a time; it moves to the zone's midnight. */
export const IS_DATE_ONLY = 32;
/** From an assistant's log: each event is there once, and its cost is an estimate. */
export const IS_LOGGED = 64;

/** The texts of the numbers in columns; shared by all columns and only extended. */
export class EventNames {
  readonly models = new ByteDictionary();
  readonly kinds = new ByteDictionary();
  readonly costTexts = new ByteDictionary();
  /** Of logs; number 0 is no project. */
  readonly projects = new ByteDictionary();
  readonly users: readonly string[];
  /** Numbers of models by their lower-case names. */
  readonly #sameModel = new Map<string, number>();
  readonly #modelKeys: number[] = [];
  readonly #families: ModelFamily[] = [];

  constructor(users: readonly string[]) {
    this.users = users;
    this.projects.internText('');
  }

  /** The number of a log's project; 0 beyond 65,535 projects. */
  projectOf(name: string): number {
    const id = this.projects.internText(name);
    return id <= MAX_PROJECT ? id : 0;
  }

  /** Equal models have one key: `Auto`, `auto` and `default`. */
  modelKeys(): readonly number[] {
    for (let id = this.#modelKeys.length; id < this.models.size; id++) {
      const lower = this.models.text(id).toLowerCase();
      const name = lower === 'default' ? 'auto' : lower;
      const key = this.#sameModel.get(name) ?? (lower === 'default' ? this.models.internText('auto') : id);
      this.#sameModel.set(name, key);
      this.#modelKeys.push(key);
    }
    return this.#modelKeys;
  }

  familyOf(model: number): ModelFamily {
    for (let id = this.#families.length; id <= model; id++) this.#families.push(familyOf(this.models.text(id)));
    return this.#families[model] as ModelFamily;
  }
}

/**
 * Usage events as columns, 80 bytes per event: row n is entry n of every array. Entries from `length` on are unused.
 */
export class EventColumns {
  length = 0;
  /** Epoch milliseconds. */
  at = new Float64Array(0);
  input = new Float64Array(0);
  cacheWrite = new Float64Array(0);
  cacheRead = new Float64Array(0);
  output = new Float64Array(0);
  total = new Float64Array(0);
  /** Cents as reported by the source: whole ones, but for estimates. */
  cost = new Float64Array(0);
  /** List value in cents, fractions kept. */
  list = new Float64Array(0);
  model = new Uint32Array(0);
  kind = new Uint32Array(0);
  costText = new Uint32Array(0);
  /** Of the log; see `EventNames.projects`. */
  project = new Uint16Array(0);
  user = new Uint8Array(0);
  flags = new Uint8Array(0);

  reserve(capacity: number): void {
    if (capacity <= this.flags.length) return;
    for (const name of COLUMN_NAMES) this.#put(name, grown<Column>(this[name], capacity));
  }

  #put(name: ColumnName, column: Column): void {
    // TypeScript cannot see that both columns have one type.
    (this as Record<ColumnName, Column>)[name] = column;
  }

  /** Makes room for one more row. */
  makeRoom(): void {
    if (this.length === this.flags.length) this.reserve(Math.max(1024, this.length * 2));
  }

  append(other: EventColumns): void {
    const from = this.length;
    this.reserve(from + other.length);
    for (const [own, added] of pairs(this, other)) own.set(added.subarray(0, other.length), from);
    this.length += other.length;
  }

  /** A view of the rows [start, end), not a copy. */
  part(start: number, end: number): EventColumns {
    const part = new EventColumns();
    for (const name of COLUMN_NAMES) part.#put(name, this[name].subarray(start, end));
    part.length = end - start;
    return part;
  }

  /** A copy of some rows. */
  pick(rows: Uint32Array): EventColumns {
    const picked = new EventColumns();
    picked.reserve(rows.length);
    for (const [own, source] of pairs(picked, this)) {
      for (let at = 0; at < rows.length; at++) own[at] = source[rows[at] as number] as number;
    }
    picked.length = rows.length;
    return picked;
  }

  /** Takes the rows [start, end) out; later ones move up. */
  remove(start: number, end: number): void {
    for (const [column] of pairs(this, this)) column.copyWithin(start, end, this.length);
    this.length -= end - start;
  }

  /** Whether other rows equal the rows from `start` on. */
  equalsAt(start: number, other: EventColumns): boolean {
    for (const [own, theirs] of pairs(this, other)) {
      for (let row = 0; row < other.length; row++) if (own[start + row] !== theirs[row]) return false;
    }
    return true;
  }
}

const MAX_PROJECT = 65_535;

type Column = Float64Array | Uint32Array | Uint16Array | Uint8Array;

const COLUMN_NAMES = [
  'at',
  'input',
  'cacheWrite',
  'cacheRead',
  'output',
  'total',
  'cost',
  'list',
  'model',
  'kind',
  'costText',
  'project',
  'user',
  'flags',
] as const;

type ColumnName = (typeof COLUMN_NAMES)[number];

function pairs(a: EventColumns, b: EventColumns): readonly (readonly [Column, Column])[] {
  return COLUMN_NAMES.map((name) => [a[name], b[name]]);
}
