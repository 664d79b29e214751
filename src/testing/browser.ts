// Helpers for tests in a real browser.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { eventually } from './eventually.ts';
import { isLongRound } from './long-round.ts';
import { type Cleanup, needsReal, type RunningServer } from './processes.ts';
import { openProfile } from './profile.ts';
import { connectBrowser, findChromium } from './run/shared-browser.ts';

/** Whether Chromium is installed; skips the test otherwise, as {@link needsReal}. */
export function needsBrowser(t: TestContext): boolean {
  return findChromium() !== undefined || needsReal(t, 'chromium-headless-shell', 'chromium-headless-shell');
}

/** Headless Chromium, closed after the test. */
export async function launchBrowser(t: Cleanup): Promise<Browser> {
  const browser = await connectBrowser();
  t.after(() => browser.close());
  return browser;
}

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  /** Of the browser, such as `de-DE`; the pages show its language unless another is chosen. */
  readonly locale?: string;
  /** As in {@link ProfileOptions}. */
  readonly once?: boolean;
}

/** Opens a URL in an empty browser profile; an error in the page or its console fails the test. */
export async function openPage(
  t: TestContext,
  browser: Browser,
  url: string,
  options: PageOptions = {},
): Promise<Page> {
  const { colorScheme = 'light', width = 1280, locale = 'en-US', once } = options;
  const page = await openProfile(t, browser, { colorScheme, width, height: 900, device: { locale }, once });
  if (url !== 'about:blank') await page.goto(url);
  return page;
}

export async function getJson<Answer>(server: RunningServer, path: string): Promise<Answer> {
  return (await fetch(`${server.url}/api/v2/${path}`)).json() as Promise<Answer>;
}

/** Posts to the API, which must accept it; undefined for an empty response. */
export async function postJson<Answer>(
  server: RunningServer,
  path: string,
  body: unknown,
): Promise<Answer | undefined> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}/api/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return text === '' ? undefined : (JSON.parse(text) as Answer);
}

/** The rules that depend on colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Accessibility violations found by axe-core in the page or below a selector. */
export function findBarriers(page: Page, within = 'html'): Promise<unknown> {
  return runAxe(page, within, {});
}

/** Those of colours alone, for a second theme of a page whose barriers were searched: the other rules take most of the time. */
export function findColourBarriers(page: Page, within = 'html'): Promise<unknown> {
  return runAxe(page, within, { runOnly: COLOUR_RULES });
}

/** Minified, as each page parses it anew. */
const readAxe = (): Promise<string> => readFile('node_modules/axe-core/axe.min.js', 'utf8');

async function runAxe(page: Page, within: string, options: object): Promise<unknown> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${await readAxe()}; true`);
  // Otherwise it describes what passes, too. No page has frames.
  const all = JSON.stringify({ resultTypes: ['violations'], iframes: false, elementRef: false, ...options });
  return page.evaluate(
    `axe.run(${JSON.stringify(within)}, ${all}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target).join(' | ')))`,
  );
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The box of an element in the window in CSS pixels, once it no longer moves. */
export async function restingBox(element: Locator): Promise<Box> {
  let before: Box | null = null;
  return eventually(
    'the element to come to rest',
    async () => {
      const box = await element.boundingBox();
      const isSame = box !== null && JSON.stringify(box) === JSON.stringify(before);
      before = box;
      return isSame && box;
    },
    { everyMs: 100 },
  );
}

/** In a long round, saves a screenshot in .build/screenshots. */
export async function picture(page: Page, name: string): Promise<void> {
  if (isLongRound) await page.screenshot({ path: join('.build', 'screenshots', `${name}.png`) });
}

/** Horizontal overflow of the page in pixels. */
export async function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Repeats the assertion until it passes: rendering takes some frames. */
export async function settles(what: string, assertion: () => Promise<void>): Promise<void> {
  await eventually(what, async () => {
    await assertion();
    return true;
  });
}

/** Waits until the page fits the width of its window: after a resize its parts adapt in several frames. */
export function fitsAcross(page: Page, what = 'the page'): Promise<void> {
  return settles(`${what} to be no wider than its window`, async () => assert.equal(await overflowOf(page), 0));
}
