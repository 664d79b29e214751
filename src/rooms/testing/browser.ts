// Shared by the tests of the rooms' page in a real browser: the built server, users, and their actions.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { eventually } from '../../testing/eventually.ts';
import {
  type Cleanup,
  listeningAddress,
  OPSDECK,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';
import { openProfile } from '../../testing/profile.ts';

export interface RoomsServer extends RunningServer {
  /** Sends JSON as a user, and returns the answer; anything but 2xx fails. */
  send<Answer>(as: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Ends it as a power cut would, and starts it again on the same data and port. */
  crash(): Promise<void>;
  /** Starts it again after `stop`. */
  restart(): Promise<void>;
}

/** Starts the built `opsdeck rooms serve` on a new directory. */
export async function serveRooms(t: Cleanup, args: readonly string[] = []): Promise<RoomsServer> {
  const folder = temporaryFolder(t);
  const launch = (port: string) =>
    startServer(t, {
      command: OPSDECK[0],
      args: [...OPSDECK.slice(1), 'rooms', 'serve', '--port', port, '--data-dir', join(folder, 'data'), ...args],
      cwd: folder,
      addressIn: listeningAddress,
    });
  let running = await launch('0');
  const { url } = running;
  const restart = async () => {
    running = await launch(new URL(url).port);
  };
  return {
    url,
    get pid() {
      return running.pid;
    },
    stop: (signal) => running.stop(signal),
    end: () => running.end(),
    stderr: () => running.stderr(),
    restart,
    async crash() {
      await running.stop('SIGKILL');
      await restart();
    },
    async send<Answer>(as: string, method: string, path: string, body?: unknown): Promise<Answer> {
      const headers = { 'x-opsdeck-user': as, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
      const response = await fetch(url + path, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      assert.equal(response.ok, true, `${method} ${path}: ${response.status} ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    },
  };
}

export interface Window {
  readonly page: Page;
  readonly context: BrowserContext;
}

export interface WindowOptions {
  readonly path?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** A phone: fingers, no pointer that hovers. */
  readonly isTouch?: boolean;
}

/** A browser of one user, at a room; errors of its pages fail the test. */
export async function openWindow(
  t: TestContext,
  browser: Browser,
  url: string,
  user: string,
  { path = '/r/ops', colorScheme = 'light', width = 1280, height = 800, isTouch = false }: WindowOptions = {},
): Promise<Window> {
  const device = { reducedMotion: 'reduce', hasTouch: isTouch, isMobile: isTouch } as const;
  const page = await openProfile(t, browser, { colorScheme, width, height, device });
  const context = page.context();
  await context.addCookies([{ name: 'opsdeck_user', value: user, url }]);
  await page.goto(url + path);
  await page.locator('.room-head h1').waitFor();
  return { page, context };
}

/** Writes into the room and sends; `name`: of the field, in the language of the page. */
export async function write(page: Page, text: string, name = 'Message'): Promise<void> {
  const field = page.getByRole('textbox', { name, exact: true });
  await field.fill(text);
  await field.press('Enter');
}

/** The articles of the room's flow that hold a text. */
export const said = (page: Page, text: string): Locator => page.locator('main article', { hasText: text });

/** The same, once the server has it: own messages are shown before they are sent. */
export const posted = (page: Page, text: string): Locator =>
  page.locator('main article:not(.pending):not(.failed)', { hasText: text });

export const lineIs = (page: Page, state: string): Promise<void> =>
  page.locator(`.pill[data-connection="${state}"]`).waitFor();

/** The texts of all messages in the flow, from top to bottom. */
export async function wordsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(`[...document.querySelectorAll('main article .body')].map((body) => body.innerText.trim())`);
}

/** The pixels between the view of the room and its end. */
export const belowView = (page: Page): Promise<number> =>
  page.locator('main .flow').evaluate((flow) => flow.scrollHeight - flow.scrollTop - flow.clientHeight);

/** Repeats the search until it finds the words: a page searches once per input, and the index follows later. */
export async function searchable(server: RoomsServer, as: string, words: string): Promise<void> {
  await eventually(`${words} to be found`, async () => {
    const path = `/api/search?q=${encodeURIComponent(words)}`;
    return (await server.send<{ readonly hits: readonly unknown[] }>(as, 'GET', path)).hits.length > 0;
  });
}
