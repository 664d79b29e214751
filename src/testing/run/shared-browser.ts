// One Chromium for all processes of a test run; a test file that runs alone starts its own.
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { freePort } from '../postgres.ts';

/** The headless shell takes half of the CPU time. */
const CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Environment variable with the address of the shared Chromium's DevTools. */
const ADDRESS = 'OPSDECK_TEST_BROWSER';

/** Path of Debian's Chromium; undefined if it is not installed. */
export function findChromium(): string | undefined {
  return CHROMIUMS.find((path) => existsSync(path));
}

/** Starts Chromium, if installed, for {@link connectBrowser} in child processes; returns a function that closes it. */
export async function launchSharedBrowser(): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  if (!executablePath) return async () => {};
  const { chromium } = await import('playwright-core');
  const port = await freePort();
  const args = [...CHROMIUM_FLAGS, `--remote-debugging-port=${port}`];
  const browser = await chromium.launch({ executablePath, args });
  process.env[ADDRESS] = `http://127.0.0.1:${port}`;
  return () => browser.close();
}

/** Connects to the shared Chromium, or starts one. Closing the connection does not affect others. */
export async function connectBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const address = process.env[ADDRESS];
  if (address) return chromium.connectOverCDP(address);
  return chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_FLAGS });
}
