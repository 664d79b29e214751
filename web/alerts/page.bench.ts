// The page with 5,000 alerts: the built executable, a real browser, an empty cache at every opening.
import type { BrowserContext, Page } from 'playwright-core';
import { bench, describeMachine, printNumber, printSpread, printTable, spreadOf } from '../../src/testing/bench.ts';
import { launchBrowser, postJson } from '../../src/testing/browser.ts';
import { configFile, Janitor, type RunningServer, startOpsdeck } from '../../src/testing/processes.ts';

const ALERTS = 5_000;
const POSTED_AT_ONCE = 1_000;
const OPENINGS = 7;
/** Turns of the wheel, and pixels of each. */
const TURNS = 60;
const TURN_PX = 400;

/** Two receivers for each alert, so that each arrives in two groups. */
const CONFIG = `{route: {receiver: a, group_by: [alertname, cluster], group_wait: 1h, routes: [{receiver: b, continue: true}, {receiver: c}]},
  receivers: [{name: a}, {name: b}, {name: c}]}`;

/** Records the long tasks, and the first frame with a group. The browser reports no tasks below 50 ms. */
const PROBE = `(() => {
  window.probe = { tasks: [], shownAt: 0 };
  new PerformanceObserver((list) => probe.tasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask', buffered: true });
  const look = () => {
    if (document.querySelector('.group')) probe.shownAt = performance.now();
    else requestAnimationFrame(look);
  };
  look();
})()`;

interface Row {
  readonly what: string;
  readonly unit: string;
  readonly most?: number;
  readonly values: number[];
}

const rows: readonly Row[] = [
  { what: 'navigation to the list', unit: 'ms', most: 1000, values: [] },
  { what: 'longest task, opening', unit: 'ms', most: 50, values: [] },
  { what: 'longest task, opening all groups', unit: 'ms', most: 50, values: [] },
  { what: 'longest task, scrolling', unit: 'ms', most: 50, values: [] },
  { what: 'longest task, refreshing', unit: 'ms', most: 50, values: [] },
  { what: 'heap after all', unit: 'MB', values: [] },
];

const takeTasks = async (page: Page): Promise<number> => {
  await page.waitForTimeout(300);
  return page.evaluate('Math.max(0, ...probe.tasks.splice(0))');
};

async function heapMegabytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { readonly usedSize: number };
  return usedSize / 2 ** 20;
}

async function openOnce(context: BrowserContext, url: string): Promise<readonly number[]> {
  const page = await context.newPage();
  await page.addInitScript(PROBE);
  await page.goto(url);
  await page.locator('.tally-sum', { hasText: '5,000 alerts' }).waitFor();
  const opening = await takeTasks(page);
  const shownAt: number = await page.evaluate('probe.shownAt');
  await page.getByRole('button', { name: 'Open all' }).click();
  const groups = await takeTasks(page);
  await page.mouse.move(700, 600);
  for (let turn = 0; turn < TURNS; turn++) {
    await page.mouse.wheel(0, TURN_PX);
    await page.waitForTimeout(30);
  }
  const scrolling = await takeTasks(page);
  await page.keyboard.press('r');
  await page.waitForTimeout(1_000);
  return [shownAt, opening, groups, scrolling, await takeTasks(page), await heapMegabytes(page)];
}

async function fill(server: RunningServer): Promise<void> {
  const alerts = Array.from({ length: ALERTS }, (_, n) => ({
    labels: {
      ...{ alertname: `A${n % 40}`, severity: ['critical', 'warning', 'info'][n % 3] },
      ...{ cluster: `c${n % 5}`, instance: `host-${n}` },
    },
    annotations: { summary: `value ${n}` },
  }));
  for (let n = 0; n < ALERTS; n += POSTED_AT_ONCE)
    await postJson(server, 'alerts', alerts.slice(n, n + POSTED_AT_ONCE));
}

bench('alerts-page', async () => {
  const janitor = new Janitor();
  try {
    const server = await startOpsdeck(janitor, ['--config.file', configFile(janitor, CONFIG)]);
    await fill(server);
    const browser = await launchBrowser(janitor);
    for (let opening = 0; opening < OPENINGS; opening++) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' });
      const values = await openOnce(context, server.url);
      for (const [index, row] of rows.entries()) row.values.push(values[index] ?? Number.NaN);
      await context.close();
    }
  } finally {
    await janitor.clean();
  }
  console.log(`opsdeck ${OPSDECK_VERSION}, the page of 5,000 alerts in Chromium: median (least–most); 0: below 50 ms`);
  console.log(`${describeMachine()}\n`);
  console.log(printTable(['', 'found', 'aim'], rows.map(printRow)));
});

/** Of the longest tasks the longest counts, of all else the median. */
function printRow({ what, unit, most, values }: Row): readonly string[] {
  const spread = spreadOf(values);
  const counted = what.startsWith('longest') ? spread.most : spread.median;
  const aim = most === undefined ? '' : `≤ ${printNumber(most)} ${unit}${counted <= most ? '' : ' (missed)'}`;
  return [what, `${printSpread(spread)} ${unit}`, aim];
}
