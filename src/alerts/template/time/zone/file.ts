import { periodOfRule, readZoneRule, type ZonePeriod, type ZoneRule } from './rule.ts';

/** The period of an instant, given in seconds since the epoch. */
export type ZoneLookup = (unixSeconds: number) => ZonePeriod;

interface Counts {
  readonly version: number;
  readonly isUt: number;
  readonly isStandard: number;
  readonly leaps: number;
  readonly transitions: number;
  readonly types: number;
  readonly characters: number;
}

interface ZoneType extends ZonePeriod {
  readonly isSummer: boolean;
}

interface ZoneTable {
  /** Seconds since the epoch, ascending. */
  readonly transitions: readonly number[];
  /** The index in `types` that begins at each transition. */
  readonly begins: readonly number[];
  readonly types: readonly ZoneType[];
  readonly rule: ZoneRule | undefined;
}

const HEADER_BYTES = 44;

function readCounts(file: DataView, at: number): Counts | undefined {
  if (file.byteLength < at + HEADER_BYTES || file.getUint32(at) !== 0x545a6966) return undefined;
  const digit = file.getUint8(at + 4);
  const count = (index: number) => file.getUint32(at + 20 + index * 4);
  return {
    version: digit === 0 ? 1 : digit - 48,
    isUt: count(0),
    isStandard: count(1),
    leaps: count(2),
    transitions: count(3),
    types: count(4),
    characters: count(5),
  };
}

const blockBytes = (counts: Counts, timeBytes: number): number =>
  counts.transitions * (timeBytes + 1) +
  counts.types * 6 +
  counts.characters +
  counts.leaps * (timeBytes + 4) +
  counts.isStandard +
  counts.isUt;

function zeroEnded(file: DataView, at: number, end: number): string {
  let text = '';
  for (let i = at; i < end && file.getUint8(i) !== 0; i++) text += String.fromCharCode(file.getUint8(i));
  return text;
}

function readBlock(file: DataView, at: number, counts: Counts, timeBytes: number): Omit<ZoneTable, 'rule'> {
  const beginsAt = at + counts.transitions * timeBytes;
  const typesAt = beginsAt + counts.transitions;
  const namesAt = typesAt + counts.types * 6;
  const transitions: number[] = [];
  const begins: number[] = [];
  for (let i = 0; i < counts.transitions; i++) {
    const place = at + i * timeBytes;
    transitions.push(timeBytes === 8 ? Number(file.getBigInt64(place)) : file.getInt32(place));
    begins.push(file.getUint8(beginsAt + i));
  }
  const types: ZoneType[] = [];
  for (let place = typesAt; place < namesAt; place += 6) {
    types.push({
      offset: file.getInt32(place),
      isSummer: file.getUint8(place + 4) !== 0,
      abbreviation: zeroEnded(file, namesAt + file.getUint8(place + 5), namesAt + counts.characters),
    });
  }
  return { transitions, begins, types };
}

function readTable(file: DataView): ZoneTable | undefined {
  const counts = readCounts(file, 0);
  if (!counts) return undefined;
  if (counts.version === 1) return { ...readBlock(file, HEADER_BYTES, counts, 4), rule: undefined };
  const secondAt = HEADER_BYTES + blockBytes(counts, 4);
  const second = readCounts(file, secondAt);
  if (!second) return undefined;
  const blockAt = secondAt + HEADER_BYTES;
  const ruleAt = blockAt + blockBytes(second, 8);
  const rule = readZoneRule(zeroEnded(file, ruleAt, file.byteLength).trim());
  return { ...readBlock(file, blockAt, second, 8), rule };
}

/** The type before the first transition: the first if no transition leads to it, otherwise one of winter time. */
function earliestType({ begins, types }: ZoneTable): ZoneType {
  const first = types[0] as ZoneType;
  if (!begins.includes(0)) return first;
  const next = begins[0] as number;
  if (types[next]?.isSummer) {
    const earlier = types.slice(0, next).findLast((type) => !type.isSummer);
    if (earlier) return earlier;
  }
  return types.find((type) => !type.isSummer) ?? first;
}

function lookupIn(table: ZoneTable): ZoneLookup {
  const { transitions, begins, types, rule } = table;
  const earliest = earliestType(table);
  return (unixSeconds) => {
    let low = 0;
    let high = transitions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((transitions[middle] as number) <= unixSeconds) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return rule && transitions.length === 0 ? periodOfRule(rule, unixSeconds) : earliest;
    if (low === transitions.length && rule) return periodOfRule(rule, unixSeconds);
    return types[begins[low - 1] as number] ?? earliest;
  };
}

/** Reads a compiled time zone (RFC 9636, versions 1 to 4); undefined for other bytes. */
export function readZoneFile(bytes: Uint8Array): ZoneLookup | undefined {
  try {
    const table = readTable(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return table && table.types.length > 0 ? lookupIn(table) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
