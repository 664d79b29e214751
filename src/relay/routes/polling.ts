import type { HttpContext } from '../../kernel/http/app.ts';
import { matchesTag, weakTag } from '../contract/entity-tag.ts';
import type { ItemKind } from '../flag-store.ts';
import type { Snapshots } from '../streams/snapshot.ts';
import { type Access, type AccessParts, type EnvironmentHandler, sdkPaths } from './access.ts';
import { answerJson, answerUnchanged, refuseSilently } from './answers.ts';
import type { Paths } from './index.ts';

export interface PollingRouteParts extends AccessParts {
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Flags and segments: for the PHP SDK, and for servers that poll instead of streaming. */
export function pollingPaths(parts: PollingRouteParts): Paths {
  return sdkPaths(parts, 'server', 'data', {
    '/sdk/flags': { GET: readAllFlags(parts) },
    '/sdk/flags/:flagKey': { GET: readItem('flags', parts) },
    '/sdk/segments/:segmentKey': { GET: readItem('segments', parts) },
    '/sdk/latest-all': { GET: readLatest('all') },
    '/sdk/latest-flags': { GET: readLatest('flags') },
    '/sdk/poll': { GET: readTransfer },
  });
}

/** All flags by key. */
function readAllFlags(parts: PollingRouteParts): EnvironmentHandler {
  return (c, access) => {
    const { streams, store } = access.environment;
    return answerTagged(c, access, `relay-${store.flagsTag}`, () => streams.snapshots.flags.body, parts);
  };
}

/** One item as received from upstream. */
function readItem(kind: ItemKind, parts: PollingRouteParts): EnvironmentHandler {
  return (c, access) => {
    const { store } = access.environment;
    const key = c.req.param(kind === 'flags' ? 'flagKey' : 'segmentKey') ?? '';
    const json = store.json(kind, key);
    if (json === undefined) return refuseSilently(c, 404, access.headers);
    return answerTagged(c, access, `relay-${store.version(kind, key)}`, () => json, parts);
  };
}

function readLatest(kind: keyof Pick<Snapshots, 'all' | 'flags'>): EnvironmentHandler {
  return (c, { environment, headers }) => {
    const { body, tag } = environment.streams.snapshots[kind];
    const tagged = { ...headers, etag: weakTag(tag) };
    if (matchesTag(c.req.header('if-none-match'), tag)) return answerUnchanged(c, tagged);
    return answerJson(c, body, tagged);
  };
}

/** Version 2 of flag delivery: what is new since the revision that the client has. */
const readTransfer: EnvironmentHandler = (c, { environment, headers }) => {
  const { revision, streams } = environment;
  const tagged = { ...headers, etag: weakTag(revision) };
  if (matchesTag(c.req.header('if-none-match'), revision)) return answerUnchanged(c, tagged);
  return answerJson(c, streams.transfers.to(c.req.query('basis') || undefined).body, tagged);
};

function answerTagged(
  c: HttpContext,
  { environment, headers }: Access,
  tag: string,
  body: () => string | Buffer<ArrayBuffer>,
  { now }: PollingRouteParts,
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
