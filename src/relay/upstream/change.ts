import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { countParts, MAX_HELD, MAX_ITEMS, MAX_PARTS } from '../data-size.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { type FlagData, type FlagStore, ITEM_KINDS, type ItemKind, readFlagData } from '../flag-store.ts';

/** The change of an event of an `/all` stream. */
export type UpstreamChange =
  | { readonly kind: 'put'; readonly data: FlagData }
  | { readonly kind: 'patch'; readonly items: ItemKind; readonly key: string; readonly item: Json }
  | { readonly kind: 'delete'; readonly items: ItemKind; readonly key: string; readonly version: number }
  /** Unknown event or path; LaunchDarkly may add some. */
  | { readonly kind: 'ignored'; readonly what: string };

/** Reads an event of an `/all` stream; refuses invalid ones. A refusal quotes no data. */
export function readUpstreamEvent(event: string, data: string): Outcome<UpstreamChange> {
  if (event !== 'put' && event !== 'patch' && event !== 'delete') return ignored(`event ${JSON.stringify(event)}`);
  // Checked before parsing: millions of empty objects take a hundred times the memory of their text.
  if (data.length > MAX_PARTS && countParts(data) > MAX_PARTS)
    return refused(`the data of a ${event} holds more than ${MAX_PARTS} objects and lists`);
  const message = parse(data);
  if (!isJsonObject(message)) return refused(`the data of a ${event} is not a JSON object`);
  const { path = '' } = message;
  if (typeof path !== 'string') return refused(`the path of a ${event} is not a string`);
  if (event === 'put') return path === '' || path === '/' ? readPut(message.data) : ignored(`put of ${path}`);
  const place = readPath(path);
  if (!place) return ignored(`${event} of ${path}`);
  if (event === 'delete') {
    const { version } = message;
    if (typeof version !== 'number') return refused(`the delete of ${path} has no version`);
    return accepted({ kind: 'delete', ...place, version: Math.trunc(version) });
  }
  if (message.data === undefined) return refused(`the patch of ${path} has no data`);
  return accepted({ kind: 'patch', ...place, item: message.data });
}

/** Applies a change to the store, which refuses invalid items. */
export function applyChange(store: FlagStore, change: UpstreamChange): Outcome<unknown> {
  switch (change.kind) {
    case 'put':
      return store.replace(change.data);
    case 'patch':
      return isFull(store) ? refused(FULL) : store.upsert(change.items, change.key, change.item);
    case 'delete':
      return isFull(store) ? refused(FULL) : accepted(store.remove(change.items, change.key, change.version));
    case 'ignored':
      return accepted(undefined);
  }
}

const FULL = 'the patches since the last put are too large; a new put is requested';

function isFull({ size: { items, parts, chars } }: FlagStore): boolean {
  return items >= MAX_HELD.items || parts >= MAX_HELD.parts || chars >= MAX_HELD.chars;
}

function ignored(what: string): Outcome<UpstreamChange> {
  return accepted({ kind: 'ignored', what });
}

function readPut(data: Json | undefined): Outcome<UpstreamChange> {
  if (data === undefined) return refused('a put has no data');
  const read = readFlagData(data);
  if (!read.ok) return refused(`put: ${read.reason}`);
  const { flags, segments } = read.value;
  if (Object.keys(flags).length + Object.keys(segments).length > MAX_ITEMS)
    return refused(`put: more than ${MAX_ITEMS} flags and segments`);
  return accepted({ kind: 'put', data: read.value });
}

function readPath(path: string): { readonly items: ItemKind; readonly key: string } | undefined {
  for (const items of ITEM_KINDS) {
    const prefix = `/${items}/`;
    if (path.startsWith(prefix) && path.length > prefix.length) return { items, key: path.slice(prefix.length) };
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
