import type { Method } from './callable.ts';
import { sortedPairs } from './data-value.ts';
import { GoList, GoMap, GoStruct, type GoValue } from './value.ts';

function alertsOf(status: string): Method<GoList> {
  return {
    parameters: [],
    call: ({ items }) =>
      new GoList(
        '[]template.Alert',
        items.filter((alert) => alert instanceof GoStruct && alert.values[0] === status),
      ),
  };
}

function column(index: number): Method<GoList> {
  return {
    parameters: [],
    call: ({ items }) =>
      new GoList(
        'template.Strings',
        items.map((pair) => (pair instanceof GoStruct ? pair.values[index] : '')),
      ),
  };
}

function without(map: GoMap, names: GoValue): GoMap {
  const entries = new Map(map.entries);
  if (names instanceof GoList) for (const name of names.items) entries.delete(String(name));
  return new GoMap('template.KV', entries);
}

const text: Method<GoList | GoMap> = { parameters: [], call: (receiver) => receiver.goString() };

export const ALERTS_METHODS: ReadonlyMap<string, Method<GoList>> = new Map([
  ['Firing', alertsOf('firing')],
  ['Resolved', alertsOf('resolved')],
]);

export const PAIRS_METHODS: ReadonlyMap<string, Method<GoList>> = new Map([
  ['Names', column(0)],
  ['Values', column(1)],
  ['String', text],
]);

export const STRINGS_METHODS: ReadonlyMap<string, Method<GoList>> = new Map([
  ['Join', { parameters: ['string'], call: ({ items }, [separator]) => items.join(String(separator)) }],
]);

export const KEY_VALUE_METHODS: ReadonlyMap<string, Method<GoMap>> = new Map<string, Method<GoMap>>([
  ['SortedPairs', { parameters: [], call: sortedPairs }],
  ['Remove', { parameters: ['[]string'], call: (map, [names]) => without(map, names) }],
  ['Names', { parameters: [], call: (map) => new GoList('template.Strings', map.readingOrder) }],
  [
    'Values',
    {
      parameters: [],
      call: (map) =>
        new GoList(
          'template.Strings',
          map.readingOrder.map((name) => map.entries.get(name)),
        ),
    },
  ],
  ['String', text],
]);
