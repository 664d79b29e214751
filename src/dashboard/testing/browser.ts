// Shared by the dashboard's tests in a real browser: one Chromium, servers of the built file, invented usage at fixed
// times, and access to the page's controls.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { Browser, BrowserContextOptions, Download, Locator, Page } from 'playwright-core';
import { launchBrowser, needsBrowser } from '../../testing/browser.ts';
import {
  type Cleanup,
  executablePath,
  Janitor,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';
import { openProfile } from '../../testing/profile.ts';

/** Per check: the total depends on their number. */
const HANGS_AFTER_MS = 600_000;
/** The browser is closed after this time without a test; the next test would start another. */
const IDLE_MS = 500;
const HOUR_MS = 3_600_000;
/** The default time in the pages of tests. */
export const NOW = '2025-06-10T12:00:00Z';
const NEWEST_AT = Date.parse('2025-06-10T10:00:00Z');

let shared: { readonly browser: Browser; readonly janitor: Janitor } | undefined;
let users = 0;

async function shareBrowser(): Promise<Browser> {
  users++;
  if (!shared) {
    const janitor = new Janitor();
    shared = { janitor, browser: await launchBrowser(janitor) };
  }
  return shared.browser;
}

function leaveBrowser(): void {
  users--;
  setTimeout(() => {
    if (users > 0 || !shared) return;
    const { janitor } = shared;
    shared = undefined;
    void janitor.clean();
  }, IDLE_MS);
}

/** A subtest: it has its own page, and its own server if it writes. */
export type Check = (name: string, run: (t: TestContext) => Promise<void>) => void;

/** A test whose checks run in turn in one shared browser: the page that one leaves serves the next. */
export function browserTest(
  name: string,
  run: (t: TestContext, browser: Browser, check: Check) => Promise<void>,
): void {
  test(name, async (t) => {
    if (!needsBrowser(t)) return;
    const browser = await shareBrowser();
    t.after(leaveBrowser);
    const checks: Promise<void>[] = [];
    await run(t, browser, (title, perform) => {
      checks.push(t.test(title, { timeout: HANGS_AFTER_MS }, perform));
    });
    await Promise.all(checks);
  });
}

export interface Project {
  /** Below the project's folder: names and texts. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

export interface DashboardServer extends RunningServer {
  /** The address of the analytics page. */
  readonly page: string;
  readonly folder: string;
}

/** Starts the built `opsdeck dashboard serve` on a new project. */
export async function serveDashboard(t: Cleanup, project: Project = {}): Promise<DashboardServer> {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(project.files ?? {})) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const server = await startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'dashboard', 'serve', '--port', '0', '--project', folder, ...(project.args ?? [])],
    cwd: folder,
    env: project.env ?? {},
    addressIn: (stderr) => /^.*Dashboard is listening.*\baddress=(\S+).*\n/m.exec(stderr)?.[1],
  });
  return { ...server, folder, page: `${server.url}/analytics` };
}

export interface VisitOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** The fixed time of the page's clock; `real` for the true time. */
  readonly now?: string;
  readonly locale?: string;
  /** What the browser's storage holds before the page is opened. */
  readonly storage?: Readonly<Record<string, string>>;
  /** Further options, such as a touch screen or forced colours. */
  readonly device?: BrowserContextOptions;
  /** As in {@link ProfileOptions}. */
  readonly once?: boolean;
}

/** Opens a page in an empty profile in Berlin; an error in the page, or a logged error, fails the test. */
export async function visit(t: TestContext, browser: Browser, url: string, options: VisitOptions = {}): Promise<Page> {
  const {
    colorScheme = 'light',
    width = 1280,
    height = 900,
    now = NOW,
    locale = 'en-US',
    storage = {},
    device,
    once = false,
  } = options;
  const hasStorage = Object.keys(storage).length > 0;
  const page = await openProfile(t, browser, {
    ...{ colorScheme, width, height, once: once || hasStorage, now: now === 'real' ? undefined : now },
    device: { locale, timezoneId: 'Europe/Berlin', reducedMotion: 'reduce', ...device },
  });
  if (hasStorage)
    await page.addInitScript(
      `for (const [key, value] of ${JSON.stringify(Object.entries(storage))}) if (localStorage.getItem(key) === null) localStorage.setItem(key, value);`,
    );
  if (url !== 'about:blank') await page.goto(url);
  return page;
}

export interface UsageRow {
  readonly at: number;
  readonly kind: string;
  readonly model: string;
  readonly maxMode: boolean;
  /** The amount in the file, in whole US cents. */
  readonly cents: number;
}

const MODELS = ['gpt-5-codex', 'claude-4.5-sonnet', 'composer-2.5'] as const;

/** `count` rows, newest first, hourly before 10 June 2025, 10:00 UTC: models alternate, every other row is max mode. */
export function usageRows(count: number, part: Partial<UsageRow> & { readonly shiftMs?: number } = {}): UsageRow[] {
  const { shiftMs = 0, ...fixed } = part;
  return Array.from({ length: count }, (_, index) => ({
    at: NEWEST_AT - index * HOUR_MS - shiftMs,
    kind: index % 4 === 3 ? 'Usage-based' : 'On-Demand',
    model: MODELS[index % MODELS.length] ?? '',
    maxMode: index % 2 === 0,
    cents: 10 + (index % 10),
    ...fixed,
  }));
}

export const CSV_HEADER =
  'Date,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost';

/** The rows as a CSV file; each is of 100 tokens. */
export function csvOf(rows: readonly UsageRow[]): string {
  const lines = rows.map(({ at, kind, model, maxMode, cents }) => {
    const cost = `$${(cents / 100).toFixed(2)}`;
    return `"${new Date(at).toISOString()}","${kind}","${model}","${maxMode ? 'Yes' : 'No'}","5","10","80","5","100","${cost}"`;
  });
  return `${CSV_HEADER}\n${lines.join('\n')}\n`;
}

/** The reported cost of the rows: included rows cost nothing. */
export const centsOf = (rows: readonly UsageRow[]): number =>
  listCentsOf(rows.filter(({ kind }) => kind !== 'Included'));

export const listCentsOf = (rows: readonly UsageRow[]): number => rows.reduce((sum, { cents }) => sum + cents, 0);
export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

export interface OwnFile {
  readonly name: string;
  readonly text: string;
}

/** Drags files over the page and drops them; `between` runs while they are held. */
export async function dropFiles(page: Page, files: readonly OwnFile[], between?: () => Promise<void>): Promise<void> {
  const transfer = await page.evaluateHandle(
    `(() => { const all = new DataTransfer(); for (const { name, text } of ${JSON.stringify(files)}) all.items.add(new File([text], name, { type: 'text/csv' })); return all; })()`,
  );
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: transfer });
  await between?.();
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
  await transfer.dispose();
}

/** Chooses files in the dialog behind a button. */
export async function chooseFile(page: Page, label: string, { name, text }: OwnFile): Promise<void> {
  const buffer = Buffer.from(text);
  await page.locator(`input[type=file][aria-label="${label}"]`).setInputFiles({ name, mimeType: '', buffer });
}

/** The bytes of a download. */
export async function bytesOf(download: Download): Promise<Buffer> {
  return buffer(await download.createReadStream());
}

/** Waits until a key figure shows this text. */
export async function kpiIs(page: Page, name: string, text: string): Promise<void> {
  const value = page.locator(`[data-kpi="${name}"] .kpi-value`);
  await value.filter({ hasText: new RegExp(`^${text.replace(/[$.*+()]/g, '\\$&')}$`) }).waitFor();
}

export const requestsAre = (page: Page, count: number): Promise<void> => kpiIs(page, 'requests', String(count));

/** Chooses a radio button by its name, within the group of that legend. */
export async function choose(page: Page, legend: string, name: string): Promise<void> {
  const group = page.getByRole('group', { name: legend, exact: true });
  await group.getByRole('radio', { name, exact: true }).check();
}

export const figureOf = (page: Page, chart: string): Locator => page.locator(`figure[data-chart-key="${chart}"]`);

const CHARTS = 13;

/** Waits until the charts are mounted; each draws when it is near the screen. */
export async function chartsAreThere(page: Page): Promise<void> {
  await page
    .locator('figure.chart')
    .nth(CHARTS - 1)
    .waitFor({ state: 'attached' });
}

/** Waits until a table has `count` rows. */
export async function tableRowsAre(page: Page, table: string, count: number): Promise<void> {
  const rows = page.locator(`#${table} tbody tr`);
  if (count > 0) await rows.nth(count - 1).waitFor({ state: 'attached' });
  await rows.nth(count).waitFor({ state: 'detached' });
}

/** The rows of a chart's table, once it has `count` rows. */
export async function twinRows(page: Page, chart: string, count?: number): Promise<string[][]> {
  const rows = figureOf(page, chart).locator('.chart-twin tbody tr');
  await figureOf(page, chart).scrollIntoViewIfNeeded();
  await rows.first().waitFor({ state: 'attached' });
  if (count !== undefined) {
    await rows.nth(count - 1).waitFor({ state: 'attached' });
    await rows.nth(count).waitFor({ state: 'detached' });
  }
  return page.evaluate(
    `[...document.querySelectorAll('figure[data-chart-key="${chart}"] .chart-twin tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))`,
  );
}

export const storedValue = (page: Page, key: string): Promise<string | null> =>
  page.evaluate(`localStorage.getItem(${JSON.stringify(key)})`);

/** Waits until the part of the address behind `#` matches. */
export async function hashIs(page: Page, pattern: RegExp): Promise<void> {
  await page.waitForURL(({ hash }) => pattern.test(hash));
}

/** Presses Tab until the focused element matches the selector. */
export async function tabTo(page: Page, selector: string, most = 150): Promise<void> {
  const test = `document.activeElement?.matches(${JSON.stringify(selector)}) === true`;
  for (let presses = 0; presses < most; presses++) {
    if (await page.evaluate(test)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${selector}`);
}
