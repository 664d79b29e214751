// Pages in an empty profile. A new profile takes a process of Chromium, in which every script is compiled anew: the page that a
// test leaves is emptied for the next test.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** Timeout of page operations; only ends a hang. */
export const PAGE_DEADLINE_MS = 90_000;

export interface ProfileOptions {
  readonly colorScheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  /** What a profile keeps for ever, such as its language or a touch screen. */
  readonly device: BrowserContextOptions;
  /** The fixed time of the profile's clock. */
  readonly now?: string | undefined;
  /** Whether the test leaves what cannot be undone, such as a stopped clock or a script for all documents. */
  readonly once?: boolean | undefined;
}

/** The emptied pages of each browser, by device and clock. */
const pools = new WeakMap<Browser, Map<string, Page[]>>();

function poolOf(browser: Browser, key: string): Page[] {
  const pages = pools.get(browser) ?? new Map<string, Page[]>();
  pools.set(browser, pages);
  const idle = pages.get(key) ?? [];
  pages.set(key, idle);
  return idle;
}

/** A page in an empty profile, for one test; an error in a page of the profile, or in its console, fails the test. */
export async function openProfile(t: TestContext, browser: Browser, options: ProfileOptions): Promise<Page> {
  const { colorScheme, width, height, device, now, once = false } = options;
  const viewport = { width, height };
  const idle = poolOf(browser, JSON.stringify([device, now]));
  const page = (once ? undefined : idle.pop()) ?? (await newPage(browser, { ...device, colorScheme, viewport }));
  const context = page.context();
  const complaints: string[] = [];
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  t.after(async () => {
    if (!once && (await isEmptied(page))) idle.push(page);
    else await context.close();
    // Failed answers and a server that is away are part of the tests; the browser logs them all.
    assert.deepEqual(
      complaints.filter((text) => !text.startsWith('Failed to load resource')),
      [],
    );
  });
  await page.setViewportSize(viewport);
  const { reducedMotion = null, forcedColors = null } = device;
  await page.emulateMedia({ colorScheme, reducedMotion, forcedColors });
  if (now) await page.clock.setFixedTime(now);
  return page;
}

async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PAGE_DEADLINE_MS);
  return context.newPage();
}

/** Takes away what a test has left in a page and its profile; false if the page is no longer usable. */
async function isEmptied(page: Page): Promise<boolean> {
  const context = page.context();
  if (page.isClosed() || !context.browser()?.isConnected()) return false;
  for (const other of context.pages()) if (other !== page) await other.close();
  for (const source of [page, context])
    for (const event of ['weberror', 'console', 'request', 'response']) source.removeAllListeners(event);
  await Promise.all([page.unrouteAll({ behavior: 'ignoreErrors' }), context.unrouteAll({ behavior: 'ignoreErrors' })]);
  await Promise.all([context.setOffline(false), context.clearPermissions(), context.clearCookies()]);
  const origin = await page.evaluate<string>(
    'origin === "null" ? "" : (localStorage.clear(), sessionStorage.clear(), origin)',
  );
  await page.goto('about:blank');
  // Or the next document would have a pointer on it.
  await page.mouse.move(0, 0);
  if (origin) {
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await session.detach();
  }
  return true;
}
