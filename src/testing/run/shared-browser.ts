// One Chromium for all processes of a test run; a test file that runs alone starts its own.
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

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
  // A page that leaves its address keeps its process, and with it the compiled scripts.
  '--renderer-process-limit=1',
];
/** Environment variable with the address of Playwright's server, which runs the shared Chromium. */
const ADDRESS = 'OPSDECK_TEST_BROWSER';

/** Path of Debian's Chromium; undefined if it is not installed. */
export function findChromium(): string | undefined {
  return CHROMIUMS.find((path) => existsSync(path));
}

/**
 * Starts Chromium, if installed, for {@link connectBrowser} in child processes; returns a function that closes it. Over
 * DevTools each process would follow the pages of all others, too.
 */
export async function launchSharedBrowser(): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  if (!executablePath) return async () => {};
  const { chromium } = await import('playwright-core');
  const server = await chromium.launchServer({ executablePath, args: CHROMIUM_FLAGS, host: '127.0.0.1' });
  process.env[ADDRESS] = server.wsEndpoint();
  return () => server.close();
}

/** Connects to the shared Chromium, or starts one. Closing the connection does not affect others. */
export async function connectBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const address = process.env[ADDRESS];
  if (address) return chromium.connect(address);
  return chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_FLAGS });
}
