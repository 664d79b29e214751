import { type HttpSink, type SinkAnswer, type SinkRequest, startHttpSink } from '../../testing/http/sink.ts';
import type { Cleanup } from '../../testing/processes.ts';

export const FAKE_TOKEN = 'user_01TEST%3A%3Aeyfaketoken.abc';

export interface FakeEvent {
  readonly timestamp: string;
  readonly model: string;
  readonly conversationId: string;
  readonly [field: string]: unknown;
}

/** A request for a page of events. */
export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
  readonly startDate?: string;
  readonly endDate?: string;
}

/** Answers instead of the events, at once or later; undefined: as usual. `index` counts the requests for events, from 0. */
export type Trouble = (request: PageRequest, index: number) => SinkAnswer | Promise<SinkAnswer> | undefined;

export interface FakeUsageUpstream {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** All requests in order of arrival. */
  readonly requests: readonly SinkRequest[];
  /** The bodies of the requests for events. */
  readonly pages: PageRequest[];
  /** Number of requests aborted by the client. */
  readonly abandoned: number;
  /** Newest first. */
  events: readonly FakeEvent[];
  /** Larger pages are cut to this size, as upstream does in the middle. */
  largestPage: number;
  /** Whether the total is sent. */
  tellsTotal: boolean;
  trouble: Trouble;
  summary: unknown;
}

const FIRST_AT = Date.parse('2026-03-01T12:00:00Z');

/** `count` different events, newest first, one per minute. */
export function fakeEvents(count: number, from = 0): FakeEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    timestamp: String(FIRST_AT - (from + i) * 60_000),
    model: 'composer-2.5',
    kind: 'USAGE_EVENT_KIND_USAGE_BASED',
    conversationId: `c-${from + i}`,
    tokenUsage: { inputTokens: 100 + i, outputTokens: 10, totalCents: 1.25 },
    chargedCents: 2.5,
  }));
}

export const html = (body: string, status = 200): SinkAnswer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<!DOCTYPE html><html><body>${body}</body></html>`,
});

export const json = (value: unknown, status = 200, headers: Record<string, string> = {}): SinkAnswer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});

/** Upstream's answer to an invalid request; checked on every request, as upstream does. */
function refuseManners(request: SinkRequest, origin: string): SinkAnswer | undefined {
  if (request.headers.cookie !== `UpstreamSessionToken=${FAKE_TOKEN}`) return json({ error: 'not authenticated' }, 401);
  if (request.method === 'POST' && request.headers.origin !== origin)
    return json({ error: 'Invalid origin for state-changing request' }, 403);
  if (request.headers.referer !== `${origin}/dashboard?tab=usage`) return json({ error: 'Forbidden' }, 403);
  return undefined;
}

/** A fake usage API on a free port: pages of events, a summary, and faults on demand. */
export async function startFakeUsageUpstream(t: Cleanup): Promise<FakeUsageUpstream> {
  const pages: PageRequest[] = [];
  let origin = '';
  const answer = (request: SinkRequest): SinkAnswer | Promise<SinkAnswer> => {
    const refused = refuseManners(request, origin);
    if (refused) return refused;
    if (request.method === 'GET' && request.path === '/api/usage-summary') return json(upstream.summary);
    if (request.method !== 'POST' || request.path !== '/api/dashboard/get-filtered-usage-events') return json({}, 404);
    const asked = request.json as PageRequest;
    pages.push(asked);
    return upstream.trouble(asked, pages.length - 1) ?? answerPage(upstream, asked);
  };
  const sink: HttpSink = await startHttpSink(t, answer);
  origin = sink.url;
  const upstream: FakeUsageUpstream = {
    url: sink.url,
    requests: sink.requests,
    pages,
    get abandoned() {
      return sink.abandoned;
    },
    events: [],
    largestPage: Number.POSITIVE_INFINITY,
    tellsTotal: true,
    trouble: () => undefined,
    summary: { membershipType: 'pro', individualUsage: { plan: { used: 3097, limit: 7000 } } },
  };
  return upstream;
}

/** The page as upstream would answer it now. */
export function answerPage(
  upstream: FakeUsageUpstream,
  { page, pageSize, startDate, endDate }: PageRequest,
): SinkAnswer {
  const inRange = upstream.events.filter(
    ({ timestamp }) => Number(timestamp) >= Number(startDate ?? 0) && Number(timestamp) <= Number(endDate ?? Infinity),
  );
  const size = Math.min(pageSize, upstream.largestPage);
  const shown = inRange.slice((page - 1) * size, page * size);
  const total = upstream.tellsTotal ? { totalUsageEventsCount: inRange.length } : {};
  return json(shown.length === 0 ? total : { ...total, usageEventsDisplay: shown });
}
