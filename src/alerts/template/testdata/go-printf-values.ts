import assert from 'node:assert/strict';
import { SafeText } from '../html-escape/safe-text.ts';
import { loadZone } from '../time/zone/zone.ts';
import { GoInt, GoList, GoMap, GoStruct, GoTime, type GoValue, type GoZone } from '../value.ts';

/** A value as the measured cases write it: an object whose one key says the type in Go. */
export type WrittenValue = Readonly<Record<string, unknown>>;

export type WrittenTime = readonly [seconds: number, nanoseconds: number, zone: string];

export function zoneNamed(name: string): GoZone {
  const zone = loadZone(name);
  if (!zone.ok) throw new Error(zone.reason);
  return zone.value;
}

export const timeFrom = ([seconds, nanoseconds, zone]: WrittenTime): GoTime =>
  new GoTime(seconds, nanoseconds, zoneNamed(zone));

const INTEGERS: Readonly<Record<string, GoInt['type']>> = {
  int64: 'int64',
  int32: 'int32',
  uint8: 'uint8',
  duration: 'time.Duration',
  month: 'time.Month',
  weekday: 'time.Weekday',
};

const PAIR = { name: 'template.Pair', fields: ['Name', 'Value'], json: ['Name', 'Value'] } as const;

function mapFrom(type: GoMap['type'], entries: object, read: (value: unknown) => GoValue): GoMap {
  return new GoMap(type, new Map(Object.entries(entries).map(([key, value]) => [key, read(value)])));
}

function floatFrom(text: string): number {
  return /inf/i.test(text) ? Number(text.replace(/inf/i, 'Infinity')) : Number(text);
}

/** The value that a measured case speaks of. */
export function valueFrom(written: WrittenValue): GoValue {
  const [[type = '', content] = []] = Object.entries(written);
  const integer = INTEGERS[type];
  if (integer) return new GoInt(integer, BigInt(content as string));
  switch (type) {
    case 'int':
      return BigInt(content as string);
    case 'float':
      return floatFrom(content as string);
    case 'nil':
      return undefined;
    case 'html':
    case 'url':
      return new SafeText(type, content as string);
    case 'time':
      return timeFrom(content as WrittenTime);
    case 'zone':
      return zoneNamed(content as string);
    case 'strings':
      return new GoList('[]string', content as string[]);
    case 'names':
      return new GoList('template.Strings', content as string[]);
    case 'list':
      return new GoList(
        '[]interface {}',
        (content as WrittenValue[]).map((item) => valueFrom(item) ?? null),
      );
    case 'kv':
      return mapFrom('template.KV', content as object, String);
    case 'dict':
      return mapFrom('map[string]interface {}', content as object, (value) => valueFrom(value as WrittenValue) ?? null);
    case 'pairs': {
      const map = mapFrom('template.KV', content as object, String);
      return new GoList(
        'template.Pairs',
        map.readingOrder.map((key) => new GoStruct(PAIR, [key, map.valueOf(key)])),
      );
    }
    default:
      return content as string | boolean;
  }
}

/**
 * Fails when what `compare` gives for a case, `[is, must be]`, are not alike; the message shows the first ten of the
 * cases that differ.
 */
export function assertSame<T>(cases: readonly T[], compare: (one: T) => readonly [unknown, unknown]): void {
  assert.notEqual(cases.length, 0);
  const different: string[] = [];
  for (const one of cases) {
    const [is, mustBe] = compare(one).map((side) => JSON.stringify(side));
    if (is !== mustBe) different.push(`${JSON.stringify(one)}\n  is      ${is}\n  must be ${mustBe}`);
  }
  assert.equal(different.length, 0, `${different.length} differ:\n${different.slice(0, 10).join('\n')}`);
}
