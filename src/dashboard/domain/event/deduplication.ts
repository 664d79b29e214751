import { type EventColumns, IS_LOGGED } from './columns.ts';

/**
 * Two events are equal if user, instant, model, total and output tokens are; cost, kind and source do not count. Two of
 * logs are never equal: they have keys of their own there.
 */
export interface DedupeKeys {
  readonly columns: EventColumns;
  /** The instants of the columns, with dates without a time moved to the zone's midnight. */
  readonly at: Float64Array;
  /** By model number: equal models share a key. */
  readonly modelKeys: readonly number[];
}

/**
 * Marks the dropped ones (1) of rows in list order: of equal events the last stays. Open addressing with linear
 * probing; hits are verified.
 */
export function findDuplicates(keys: DedupeKeys, rows: Uint32Array): Uint8Array {
  const dropped = new Uint8Array(rows.length);
  const slots = new Int32Array(slotsFor(rows.length));
  const mask = slots.length - 1;
  const { at } = keys;
  for (let place = 0; place < rows.length; place++) {
    const row = rows[place] as number;
    for (let slot = hashOf(keys, row, at[row] as number) & mask; ; slot = (slot + 1) & mask) {
      const earlier = (slots[slot] as number) - 1;
      if (earlier < 0) {
        slots[slot] = place + 1;
        break;
      }
      const other = rows[earlier] as number;
      if (at[other] === at[row] && hasEqualParts(keys, other, row)) {
        dropped[earlier] = 1;
        slots[slot] = place + 1;
        break;
      }
    }
  }
  return dropped;
}

/**
 * For exports with whole seconds: each of their events (`coarse`) drops one live event (`fine`) of the same second that
 * is equal otherwise. Adds to `dropped`; places are those in `rows`.
 */
export function dropFinerTwins(
  keys: DedupeKeys,
  rows: Uint32Array,
  dropped: Uint8Array,
  places: { readonly fine: readonly number[]; readonly coarse: readonly number[] },
): void {
  const slots = new Int32Array(slotsFor(places.fine.length));
  const mask = slots.length - 1;
  const secondOf = (row: number) => Math.floor((keys.at[row] as number) / 1000) * 1000;
  for (const place of places.fine) {
    const row = rows[place] as number;
    let slot = hashOf(keys, row, secondOf(row)) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = place + 1;
  }
  for (const place of places.coarse) {
    const row = rows[place] as number;
    const second = keys.at[row] as number;
    for (let slot = hashOf(keys, row, second) & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const twin = (slots[slot] as number) - 1;
      const other = rows[twin] as number;
      if (dropped[twin] || secondOf(other) !== second || !hasEqualParts(keys, other, row)) continue;
      dropped[twin] = 1;
      break;
    }
  }
}

function slotsFor(count: number): number {
  return 2 ** Math.max(4, Math.ceil(Math.log2(count * 1.6 + 1)));
}

function hashOf({ columns, modelKeys }: DedupeKeys, row: number, at: number): number {
  let hash = Math.imul(at | 0, 0x9e3779b1) ^ (at / 4294967296);
  hash = Math.imul(hash ^ (hash >>> 15) ^ (columns.total[row] as number), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ (columns.output[row] as number), 0xc2b2ae35);
  hash ^= Math.imul(
    (modelKeys[columns.model[row] as number] as number) * 31 + (columns.user[row] as number),
    0x27d4eb2f,
  );
  return hash ^ (hash >>> 16);
}

function hasEqualParts({ columns, modelKeys }: DedupeKeys, a: number, b: number): boolean {
  return (
    ((columns.flags[a] as number) & (columns.flags[b] as number) & IS_LOGGED) === 0 &&
    columns.total[a] === columns.total[b] &&
    columns.output[a] === columns.output[b] &&
    columns.user[a] === columns.user[b] &&
    modelKeys[columns.model[a] as number] === modelKeys[columns.model[b] as number]
  );
}
