import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { HttpClient } from '../../kernel/http-client/http-client.ts';
import type { DashboardUser } from '../config/config.ts';
import {
  FAKE_TOKEN,
  type FakeUsageUpstream,
  fakeEvents,
  json,
  startFakeUsageUpstream,
} from '../testing/fake-usage-upstream.ts';
import { type EventRange, type EventSourceOptions, type FetchedEvents, UpstreamEvents } from './events.ts';
import { Upstream } from './upstream.ts';

const USER: DashboardUser = {
  id: 'info',
  color: '',
  emails: [],
  token: FAKE_TOKEN,
  tokenVariable: 'USAGE_SESSION_TOKEN_INFO',
  isAgent: false,
};
const ALL: EventRange = { startAt: undefined, endAt: undefined };
const DAY = 86_400_000;

interface Setup {
  readonly upstream: FakeUsageUpstream;
  fetch(range?: EventRange): Promise<FetchedEvents>;
}

async function start(
  t: TestContext,
  count: number,
  options: Partial<Omit<EventSourceOptions, 'upstream'>> = {},
): Promise<Setup> {
  const upstream = await startFakeUsageUpstream(t);
  upstream.events = fakeEvents(count);
  const http = new HttpClient();
  t.after(() => http.close());
  const asked = new Upstream({ url: upstream.url, cookieName: 'UpstreamSessionToken', http, clock: systemClock });
  const events = new UpstreamEvents({ upstream: asked, now: () => Date.now(), pageSize: 10, ...options });
  return { upstream, fetch: (range = ALL) => events.fetch(USER, range) };
}

const idsOf = ({ events }: FetchedEvents) =>
  events.map((event) => (JSON.parse(event) as { conversationId: string }).conversationId);
const expectedIds = (count: number) => fakeEvents(count).map(({ conversationId }) => conversationId);

test('pages of 1000 are requested by number, with times as texts of milliseconds', async (t) => {
  const { upstream, fetch } = await start(t, 3, { pageSize: 1000 });
  const { events } = await fetch({ startAt: 1_700_000_000_000, endAt: 1_790_000_000_000 });
  assert.equal(events.length, 3);
  assert.deepEqual(upstream.pages, [
    { teamId: 0, startDate: '1700000000000', endDate: '1790000000000', page: 1, pageSize: 1000 },
  ]);
});

test('all pages are read until the total is reached', async (t) => {
  const { upstream, fetch } = await start(t, 25);
  const fetched = await fetch();
  assert.deepEqual(idsOf(fetched), expectedIds(25));
  assert.deepEqual([fetched.totalUsageEventsCount, fetched.truncated, upstream.pages.length], [25, false, 3]);
});

test('a short page in the middle is not the end', async (t) => {
  const { upstream, fetch } = await start(t, 25);
  upstream.largestPage = 7;
  assert.deepEqual(idsOf(await fetch()), expectedIds(25));
  assert.equal(upstream.pages.length, 4);
});

test('without a total a short page is the end', async (t) => {
  const { upstream, fetch } = await start(t, 25);
  upstream.tellsTotal = false;
  assert.equal((await fetch()).events.length, 25);
  assert.equal(upstream.pages.length, 3);
});

test('no event at all is an empty object, and no failure', async (t) => {
  const { upstream, fetch } = await start(t, 0);
  upstream.tellsTotal = false;
  assert.deepEqual(await fetch(), { events: [], totalUsageEventsCount: 0, truncated: false });
});

test('an upstream that repeats its first page for ever is noticed, and the answer reports that there is more', async (t) => {
  const { upstream, fetch } = await start(t, 40);
  upstream.trouble = () => json({ totalUsageEventsCount: 40, usageEventsDisplay: fakeEvents(10) });
  const fetched = await fetch();
  assert.deepEqual([fetched.events.length, fetched.truncated, upstream.pages.length], [10, true, 2]);
});

test('events that arrive while pages are read shift the others, and no event occurs twice', async (t) => {
  const { upstream, fetch } = await start(t, 20);
  upstream.trouble = (_, index) => {
    if (index === 1)
      upstream.events = [{ timestamp: '1790000000000', model: 'auto', conversationId: 'new' }, ...upstream.events];
    return undefined;
  };
  const fetched = await fetch();
  assert.deepEqual(idsOf(fetched), expectedIds(20));
  assert.deepEqual([fetched.truncated, fetched.totalUsageEventsCount], [false, 21]);
});

test('two equal events of one page are both kept', async (t) => {
  const { upstream, fetch } = await start(t, 0);
  upstream.events = [...fakeEvents(1), ...fakeEvents(1)];
  assert.equal((await fetch()).events.length, 2);
});

test('beyond the limit of events or pages the answer is cut and marked as such', async (t) => {
  const byEvents = await start(t, 45, { maxEvents: 20 });
  const few = await byEvents.fetch();
  assert.deepEqual([few.events.length, few.truncated, few.totalUsageEventsCount], [20, true, 45]);
  const byPages = await start(t, 45, { maxPages: 3 });
  const three = await byPages.fetch();
  assert.deepEqual([three.events.length, three.truncated, byPages.upstream.pages.length], [30, true, 3]);
});

test('a failure on a later page fails the whole, and the earlier pages are available', async (t) => {
  const { upstream, fetch } = await start(t, 45);
  upstream.trouble = ({ page }) => (page === 3 ? json({}, 401) : undefined);
  const fetched = await fetch();
  assert.equal(fetched.failure?.code, 'upstream_session_expired');
  assert.equal(fetched.events.length, 20);
});

test('a range that upstream finds too long is read month by month, newest first, without gap or overlap', async (t) => {
  const { upstream, fetch } = await start(t, 0);
  const endAt = Date.parse('2026-05-20T00:00:00Z');
  const startAt = endAt - 100 * DAY;
  upstream.events = [0, 31, 31.5, 62, 93, 100].map((days, i) => ({
    timestamp: String(endAt - days * DAY),
    model: 'auto',
    conversationId: `w-${i}`,
  }));
  upstream.trouble = (asked) =>
    Number(asked.endDate) - Number(asked.startDate) > 31 * DAY ? json({ error: 'too long' }, 400) : undefined;
  const fetched = await fetch({ startAt, endAt });
  assert.deepEqual(idsOf(fetched), ['w-0', 'w-1', 'w-2', 'w-3', 'w-4', 'w-5']);
  assert.equal(fetched.failure, undefined);
  const windows = upstream.pages.slice(1).map((page) => [Number(page.startDate), Number(page.endDate)] as const);
  assert.equal(windows.length, 4);
  assert.deepEqual([windows[0]?.[1], windows.at(-1)?.[0]], [endAt, startAt]);
  for (const [i, [from]] of windows.entries()) assert.ok(i === 3 || windows[i + 1]?.[1] === from - 1);
});

test('a 400 for a short range is a failure', async (t) => {
  const { upstream, fetch } = await start(t, 5);
  upstream.trouble = () => json({ error: 'no' }, 400);
  const { failure } = await fetch({ startAt: 1_790_000_000_000 - DAY, endAt: 1_790_000_000_000 });
  assert.equal(failure?.code, 'upstream_bad_response');
  assert.equal(upstream.pages.length, 1);
});

test('after five minutes the whole fetch is given up', async (t) => {
  let now = 1_790_000_000_000;
  const { upstream, fetch } = await start(t, 45, { now: () => now });
  now = Date.now() - 299_000_000;
  assert.equal((await fetch()).failure?.code, 'upstream_timeout');
  assert.equal(upstream.pages.length, 0);
});
