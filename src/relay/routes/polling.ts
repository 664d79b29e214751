import type { HttpContext } from '../../kernel/http/app.ts';
import { matchesTag, weakTag } from '../contract/entity-tag.ts';
import type { ItemKind } from '../flag-store.ts';
import type { Snapshots } from '../streams/snapshot.ts';
import type { Access, EnvironmentHandler } from './access.ts';
import { answerJson, answerUnchanged, refuseSilently } from './answers.ts';

export interface PollingParts {
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** GET /sdk/flags, of the PHP SDK: all flags by key. */
export function readAllFlags(parts: PollingParts): EnvironmentHandler {
  return (c, access) => {
    const { streams, store } = access.environment;
    return answerTagged(c, access, `relay-${store.flagsTag}`, () => streams.snapshots.flags.body, parts);
  };
}

/** GET /sdk/flags/{flagKey} and /sdk/segments/{segmentKey}, of the PHP SDK: one item as it came from upstream. */
export function readItem(kind: ItemKind, parts: PollingParts): EnvironmentHandler {
  return (c, access) => {
    const { store } = access.environment;
    const key = c.req.param(kind === 'flags' ? 'flagKey' : 'segmentKey') ?? '';
    const json = store.json(kind, key);
    if (json === undefined) return refuseSilently(c, 404, access.headers);
    return answerTagged(c, access, `relay-${store.version(kind, key)}`, () => json, parts);
  };
}

/** GET /sdk/latest-all and /sdk/latest-flags, of servers that poll instead of listening. */
export function readLatest(kind: keyof Pick<Snapshots, 'all' | 'flags'>): EnvironmentHandler {
  return (c, { environment, headers }) => {
    const { body, tag } = environment.streams.snapshots[kind];
    const tagged = { ...headers, etag: weakTag(tag) };
    if (matchesTag(c.req.header('if-none-match'), tag)) return answerUnchanged(c, tagged);
    return answerJson(c, body, tagged);
  };
}

function answerTagged(
  c: HttpContext,
  { environment, headers }: Access,
  tag: string,
  body: () => string | Buffer<ArrayBuffer>,
  { now }: PollingParts,
): Response {
  const cached = { ...headers, ...cacheHeaders(environment.options.ttlMs, now()) };
  if (matchesTag(c.req.header('if-none-match'), tag)) return answerUnchanged(c, cached);
  return answerJson(c, body(), { ...cached, etag: weakTag(tag) });
}

function cacheHeaders(ttlMs: number, now: number): Record<string, string> {
  if (ttlMs <= 0) return {};
  return {
    vary: 'Authorization',
    expires: new Date(now + ttlMs).toUTCString(),
    'cache-control': `max-age=${Math.floor(ttlMs / 1000)}`,
  };
}
