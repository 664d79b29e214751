import { compareUtf8 } from '../domain/label-set.ts';
import { SafeText } from './html-escape/safe-text.ts';

/**
 * A template value. JavaScript types represent Go's where possible: `bigint` is an int, `number` a float64. String lengths
 * count UTF-8 bytes.
 */
export type GoValue =
  /** An untyped nil, printed as `<no value>`. */
  | undefined
  /** A nil within a map or a list of any values. */
  | null
  | boolean
  | string
  | bigint
  | number
  | GoInt
  | SafeText
  | GoTime
  | GoZone
  | GoList
  | GoMap
  | GoStruct
  | GoPointer;

/** Integers of types other than Go's int. A `time.Duration` counts nanoseconds, `time.Weekday` from Sunday = 0. */
export type IntType = 'int64' | 'int32' | 'uint8' | 'time.Duration' | 'time.Month' | 'time.Weekday';

export class GoInt {
  constructor(
    readonly type: IntType,
    readonly value: bigint,
  ) {}
}

export const durationOf = (nanoseconds: bigint): GoInt => new GoInt('time.Duration', nanoseconds);

/** A `*time.Location`. */
export abstract class GoZone {
  /** `UTC`, `Local`, `Europe/Berlin` */
  abstract readonly name: string;
  /** At `seconds` after the Unix epoch: the offset in seconds east of UTC, and the name, such as `CET`. */
  abstract at(seconds: number): { readonly offset: number; readonly abbreviation: string };
}

/** A `time.Time`. */
export class GoTime {
  constructor(
    /** Whole seconds since the Unix epoch; negative before it. */
    readonly seconds: number,
    /** 0 to 999,999,999 */
    readonly nanoseconds: number,
    readonly zone: GoZone,
  ) {}
}

export type ListType =
  | '[]string'
  | '[]interface {}'
  | '[]template.Alert'
  | 'template.Alerts'
  | 'template.Pairs'
  | 'template.Strings';

export class GoList {
  constructor(
    readonly type: ListType,
    readonly items: readonly GoValue[],
  ) {}

  /** What its method String gives, where the type has one. */
  goString(): string | undefined {
    if (this.type !== 'template.Pairs') return undefined;
    return this.items.map((pair) => (pair instanceof GoStruct ? pair.values.join('=') : '')).join(', ');
  }
}

export type MapType = 'template.KV' | 'map[string]interface {}';

export class GoMap {
  #sortedKeys: readonly string[] | undefined;

  constructor(
    readonly type: MapType,
    readonly entries: ReadonlyMap<string, GoValue>,
  ) {}

  /** The value of a key; for an absent one, the zero value of the map's values. */
  valueOf(key: string): GoValue {
    const value = this.entries.get(key);
    if (value !== undefined) return value;
    return this.type === 'template.KV' ? '' : null;
  }

  /** By their UTF-8 bytes. */
  get sortedKeys(): readonly string[] {
    this.#sortedKeys ??= [...this.entries.keys()].sort(compareUtf8);
    return this.#sortedKeys;
  }

  /** The keys in display order: the alert's name, then the others. */
  get readingOrder(): readonly string[] {
    if (!this.entries.has('alertname')) return this.sortedKeys;
    return ['alertname', ...this.sortedKeys.filter((key) => key !== 'alertname')];
  }

  /** What its method String gives, where the type has one. */
  goString(): string | undefined {
    if (this.type !== 'template.KV') return undefined;
    return this.readingOrder.map((key) => `${key}=${this.entries.get(key)}`).join(', ');
  }
}

export interface StructType {
  readonly name: 'template.Data' | 'template.Alert' | 'template.Pair';
  /** Lower-case fields are printed, but hidden from templates and JSON. */
  readonly fields: readonly string[];
  /** The JSON names of the fields; undefined for hidden ones. */
  readonly json: readonly (string | undefined)[];
}

export class GoStruct {
  constructor(
    readonly type: StructType,
    /** In the order of the type's fields. */
    readonly values: readonly GoValue[],
  ) {}
}

/** Never nil. */
export class GoPointer {
  constructor(readonly target: GoStruct) {}
}

/** Go's name of a value's type: `template.KV`. `<nil>` for nil. */
export function typeNameOf(value: GoValue): string {
  switch (typeof value) {
    case 'undefined':
      return '<nil>';
    case 'boolean':
      return 'bool';
    case 'string':
      return 'string';
    case 'bigint':
      return 'int';
    case 'number':
      return 'float64';
  }
  if (value === null) return '<nil>';
  if (value instanceof SafeText) return value.kind === 'html' ? 'template.HTML' : 'template.URL';
  if (value instanceof GoTime) return 'time.Time';
  if (value instanceof GoZone) return '*time.Location';
  if (value instanceof GoStruct) return value.type.name;
  if (value instanceof GoPointer) return `*${value.target.type.name}`;
  return value.type;
}
