// Live data in the browser: the three sources, the requests, and every fault of upstream.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { startTestDashboard } from '../../../src/dashboard/testing/app.ts';
import {
  browserTest,
  CSV_HEADER,
  choose,
  dollars,
  hashIs,
  kpiIs,
  requestsAre,
  serveDashboard,
  storedValue,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import {
  answerPage,
  FAKE_TOKEN,
  type FakeEvent,
  type FakeUsageUpstream,
  html,
  json,
  startFakeUsageUpstream,
} from '../../../src/dashboard/testing/fake-usage-upstream.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { findBarriers } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';
import { openPrefixProxy } from '../../../src/testing/http/proxy.ts';
import type { SinkAnswer } from '../../../src/testing/http/sink.ts';

const MINUTE_MS = 60_000;
const STARTED_AT = Date.now();

/** Live events, newest first, one a minute, each of 110 tokens and 3 cents. */
function liveEvents(count: number, name = 'c', laterMs = 0): FakeEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    timestamp: String(STARTED_AT - (index + 1) * MINUTE_MS + laterMs),
    model: 'composer-2.5',
    kind: 'USAGE_EVENT_KIND_USAGE_BASED',
    conversationId: `${name}-${index}`,
    tokenUsage: { inputTokens: 100, outputTokens: 10, totalCents: 1.25 },
    chargedCents: 3,
  }));
}

const HOUR_MS = 60 * MINUTE_MS;
/** An event this many hours ago, in the previous period. */
const earlier = (hours: number): FakeEvent[] => liveEvents(1, 'earlier', -hours * HOUR_MS);

/** Waits until the background data have arrived: the period before shows in the figures, if it holds an event. */
const unaskedIsThere = (page: Page): Promise<void> => page.locator('[data-kpi="requests"] .change').waitFor();

/** The same events as a CSV says them, from the newest but `skip`, each of 50 cents. */
function csvOfLive(skip: number, count: number): string {
  const rows = liveEvents(skip + count)
    .slice(skip)
    .map(
      ({ timestamp }) =>
        `"${new Date(Number(timestamp)).toISOString()}","On-Demand","composer-2.5","No","0","100","0","10","110","$0.50"`,
    );
  return `${CSV_HEADER}\n${rows.join('\n')}\n`;
}

const notice = (page: Page) => page.locator('[data-notice="live"]');
const refresh = (page: Page) => page.getByRole('button', { name: 'Refresh live data' }).click();
const now = 'real';

browserTest('live data on the analytics page', async (t, browser, check) => {
  const serve = (upstream: FakeUsageUpstream, files: Record<string, string> = {}, env: Record<string, string> = {}) =>
    serveDashboard(t, {
      files,
      env: { USAGE_SESSION_TOKEN_INFO: FAKE_TOKEN, USAGE_EVENTS_CACHE_TTL: '0', ...env },
      args: ['--upstream-url', upstream.url],
    });

  check('rule A.1: CSV, live, and both: of an event in both, the CSV’s version counts', async (t) => {
    const upstream = await startFakeUsageUpstream(t);
    upstream.events = liveEvents(40);
    upstream.largestPage = 15;
    const server = await serve(
      upstream,
      { 'data/usage-events-info.csv': csvOfLive(30, 30) },
      { USAGE_SESSION_TOKEN_SLOPE: 'old%3A%3Atoken' },
    );
    const page = await visit(t, browser, server.page, { now });
    await requestsAre(page, 30);
    assert.equal(upstream.pages.length, 0, 'nobody asked for live data');

    await t.test('without live data yet: failures are shown in red, CSV data stay, users fail one by one', async () => {
      upstream.trouble = () => html('just a moment');
      await choose(page, 'Source', 'Both');
      const alert = page.getByRole('alert').filter({ hasText: 'info, slope: the upstream site asks for a bot check' });
      await alert.getByText('CSV data stay as they are.').waitFor();
      await requestsAre(page, 30);
      await alert.locator('summary').click();
      await alert
        .locator('li', { hasText: 'slope · upstream_session_expired' })
        .getByText('USAGE_SESSION_TOKEN_SLOPE')
        .waitFor();
      upstream.trouble = () => undefined;
      await alert.getByRole('button', { name: 'Try again' }).click();
      await notice(page).and(page.locator('[data-tone="warn"]')).getByText('slope: session expired').waitFor();
    });

    await requestsAre(page, 60);
    await kpiIs(page, 'total-cost', dollars(30 * 3 + 30 * 50));
    await page.locator('.status-line', { hasText: '10 duplicates removed' }).waitFor();
    await hashIs(page, /source=merge/);
    await choose(page, 'Source', 'Live');
    await requestsAre(page, 40);
    await kpiIs(page, 'total-cost', dollars(40 * 3));
    await choose(page, 'Source', 'CSV');
    await kpiIs(page, 'total-cost', dollars(30 * 50));
  });

  check('behind a proxy that shows it under a path, live data use the path too', async (t) => {
    const upstream = await startFakeUsageUpstream(t);
    upstream.events = [...liveEvents(40), ...earlier(240)];
    let asked = 0;
    upstream.trouble = () => (++asked > 1 ? 'hang' : undefined);
    const server = await serve(upstream);
    const proxy = await openPrefixProxy(t, server.url, '/team/usage');
    const page = await visit(t, browser, proxy.url, { now });
    // The first page has no scripts.
    await page.getByRole('link', { name: 'Theme: as the system' }).click();
    await page.getByRole('link', { name: 'Theme: light' }).click();
    await page.getByRole('link', { name: 'DE', exact: true }).click();
    await page.getByRole('heading', { name: 'Nutzungsübersicht' }).waitFor();
    await page.locator('html[data-theme=dark]').waitFor();
    assert.deepEqual(await findBarriers(page), []);
    await page.getByRole('link', { name: 'EN', exact: true }).click();
    await page.getByRole('link', { name: /Open analytics/ }).click();
    await page.locator('html[data-theme=dark]').waitFor();
    await choose(page, 'Source', 'Live');
    await requestsAre(page, 40);
    assert.equal(new URL(page.url()).pathname, '/team/usage/analytics');

    await t.test('a refresh does not wait for background requests', async () => {
      await eventually('something is fetched unasked', () => asked > 1);
      upstream.trouble = () => undefined;
      upstream.events = [...liveEvents(2, 'new', 30_000), ...upstream.events];
      await refresh(page);
      await requestsAre(page, 42);
    });

    await t.test(
      'rule A.12 and A.3: live data last five minutes, refresh overlaps, and requests drop them',
      async () => {
        await choose(page, 'Period', 'last 7 days');
        await unaskedIsThere(page);
        assert.ok(upstream.pages.length >= 2, 'the month and the period before');
        await choose(page, 'Period', 'last hour');
        await page.locator('.resolved', { hasText: /^1 h to/ }).waitFor();
        await page.locator('.progress').waitFor({ state: 'hidden' });
        const before = upstream.pages.length;
        await refresh(page);
        await eventually('the refresh', () => upstream.pages.length > before);
        const { startDate, endDate } = upstream.pages.at(-1) ?? {};
        assert.equal(endDate, undefined, 'up to now');
        const newest = Number(upstream.events[0]?.timestamp);
        assert.equal(Number(startDate), Math.floor((newest - 5 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS);
        assert.equal(upstream.pages.length, before + 1, 'the shorter period needed no further request');
        await choose(page, 'Select by', 'Requests');
        await requestsAre(page, 43);
        await page.locator('.progress').waitFor({ state: 'hidden' });
        const counted = upstream.pages.length;
        await choose(page, 'Select by', 'Period');
        await eventually('a fetch of everything', () => upstream.pages.length > counted);
        await requestsAre(page, 42);
      },
    );

    await t.test('every failure of upstream is shown, the data stay, and a later try updates them', async () => {
      const troubles: readonly [SinkAnswer, code: string, words: string, hint: string][] = [
        [json({}, 401), 'session_expired', 'session expired', 'USAGE_SESSION_TOKEN_INFO'],
        [html('Checking your browser', 403), 'challenge', 'asks for a bot check', 'The token may be fine.'],
        [
          html('<form action="/login">Sign in</form>'),
          'session_expired',
          'session expired',
          'USAGE_SESSION_TOKEN_INFO',
        ],
        [json({ error: 'no' }, 403), 'forbidden', 'refuses the request', 'the right team'],
        [
          { status: 302, headers: { location: '/login' } },
          'session_expired',
          'session expired',
          'fresh session cookie',
        ],
        [json({}, 429, { 'retry-after': '90' }), 'rate_limited', 'too many requests', 'Try again in 1m30s.'],
        [{ status: 503 }, 'error', 'upstream site failed', 'The fault is upstream.'],
        [json({ events: 1 }), 'bad_response', 'something unexpected', 'load a CSV export'],
        ['reset', 'unreachable', 'cannot be reached', 'USAGE_UPSTREAM_URL'],
      ];
      // No two of a kind in a row: each has to replace the one before.
      for (const [answer, code, words, hint] of troubles) {
        upstream.trouble = () => answer;
        await refresh(page);
        await notice(page)
          .locator('li', { hasText: `info · upstream_${code} · ` })
          .waitFor({ state: 'attached' });
        await notice(page)
          .getByText(/^Showing live data from .*\./)
          .waitFor();
        await notice(page).locator('summary').click();
        for (const text of [words, hint]) await notice(page).locator('li', { hasText: text }).waitFor();
        assert.equal((await notice(page).textContent())?.includes('eyfaketoken'), false, 'no token is shown');
        await requestsAre(page, 42);
      }
      upstream.trouble = () => undefined;
      await notice(page).getByRole('button', { name: 'Try again' }).click();
      await notice(page).waitFor({ state: 'detached' });
    });

    await t.test('offline, the page keeps its data, keeps a new marker, and catches up', async () => {
      await eventually('the markers to be in step', () => storedValue(page, 'usage-markers-synced'));
      await page.context().setOffline(true);
      await refresh(page);
      await notice(page).getByText('the opsdeck server does not answer').first().waitFor();
      await page.keyboard.press('m');
      await page.getByRole('dialog', { name: 'New marker' }).getByLabel('Project').fill('on the train');
      await page.keyboard.press('Enter');
      await page.getByText('Markers are kept in this browser only.').waitFor();
      await choose(page, 'Granularity', 'Week');
      await requestsAre(page, 42);
      await page.context().setOffline(false);
      await notice(page).getByRole('button', { name: 'Try again' }).click();
      await notice(page).waitFor({ state: 'detached' });
      await page.locator('[data-notice="sync"]').getByRole('button', { name: 'Try again' }).click();
      await page.getByText('Markers are kept in this browser only.').waitFor({ state: 'detached' });
      const stored = await (await fetch(`${server.url}/api/markers`)).text();
      assert.match(stored, /on the train/);
    });

    await t.test('one that hangs is waited for until the person aborts it, in either language', async () => {
      let answer = (_: SinkAnswer) => {};
      upstream.trouble = () =>
        new Promise((resolve) => {
          answer = resolve;
        });
      await refresh(page);
      await page.getByText('Fetching live data of info …').waitFor();
      await page.getByLabel('Language').selectOption('de');
      await page.getByText('Live-Daten von info werden geholt …').waitFor();
      const { abandoned } = upstream;
      await page.locator('.progress').getByRole('button', { name: 'Abbrechen' }).click();
      await page.locator('.progress').waitFor({ state: 'hidden' });
      await eventually('the end of the request at upstream', () => upstream.abandoned === abandoned + 1);
      assert.equal(await notice(page).count(), 0, 'an aborted request has not failed');
      // The answer still arrives, with more in it.
      upstream.events = [...liveEvents(2, 'newer', 45_000), ...upstream.events];
      answer(answerPage(upstream, { page: 1, pageSize: 1000 }));
      upstream.trouble = () => undefined;
      await choose(page, 'Auflösung', 'Tag');
      await hashIs(page, /by=day/);
      await requestsAre(page, 42);
      await page.getByRole('button', { name: 'Live-Daten aktualisieren' }).click();
      await requestsAre(page, 44);
    });

    assert.deepEqual(proxy.strays, []);
  });

  check('§1: a request of more than thirty seconds has failed, and the page shows it', async (t) => {
    const upstream = await startFakeUsageUpstream(t);
    upstream.events = liveEvents(30);
    upstream.largestPage = 8;
    upstream.trouble = () => 'hang';
    let isHanging = true;
    const dashboard = await startTestDashboard(t, {
      variables: {
        USAGE_SESSION_TOKEN_INFO: FAKE_TOKEN,
        USAGE_UPSTREAM_URL: upstream.url,
        USAGE_EVENTS_CACHE_TTL: '0',
      },
      // Thirty seconds take one, as long as nothing answers anyway.
      clock: {
        ...systemClock,
        after: (ms, action) => systemClock.after(isHanging && ms > 20_000 ? 1_000 : ms, action),
      },
    });
    const page = await visit(t, browser, `${dashboard.url}/analytics#source=live&range=24h`, { now });
    const alert = page.getByRole('alert').filter({ hasText: 'info: the upstream site takes too long' });
    await alert.getByText('Try again, or ask for a shorter period.').first().waitFor();
    await alert.locator('summary').click();
    await alert.locator('li', { hasText: 'info · upstream_timeout · ' }).waitFor();
    await eventually('the end of the request at upstream', () => upstream.abandoned === upstream.pages.length);
    isHanging = false;

    await t.test('a failure on a later page of upstream’s leaves no partial data', async () => {
      upstream.trouble = ({ page }) => (page === 3 ? json({}, 403) : undefined);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').filter({ hasText: 'info: the upstream site refuses the request' }).waitFor();
      await alert.waitFor({ state: 'detached' });
      await requestsAre(page, 0);
    });

    await t.test('§1.2: pages, repeats and drift: each event once, and missing events are reported', async () => {
      let hasDrifted = false;
      // While the pages are read two events arrive, and move the others onto later pages.
      upstream.trouble = (asked) => {
        if (asked.page === 2 && !hasDrifted) {
          hasDrifted = true;
          upstream.events = [...liveEvents(2, 'new', 30_000), ...upstream.events];
        }
        return undefined;
      };
      await notice(page).getByRole('button', { name: 'Try again' }).click();
      await requestsAre(page, 30);
      await kpiIs(page, 'total-cost', dollars(30 * 3));
      await page.locator('.progress').waitFor({ state: 'hidden' });
      assert.equal(await notice(page).count(), 0, 'what arrived meanwhile is not missing');
      await refresh(page);
      await requestsAre(page, 32);
      // From here on upstream answers every page with its first.
      upstream.events = liveEvents(80);
      upstream.trouble = (asked) => (asked.page > 1 ? answerPage(upstream, { ...asked, page: 1 }) : undefined);
      await page.reload();
      await notice(page)
        .getByText('More events than can be fetched at once: the oldest of info are missing.')
        .waitFor();
      await requestsAre(page, 8);
      upstream.trouble = () => undefined;
      await page.reload();
      await requestsAre(page, 80);
      assert.equal(await notice(page).count(), 0);
    });
  });
});
