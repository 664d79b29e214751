// Charts under fingers, as a phone reports them, and under a drag with Shift.
import assert from 'node:assert/strict';
import type { CDPSession, Page } from 'playwright-core';
import {
  browserTest,
  csvOf,
  figureOf,
  serveDashboard,
  twinRows,
  usageRows,
  visit,
} from '../../../src/dashboard/testing/browser.ts';
import { restingBox } from '../../../src/testing/browser.ts';
import { eventually } from '../../../src/testing/eventually.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

const PHONE = { hasTouch: true, isMobile: true, deviceScaleFactor: 2 };

/** Fingers on the glass: each list holds their positions at one moment; at the end they are lifted. */
async function touch(session: CDPSession, moments: readonly (readonly Point[])[]): Promise<void> {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: readonly Point[]) => {
    const touchPoints = points.map((point, id) => ({ ...point, id }));
    return session.send('Input.dispatchTouchEvent', { type, touchPoints });
  };
  for (const [nth, points] of moments.entries()) await send(nth === 0 ? 'touchStart' : 'touchMove', points);
  await send('touchEnd', []);
}

/** Steps from one place to another, both included. */
const steps = (from: Point, to: Point, count = 6): Point[] =>
  Array.from({ length: count + 1 }, (_, step) => ({
    x: from.x + ((to.x - from.x) * step) / count,
    y: from.y + ((to.y - from.y) * step) / count,
  }));

/** The plot, scrolled to, and how its width is shared out. */
async function plotOf(page: Page, chart: string) {
  const plot = figureOf(page, chart).locator('.chart-plot');
  await plot.locator('canvas[aria-label*=". "]').waitFor();
  await page.evaluate(
    `document.querySelector('figure[data-chart-key="${chart}"] .chart-plot').scrollIntoView({ block: 'center' })`,
  );
  const box = await restingBox(plot);
  const at = (share: number): Point => ({ x: box.x + box.width * share, y: box.y + box.height * 0.6 });
  return { plot, at };
}

/** The visible range, as announced by the live region after a drag. */
async function saidRange(page: Page): Promise<string> {
  const said = page.locator('.content > [aria-live]', { hasText: /^Zoomed to / });
  await said.waitFor({ state: 'attached' });
  return (await said.textContent()) ?? '';
}

const HOURS = 90;

/** The visible hours by their index among all: the first, and the end, exclusive. */
async function inSight(page: Page, all: readonly string[]): Promise<readonly [number, number]> {
  const names = (await twinRows(page, 'overview')).map(([name = '']) => name);
  return [all.indexOf(names[0] ?? ''), all.indexOf(names.at(-1) ?? '') + 1];
}

/** The same once the columns are still and as expected: while fingers move, columns change. */
async function atRest(
  page: Page,
  all: readonly string[],
  isRight: (first: number, end: number) => boolean,
): Promise<readonly [number, number]> {
  let before = '';
  return eventually(
    'the columns to be still',
    async () => {
      if (await page.locator('main[aria-busy]').count()) return false;
      const sight = await inSight(page, all);
      const isSame = sight.join() === before;
      before = sight.join();
      return isSame && isRight(...sight) && sight;
    },
    { everyMs: 300 },
  );
}

async function allHours(page: Page): Promise<readonly string[]> {
  return (await twinRows(page, 'overview', HOURS)).map(([name = '']) => name);
}

const reset = (page: Page) => page.getByRole('button', { name: 'Reset zoom: Tokens and cost over time', exact: true });
const isZoomed = (page: Page) => reset(page).and(page.locator(':enabled')).waitFor();

browserTest('the charts of the analytics page under fingers', async (t, browser, check) => {
  const server = await serveDashboard(t, { files: { 'data/usage-events-info.csv': csvOf(usageRows(HOURS)) } });
  const open = `${server.page}#range=all&by=hour`;

  check('two fingers zoom and pan a chart and not the page; one finger points, and scrolls the page', async (t) => {
    const page = await visit(t, browser, open, { width: 390, height: 844, device: PHONE });
    const all = await allHours(page);
    const session = await page.context().newCDPSession(page);
    const one = await plotOf(page, 'overview');
    await touch(session, [[one.at(0.5)]]);
    await figureOf(page, 'overview').locator('.chart-tip').waitFor();
    const before = Number(await page.evaluate('scrollY'));
    const up = steps(one.at(0.5), { ...one.at(0.5), y: one.at(0.5).y - 200 });
    await touch(
      session,
      up.map((point) => [point]),
    );
    await eventually('the page to scroll', async () => Number(await page.evaluate('scrollY')) > before + 50);
    assert.equal(await reset(page).isDisabled(), true);

    await atRest(page, all, (first, end) => end - first === HOURS);
    const two = await plotOf(page, 'overview');
    // At once, as below: columns that arrive between two steps have the hand take hold anew, and the step before is lost.
    await touch(session, [
      [two.at(0.45), two.at(0.55)],
      [two.at(0.2), two.at(0.8)],
    ]);
    await isZoomed(page);
    const [from, to] = await atRest(page, all, (first, end) => end - first < HOURS / 2);
    assert.ok(to - from >= 10 && from > 20 && to < 70, `${from} to ${to}: about the middle sixth`);
    assert.equal(await page.evaluate('visualViewport.scale'), 1, 'the page itself keeps its size');

    const again = await plotOf(page, 'overview');
    await touch(
      session,
      [again.at(0.3), again.at(0.5)].map((left) => [left, { ...left, x: left.x + 100 }]),
    );
    await atRest(page, all, (first, end) => first < from && end - first === to - from);
    await reset(page).tap();
    await twinRows(page, 'overview', HOURS);
  });

  check('a drag with Shift pans the zoomed chart, goes on after a rest, and stops at the end', async (t) => {
    const page = await visit(t, browser, open);
    const all = await allHours(page);
    const { plot, at } = await plotOf(page, 'overview');
    await plot.focus();
    for (let presses = 0; presses < 2; presses++) await page.keyboard.press('+');
    const zoomed = await saidRange(page);
    const [from, to] = await atRest(page, all, (first, end) => end - first < HOURS / 2);
    const width = to - from;
    await page.keyboard.down('Shift');
    await page.mouse.move(at(0.4).x, at(0.4).y);
    await page.mouse.down();
    // At once.
    await page.mouse.move(at(0.55).x, at(0.55).y);
    await plot.and(page.locator('[data-panning]')).waitFor();
    const [halfway] = await atRest(page, all, (first) => first < from);
    // The columns have other numbers now; the fingers move on.
    await page.mouse.move(at(0.55).x + 1, at(0.55).y);
    await page.mouse.move(at(0.7).x, at(0.7).y);
    await page.mouse.up();
    // On a busy machine it takes longer than two looks until all columns are there.
    let [earlier] = await atRest(page, all, (first, end) => first < halfway && end - first === width);
    assert.ok(Math.abs(from - halfway - (halfway - earlier)) <= 1, `${from}, then ${halfway}, then ${earlier}`);
    assert.notEqual(await saidRange(page), zoomed);
    await plot.and(page.locator(':not([data-panning])')).waitFor();
    const dragFar = async () => {
      await page.mouse.move(at(0.1).x, at(0.1).y);
      await page.mouse.down();
      await page.mouse.move(at(0.95).x, at(0.95).y, { steps: 2 });
      await page.mouse.up();
    };
    while (earlier > 0) {
      const before = earlier;
      await dragFar();
      [earlier] = await atRest(page, all, (first, end) => first < before && end - first === width);
    }
    await dragFar();
    await page.keyboard.up('Shift');
    await atRest(page, all, (first, end) => first === 0 && end === width);
    await isZoomed(page);
  });
});
