import type { CountRange, PageState, TimeRange } from './state.ts';
import {
  COST_BASES,
  clampCount,
  GRANULARITIES,
  MAX_MODES,
  NO_FILTERS,
  parseDollars,
  SOURCES,
  TOP_MODELS,
} from './state.ts';

const WALL_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?$/;
const MAX_HOURS = 24 * 3660;

/** The state as the fragment of an address; some defaults are left out. */
export function formatHash(state: PageState): string {
  const { filters } = state;
  const entries: (readonly [string, string])[] = [
    ['source', state.source],
    ['user', state.user],
    ['in', state.project],
    ['range', state.mode === 'time' ? formatTime(state.time) : formatCount(state.count)],
    ['by', state.granularity],
    ['basis', state.basis === 'reported' ? '' : state.basis],
    ['tz', state.zone],
    ['compare', state.compare ? '1' : ''],
    ['top', state.topModels === 5 ? '' : String(state.topModels)],
    ['project', filters.project],
    ['min', filters.minCost],
    ['max', filters.maxMode === 'all' ? '' : filters.maxMode],
    ['model', filters.model],
    ['kind', filters.kind],
    ['page', state.page === 1 ? '' : String(state.page)],
  ];
  const pairs = entries.filter(([, value]) => value !== '').map(([name, value]) => `${name}=${encode(value)}`);
  return `#${pairs.join('&')}`;
}

/** Encodes only what is necessary, for readable addresses. */
const encode = (value: string) =>
  encodeURIComponent(value).replace(/%(?:2F|3A|2C|20)/g, (code) => READABLE[code] ?? code);
const READABLE: Readonly<Record<string, string>> = { '%2F': '/', '%3A': ':', '%2C': ',', '%20': '+' };

/**
 * The state of an address. Missing and invalid values come from `stored`, except filters and page if the address has
 * any value.
 */
export function parseHash(hash: string, stored: PageState): PageState {
  const text = hash.replace(/^#/, '');
  if (text === '') return stored;
  const values = new URLSearchParams(text);
  const oneOf = <Value extends string>(name: string, list: readonly Value[], otherwise: Value): Value =>
    list.find((value) => value === values.get(name)) ?? otherwise;
  const range = parseRange(values.get('range') ?? '', stored);
  const page = Number(values.get('page') ?? 1);
  const minCost = values.get('min') ?? '';
  return {
    source: oneOf('source', SOURCES, stored.source),
    user: values.get('user') || stored.user,
    project: values.get('in') ?? '',
    ...range,
    granularity: oneOf('by', GRANULARITIES, stored.granularity),
    basis: values.has('basis') || values.has('range') ? oneOf('basis', COST_BASES, 'reported') : stored.basis,
    zone: zoneOr(values.get('tz'), values.has('range') ? '' : stored.zone),
    compare: values.get('compare') === '1',
    topModels:
      TOP_MODELS.find((count) => String(count) === values.get('top')) ?? (values.has('range') ? 5 : stored.topModels),
    filters: {
      ...NO_FILTERS,
      project: values.get('project') ?? '',
      minCost: parseDollars(minCost) === undefined ? '' : minCost,
      maxMode: oneOf('max', MAX_MODES, 'all'),
      model: values.get('model') ?? '',
      kind: values.get('kind') ?? '',
    },
    page: Number.isInteger(page) && page >= 1 ? page : 1,
  };
}

function formatTime(time: TimeRange): string {
  if (time.mode === 'hours') return `${time.hours}h`;
  return time.mode === 'all' ? 'all' : `${time.customFrom}..${time.customTo}`;
}

function formatCount(count: CountRange): string {
  if (count.mode === 'latest') return `latest-${count.count}`;
  return count.mode === 'all' ? 'requests' : `rank-${count.from}-${count.to}`;
}

function parseRange(text: string, stored: PageState): Pick<PageState, 'mode' | 'time' | 'count'> {
  const time = parseTime(text, stored.time);
  if (time) return { mode: 'time', time, count: stored.count };
  const count = parseCount(text, stored.count);
  if (count) return { mode: 'count', time: stored.time, count };
  return { mode: stored.mode, time: stored.time, count: stored.count };
}

function parseTime(text: string, stored: TimeRange): TimeRange | undefined {
  if (text === 'all') return { ...stored, mode: 'all' };
  const hours = /^(\d{1,5})h$/.exec(text);
  if (hours) {
    const wanted = Number(hours[1]);
    return wanted >= 1 && wanted <= MAX_HOURS ? { ...stored, mode: 'hours', hours: wanted } : undefined;
  }
  const [from = '', to = '', ...rest] = text.split('..');
  if (rest.length > 0 || !WALL_TIME.test(from) || !WALL_TIME.test(to)) return undefined;
  return { ...stored, mode: 'custom', customFrom: from, customTo: to };
}

function parseCount(text: string, stored: CountRange): CountRange | undefined {
  if (text === 'requests') return { ...stored, mode: 'all' };
  const latest = /^latest-(\d{1,6})$/.exec(text);
  if (latest) return { ...stored, mode: 'latest', count: clampCount(Number(latest[1])) ?? stored.count };
  const rank = /^rank-(\d{1,9})-(\d{1,9})$/.exec(text);
  if (!rank) return undefined;
  const [from, to] = [Math.max(1, Number(rank[1])), Math.max(1, Number(rank[2]))];
  return { ...stored, mode: 'rank', from: Math.min(from, to), to: Math.max(from, to) };
}

/** A time zone that this runtime knows. */
export function zoneOr(zone: string | null, otherwise: string): string {
  if (!zone) return otherwise;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return zone;
  } catch {
    return otherwise;
  }
}
