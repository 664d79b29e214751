// One Chromium for all processes of a run of tests; a test file that runs alone starts its own.
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** The first one costs half the processor time: it draws nothing around a page. */
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
/** Names the address of a Chromium that runs already. */
const ADDRESS = 'OPSDECK_TEST_BROWSER';

/** Where Debian's Chromium is installed, if it is. */
export function findChromium(): string | undefined {
  return CHROMIUMS.find((path) => existsSync(path));
}

/** Starts Debian's Chromium, if there is one, for {@link connectBrowser} in child processes; returns how it ends. */
export async function launchSharedBrowser(): Promise<() => Promise<void>> {
  const executablePath = findChromium();
  if (!executablePath) return async () => {};
  const { chromium } = await import('playwright-core');
  const server = await chromium.launchServer({ executablePath, args: CHROMIUM_FLAGS, host: '127.0.0.1' });
  process.env[ADDRESS] = server.wsEndpoint();
  return () => server.close();
}

/** The Chromium of the run, or else one of its own; closing it closes no page of anybody else. */
export async function connectBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const address = process.env[ADDRESS];
  if (address) return chromium.connect(address);
  return chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_FLAGS });
}
