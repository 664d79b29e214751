import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { MAX_HELD, MAX_ITEMS } from '../data-size.ts';
import type { Json } from '../domain/json.ts';
import { type FlagData, type FlagStore, ITEM_KINDS, type ItemKind, readFlagData } from '../flag-store.ts';
import { readStreamMessage, type StreamMessage } from './message.ts';

/** The change of an event of an `/all` stream. */
export type UpstreamChange =
  | { readonly kind: 'put'; readonly data: FlagData }
  | Exclude<StreamMessage<ItemKind>, { readonly kind: 'put' }>;

/** Reads an event of an `/all` stream; refuses invalid ones. A refusal quotes no data. */
export function readUpstreamEvent(event: string, data: string): Outcome<UpstreamChange> {
  const read = readStreamMessage(event, data, ITEM_KINDS);
  if (!read.ok) return read;
  const message = read.value;
  if (message.kind === 'put') return readPut(message.data);
  return accepted(message.kind === 'delete' ? { ...message, version: Math.trunc(message.version) } : message);
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

function readPut(data: Json | undefined): Outcome<UpstreamChange> {
  if (data === undefined) return refused('a put has no data');
  const read = readFlagData(data);
  if (!read.ok) return refused(`put: ${read.reason}`);
  const { flags, segments } = read.value;
  if (Object.keys(flags).length + Object.keys(segments).length > MAX_ITEMS)
    return refused(`put: more than ${MAX_ITEMS} flags and segments`);
  return accepted({ kind: 'put', data: read.value });
}
