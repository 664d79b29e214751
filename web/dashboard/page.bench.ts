// The page with a million events: the built executable, a real browser, files chosen by input.
import { mkdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import {
  busiestTask,
  DEADLINE_MS,
  heapBytes,
  longestTask,
  PROBE,
  peakBytes,
  readProbe,
  settled,
  timesOf,
} from '../../src/dashboard/testing/page-probe.ts';
import { writeUsageFile } from '../../src/dashboard/testing/usage-file.ts';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../src/testing/bench.ts';
import { RawConnection } from '../../src/testing/http/raw-connection.ts';
import {
  executablePath,
  Janitor,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../../src/testing/processes.ts';

const EVENTS = 1_000_000;
const FEW_EVENTS = 10_000;
const LOADS = 5;
const STARTS = 7;
/** A charts' page as large as this has all thirteen on the screen. */
const TALL = { width: 1440, height: 4200 };
const USUAL = { width: 1440, height: 900 };

function startDashboard(janitor: Janitor, folder: string): Promise<RunningServer> {
  return startServer(janitor, {
    command: process.execPath,
    args: [executablePath(), 'dashboard', 'serve', '--port', '0', '--project', folder],
    cwd: folder,
    addressIn: (stderr) => /^.*Dashboard is listening.*\baddress=(\S+).*\n/m.exec(stderr)?.[1],
  });
}

async function launchBrowser(janitor: Janitor): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--no-first-run'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  janitor.after(() => browser.close());
  return browser;
}

async function emptyPage(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: USUAL, timezoneId: 'Europe/Berlin', locale: 'en-US' });
  context.setDefaultTimeout(DEADLINE_MS);
  const page = await context.newPage();
  await page.addInitScript(PROBE);
  return page;
}

async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await emptyPage(browser);
  await page.goto(url);
  await settled(page);
  return page;
}

const samples = new Map<string, { readonly unit: string; readonly aim: Aim; readonly values: number[] }>();

type Aim = { readonly most: number } | { readonly least: number } | undefined;

function record(what: string, unit: string, aim: Aim, ...values: readonly number[]): void {
  const known = samples.get(what) ?? { unit, aim, values: [] };
  samples.set(what, known);
  known.values.push(...values);
}

/** A row says `missed` by its median; of the longest tasks the longest counts. */
function printRows(): readonly (readonly string[])[] {
  return [...samples].map(([what, { unit, aim, values }]) => {
    const spread = spreadOf(values);
    const found = `${values.length === 1 ? printNumber(spread.median) : printSpread(spread)} ${unit}`;
    const worst = `${printNumber(aim && 'least' in aim ? spread.least : spread.most)} ${unit} of ${values.length}`;
    if (!aim) return [what, found, worst, ''];
    const [sign, limit] = 'least' in aim ? ['≥', aim.least] : ['≤', aim.most];
    const counted = what.startsWith('longest') ? spread.most : spread.median;
    const isMet = 'least' in aim ? counted >= limit : counted <= limit;
    return [what, found, worst, `${sign} ${limit} ${unit}${isMet ? '' : ' (missed)'}`];
  });
}

/** The switches, one after the other; each is a filter change. */
const CHANGES: readonly (readonly [role: 'radio' | 'checkbox', name: string])[] = [
  ['radio', 'Day'],
  ['radio', 'info'],
  ['radio', 'List value'],
  ['radio', 'last 30 days'],
  ['radio', '15 min'],
  ['radio', 'All events'],
  ['checkbox', 'Compare with the previous period'],
  ['radio', 'Event'],
  ['radio', 'Requests'],
  ['radio', 'Period'],
  ['radio', 'Hour'],
  ['radio', 'all'],
  ['radio', 'As reported'],
];

async function measureChanges(page: Page, of: 'the screen' | 'all 13'): Promise<void> {
  for (const [role, name] of CHANGES) {
    const control = page.getByRole(role, { name, exact: true });
    await control.click({ force: true });
    await settled(page);
    const probe = await readProbe(page);
    if (of === 'all 13' && probe.charts < 13) throw new Error(`${name}: only ${probe.charts} charts were drawn`);
    const { changedAt, paintedAt } = probe;
    record(`filter change to painted charts, ${of}`, 'ms', { most: 300 }, paintedAt - changedAt);
    record('of it: the view', 'ms', { most: 150 }, ...timesOf(probe, 'view', changedAt));
    record('longest task, filters', 'ms', { most: 100 }, longestTask(probe, changedAt));
  }
}

async function loadMillion(janitor: Janitor, server: RunningServer, file: string, bytes: number): Promise<void> {
  const browser = await launchBrowser(janitor);
  const page = await openPage(browser, `${server.url}/analytics#range=all&by=hour`);
  const before = await heapBytes(page);
  const { paintedAt: samplePaintedAt } = await readProbe(page);
  const busiest = await busiestTask(browser, page, async () => {
    await page.getByLabel('Load CSV', { exact: true }).setInputFiles(file);
    await page.locator('[data-kpi="requests"] .kpi-value', { hasText: EVENTS.toLocaleString('en-US') }).waitFor();
    await settled(page);
  });
  const probe = await readProbe(page);
  const read = probe.requests.findLast(({ type }) => type === 'csv');
  if (!read) throw new Error('the page read no file');
  record('parse, from the file to columns', 'MB/s', { least: 200 }, bytes / 1e3 / (read.answeredAt - read.askedAt));
  record('first view: order, duplicates too', 'ms', undefined, ...timesOf(probe, 'view', read.answeredAt).slice(0, 1));
  record('file chosen to painted charts', 's', { most: 4 }, (probe.paintedAt - read.askedAt) / 1000);
  record('longest task, load', 'ms', { most: 100 }, longestTask(probe, samplePaintedAt));
  record('longest task, load, processor time', 'ms', { most: 100 }, busiest);
  record('heap of page and worker beyond before', 'MB', { most: 150 }, ((await heapBytes(page)) - before) / 2 ** 20);
  record('peak of the process, all memory', 'MB', undefined, (await peakBytes(browser)) / 2 ** 20);
  const change = () => measureChanges(page, 'the screen');
  record('longest task, filters, processor time', 'ms', { most: 100 }, await busiestTask(browser, page, change));
  await page.setViewportSize(TALL);
  await settled(page);
  await measureChanges(page, 'all 13');
  record('heap after all changes', 'MB', { most: 150 }, ((await heapBytes(page)) - before) / 2 ** 20);
  await browser.close();
}

async function measureMillion(): Promise<void> {
  const janitor = new Janitor();
  try {
    const folder = temporaryFolder(janitor);
    // Outside the project's data: the person loads it into the page.
    const file = join(temporaryFolder(janitor), 'usage-events-info.csv');
    const bytes = writeUsageFile(file, EVENTS, Date.now());
    const server = await startDashboard(janitor, folder);
    for (let load = 0; load < LOADS; load++) await loadMillion(janitor, server, file, bytes);
  } finally {
    await janitor.clean();
  }
}

/** The files of /analytics before any data, as sent to a browser that accepts only gzip. */
async function measureWeight(page: Page, server: RunningServer): Promise<void> {
  const addresses: string[] = await page.evaluate(
    `[location.href, ...performance.getEntriesByType('resource').map(({ name }) => name)]`,
  );
  const paths = new Set(addresses.map((address) => new URL(address).pathname));
  const connection = await RawConnection.open(server.url);
  let bytes = 0;
  for (const path of [...paths].filter((path) => !/^\/(api|data|sample)\//.test(path))) {
    const request = `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nAccept-Encoding: gzip\r\n\r\n`;
    const { status, bodyBytes } = await connection.exchange('GET', request);
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    bytes += bodyBytes;
  }
  connection.close();
  if (![...paths].some((path) => path.includes('worker'))) throw new Error('the worker was not counted');
  record('weight of the page, gzip', 'KB', { most: 180 }, bytes / 1000);
}

async function measureStartTasks(browser: Browser, url: string): Promise<void> {
  const page = await emptyPage(browser);
  const busiest = await busiestTask(browser, page, async () => {
    await page.goto(url);
    await settled(page);
  });
  record('longest task, start, processor time', 'ms', { most: 100 }, busiest);
  await page.context().close();
}

/** A project with its file already, opened by a browser without a cache. */
async function measureStart(): Promise<void> {
  const janitor = new Janitor();
  try {
    const folder = temporaryFolder(janitor);
    mkdirSync(join(folder, 'data'));
    writeUsageFile(join(folder, 'data', 'usage-events-info.csv'), FEW_EVENTS, Date.now());
    const server = await startDashboard(janitor, folder);
    const browser = await launchBrowser(janitor);
    for (let start = 0; start < STARTS; start++) {
      const page = await openPage(browser, `${server.url}/analytics#range=all&by=day`);
      await page.locator('[data-kpi="requests"] .kpi-value', { hasText: FEW_EVENTS.toLocaleString('en-US') }).waitFor();
      const probe = await readProbe(page);
      const firstData: number = await page.evaluate('probe.firstPaintedAt');
      record('first chart with 10k events, from navigation', 'ms', { most: 600 }, firstData);
      record('all charts of the screen with 10k events', 'ms', undefined, probe.paintedAt);
      record('longest task, start', 'ms', { most: 100 }, longestTask(probe));
      if (start === 0) await measureWeight(page, server);
      await page.context().close();
    }
    // Separate starts: tracing takes time as well.
    for (let start = 0; start < STARTS; start++)
      await measureStartTasks(browser, `${server.url}/analytics#range=all&by=day`);
  } finally {
    await janitor.clean();
  }
}

const parts: Readonly<Record<string, () => Promise<void>>> = { start: measureStart, million: measureMillion };

bench('dashboard-page', async (filters) => {
  console.log(`opsdeck ${OPSDECK_VERSION}, the analytics page in Chromium, 1,000,000 events: median (least–most)`);
  console.log(describeMachine());
  const printLoad = () => console.log(`load of the machine: ${loadavg().map(printNumber).join(' ')}\n`);
  printLoad();
  for (const [part, run] of Object.entries(parts)) if (isAsked(part, filters)) await run();
  console.log(printTable(['', 'found', 'worst', 'aim'], printRows()));
  printLoad();
});
