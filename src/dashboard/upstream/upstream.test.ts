import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { eventually } from '../../testing/eventually.ts';
import type { SinkAnswer } from '../../testing/http/sink.ts';
import { startTestDashboard, type TestDashboard } from '../testing/app.ts';
import {
  FAKE_TOKEN,
  type FakeUsageUpstream,
  fakeEvents,
  html,
  json,
  startFakeUsageUpstream,
  type Trouble,
} from '../testing/fake-usage-upstream.ts';

// The user's view of an upstream without data, through the whole server.

const TOKENS = { USAGE_SESSION_TOKEN_INFO: FAKE_TOKEN };
/** Waits take no time: the tests check that they happen. */
const hurried = (waits: number[] = []) => ({
  ...systemClock,
  after: (ms: number, action: () => void) => {
    waits.push(ms);
    return systemClock.after(ms > 10_000 ? ms : 0, action);
  },
});

async function start(
  t: TestContext,
  trouble: Trouble = () => undefined,
  waits: number[] = [],
): Promise<{ readonly upstream: FakeUsageUpstream; readonly dashboard: TestDashboard }> {
  const upstream = await startFakeUsageUpstream(t);
  upstream.events = fakeEvents(3);
  upstream.trouble = trouble;
  const dashboard = await startTestDashboard(t, {
    variables: { ...TOKENS, USAGE_UPSTREAM_URL: upstream.url },
    clock: hurried(waits),
  });
  return { upstream, dashboard };
}

interface Case {
  readonly answer: SinkAnswer;
  readonly status: number;
  readonly code: string;
  readonly upstreamStatus?: number;
  readonly hint: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  'a 401': {
    answer: json({}, 401),
    status: 502,
    code: 'upstream_session_expired',
    upstreamStatus: 401,
    hint: /USAGE_SESSION_TOKEN_INFO/,
  },
  'a redirect to a login page': {
    answer: { status: 302, headers: { location: '/login?next=%2Fdashboard' } },
    status: 502,
    code: 'upstream_session_expired',
    upstreamStatus: 302,
    hint: /USAGE_SESSION_TOKEN_INFO/,
  },
  'a login page with status 200': {
    answer: html('<form action="/login"><input type="password"></form>'),
    status: 502,
    code: 'upstream_session_expired',
    upstreamStatus: 200,
    hint: /fresh session cookie/,
  },
  'a bot check with status 200': {
    answer: html('<h1>Just a moment…</h1><script src="/check.js"></script>'),
    status: 502,
    code: 'upstream_challenge',
    upstreamStatus: 200,
    hint: /token may be fine/,
  },
  'a bot check with status 403': {
    answer: html('<h1>Checking your browser</h1>', 403),
    status: 502,
    code: 'upstream_challenge',
    upstreamStatus: 403,
    hint: /CSV/,
  },
  'a 403 in JSON': {
    answer: json({ error: 'Forbidden' }, 403),
    status: 502,
    code: 'upstream_forbidden',
    upstreamStatus: 403,
    hint: /team/,
  },
  'a rate limit': {
    answer: json({}, 429, { 'retry-after': '7' }),
    status: 502,
    code: 'upstream_rate_limited',
    upstreamStatus: 429,
    hint: /in 7s/,
  },
  'a rate limit until a date': {
    answer: json({}, 429, { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT', date: 'Thu, 01 Jan 2026 00:00:00 GMT' }),
    status: 502,
    code: 'upstream_rate_limited',
    upstreamStatus: 429,
    hint: /in 1m30s/,
  },
  'a 500': { answer: json({}, 500), status: 502, code: 'upstream_error', upstreamStatus: 500, hint: /later/ },
  'a page of HTML with status 503': {
    answer: html('down for maintenance', 503),
    status: 502,
    code: 'upstream_error',
    upstreamStatus: 503,
    hint: /later/,
  },
  'a 404': { answer: json({}, 404), status: 502, code: 'upstream_bad_response', upstreamStatus: 404, hint: /URL/ },
  'text that is not JSON': {
    answer: { body: 'ok' },
    status: 502,
    code: 'upstream_bad_response',
    upstreamStatus: 200,
    hint: /USAGE_UPSTREAM_URL/,
  },
  'JSON of another shape': {
    answer: json({ error: 'internal' }),
    status: 502,
    code: 'upstream_bad_response',
    hint: /CSV/,
  },
  'a list that holds no events': {
    answer: json({ usageEventsDisplay: [1, 2] }),
    status: 502,
    code: 'upstream_bad_response',
    hint: /CSV/,
  },
  'a count of events without any': {
    answer: json({ totalUsageEventsCount: 5 }),
    status: 502,
    code: 'upstream_bad_response',
    hint: /CSV/,
  },
  'the same path elsewhere': {
    answer: { status: 308, headers: { location: 'https://www.example.org/api/dashboard/get-filtered-usage-events' } },
    status: 502,
    code: 'upstream_bad_response',
    upstreamStatus: 308,
    hint: /https:\/\/www\.example\.org/,
  },
  'a connection that is cut': {
    answer: 'reset',
    status: 502,
    code: 'upstream_unreachable',
    hint: /network/,
  },
};

for (const [name, expected] of Object.entries(CASES)) {
  test(`section 7, spec 1.1: ${name} reaches the user as ${expected.code}`, async (t) => {
    const { dashboard } = await start(t, () => expected.answer);
    const { status, json: body } = await dashboard.get('/api/events?user=info');
    assert.equal(status, expected.status);
    assert.equal(body.code, expected.code);
    assert.equal(body.upstreamStatus, expected.upstreamStatus);
    assert.match(String(body.hint), expected.hint);
    assert.doesNotMatch(JSON.stringify(body) + dashboard.log(), /eyfaketoken/);
  });
}

test('section 5: the session cookie is sent as it is configured, with Origin and Referer of the site', async (t) => {
  const { upstream, dashboard } = await start(t);
  await dashboard.get('/api/events?user=info');
  await dashboard.get('/api/summary?user=info');
  const [events, summary] = upstream.requests;
  assert.equal(events?.headers.cookie, `UpstreamSessionToken=${FAKE_TOKEN}`);
  assert.equal(events?.headers.origin, upstream.url);
  assert.equal(events?.headers.referer, `${upstream.url}/dashboard?tab=usage`);
  assert.match(events?.headers['user-agent'] ?? '', /^Mozilla\/5\.0 /);
  assert.equal(events?.headers['content-type'], 'application/json');
  assert.equal(summary?.method, 'GET');
  assert.equal(summary?.headers.origin, undefined);
});

test('an upstream that refuses connections is unreachable', async (t) => {
  const closed = createServer();
  const port = await new Promise<number>((resolve) => {
    closed.listen(0, '127.0.0.1', () => resolve((closed.address() as { port: number }).port));
  });
  await new Promise((resolve) => closed.close(resolve));
  const variables = { ...TOKENS, USAGE_UPSTREAM_URL: `http://127.0.0.1:${port}` };
  const dashboard = await startTestDashboard(t, { variables });
  const { status, json: body } = await dashboard.get('/api/summary');
  assert.deepEqual(
    [status, body.code, body.error],
    [502, 'upstream_unreachable', 'upstream cannot be reached: the connection was refused'],
  );
});

test('an upstream that hangs is a 504 after 30 seconds', async (t) => {
  const upstream = await startFakeUsageUpstream(t);
  upstream.trouble = () => 'hang';
  let expire = () => {};
  const clock = {
    ...systemClock,
    after: (ms: number, action: () => void) => {
      if (ms !== 30_000) return systemClock.after(ms, action);
      expire = action;
      return () => {};
    },
  };
  const variables = { ...TOKENS, USAGE_UPSTREAM_URL: upstream.url };
  const dashboard = await startTestDashboard(t, { variables, clock });
  const asked = dashboard.get('/api/events');
  await eventually('the request', () => upstream.pages.length === 1);
  expire();
  const { status, json: body } = await asked;
  assert.deepEqual([status, body.code], [504, 'upstream_timeout']);
  assert.equal(upstream.pages.length, 1);
});

test('a rate limit is tried once more after the time that upstream names', async (t) => {
  const waits: number[] = [];
  const limited = json({}, 429, { 'retry-after': '3' });
  const { upstream, dashboard } = await start(t, (_, index) => (index === 0 ? limited : undefined), waits);
  const { status, json: body } = await dashboard.get('/api/events');
  assert.deepEqual([status, (body.events as unknown[]).length, upstream.pages.length], [200, 3, 2]);
  assert.ok(waits.includes(3000));
});

test('a rate limit of an hour is not waited for', async (t) => {
  const { upstream, dashboard } = await start(t, () => json({}, 429, { 'retry-after': '3600' }));
  const { headers } = await dashboard.client.get('/api/events');
  assert.equal(headers['retry-after'], '3600');
  assert.equal(upstream.pages.length, 1);
});

test('an upstream failure is retried once after a second, and then reported', async (t) => {
  const waits: number[] = [];
  const { upstream, dashboard } = await start(t, () => json({}, 502), waits);
  assert.equal((await dashboard.get('/api/events')).json.code, 'upstream_error');
  assert.equal(upstream.pages.length, 2);
  assert.ok(waits.includes(1000));
});

test('the summary is passed on as upstream sends it', async (t) => {
  const { upstream, dashboard } = await start(t);
  upstream.summary = { membershipType: 'pro', individualUsage: { overall: { used: 17, limit: null } }, isNew: true };
  const { status, json: body } = await dashboard.get('/api/summary?user=info');
  assert.deepEqual([status, body], [200, { user: 'info', summary: upstream.summary }]);
  upstream.summary = { error: 'nothing here' };
  assert.equal((await dashboard.get('/api/summary?user=info')).json.code, 'upstream_bad_response');
});

/** A request that its client may abort, as a browser does. */
function ask(dashboard: TestDashboard, path: string, signal: AbortSignal): Promise<number | 'given up'> {
  return fetch(dashboard.url + path, { signal }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 'given up' as const,
  );
}

test('a client that disconnects aborts its request to upstream', async (t) => {
  const { upstream, dashboard } = await start(t, () => 'hang');
  for (const [nth, method] of (['GET', 'POST'] as const).entries()) {
    const leaving = new AbortController();
    const body = JSON.stringify({ user: 'info', startDate: '2026-03-01' });
    const asked = fetch(`${dashboard.url}/api/events`, {
      method,
      signal: leaving.signal,
      ...(method === 'POST' ? { body, headers: { 'content-type': 'application/json' } } : {}),
    });
    await eventually('the request at upstream', () => upstream.pages.length === nth + 1);
    leaving.abort();
    await assert.rejects(asked);
    await eventually('its end at upstream', () => upstream.abandoned === nth + 1);
  }
});

test('of two clients that wait for the same answer one may disconnect, and the other receives it', async (t) => {
  let answer = (_: SinkAnswer) => {};
  const held = new Promise<SinkAnswer>((resolve) => {
    answer = resolve;
  });
  const { upstream, dashboard } = await start(t, () => held);
  const leaving = new AbortController();
  const staying = ask(dashboard, '/api/events?user=info', new AbortController().signal);
  await eventually('the request at upstream', () => upstream.pages.length === 1);
  const gone = ask(dashboard, '/api/events?user=info', leaving.signal);
  await dashboard.get('/health');
  leaving.abort();
  assert.equal(await gone, 'given up');
  await dashboard.get('/health');
  answer(json({ usageEventsDisplay: fakeEvents(3), totalUsageEventsCount: 3 }));
  assert.equal(await staying, 200);
  assert.deepEqual([upstream.pages.length, upstream.abandoned], [1, 0]);
});

test('without a waiting request there is no next page and no retry', async (t) => {
  let pauses = 0;
  let resume = () => {};
  const upstream = await startFakeUsageUpstream(t);
  upstream.events = fakeEvents(3);
  upstream.trouble = () => ({ status: 503 });
  const clock = {
    ...systemClock,
    after: (ms: number, action: () => void) => {
      if (ms !== 1000) return systemClock.after(ms, action);
      pauses++;
      resume = action;
      return () => {};
    },
  };
  const variables = { ...TOKENS, USAGE_UPSTREAM_URL: upstream.url };
  const dashboard = await startTestDashboard(t, { variables, clock });
  const leaving = new AbortController();
  const asked = ask(dashboard, '/api/events?user=info', leaving.signal);
  await eventually('the pause before the second try', () => pauses === 1);
  leaving.abort();
  assert.equal(await asked, 'given up');
  upstream.trouble = () => undefined;
  assert.equal(await ask(dashboard, '/api/events?user=info', new AbortController().signal), 200);
  resume();
  await dashboard.get('/health');
  assert.equal(upstream.pages.length, 2, 'the first request, and the later one');
});
