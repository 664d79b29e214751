import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import * as esbuild from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../../testing/browser.ts';
import { type Sdk, type SeenFlag, UNKNOWN_KEY } from './sdks.ts';

const HTML = '<!doctype html><title>shop</title><link rel="icon" href="data:,"><script src="/shop.js"></script>';

/** Serves a page with every client-side SDK; returns its URL, of another origin than the relay. */
async function servePage(t: TestContext): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: ['src/relay/testing/page.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
  });
  const server = createServer(({ url }, response) => {
    const isScript = url === '/shop.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? outputFiles[0]?.text : HTML);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

interface PageSdk {
  readonly name: string;
  /** Its name in the page. */
  readonly sdk: string;
  readonly useReport: boolean;
  readonly refusal: RegExp;
}

const PAGE_SDKS: readonly PageSdk[] = [
  { name: '@launchdarkly/js-client-sdk, GET', sdk: 'js-4', useReport: false, refusal: /start: failed/ },
  { name: '@launchdarkly/js-client-sdk, REPORT', sdk: 'js-4', useReport: true, refusal: /start: failed/ },
  { name: 'launchdarkly-js-client-sdk 3, GET', sdk: 'js-3', useReport: false, refusal: /start: failed/ },
  { name: 'launchdarkly-js-client-sdk 3, REPORT', sdk: 'js-3', useReport: true, refusal: /start: failed/ },
  { name: '@openfeature/ofrep-web-provider', sdk: 'ofrep', useReport: false, refusal: /ProviderFatalError/ },
];

/** The client-side SDKs, each in its own page in Chromium. */
export async function openBrowserSdks(t: TestContext): Promise<readonly Sdk[]> {
  const [pageUrl, browser] = await Promise.all([servePage(t), launchBrowser(t)]);
  return PAGE_SDKS.map((sdk) => pageSdk(t, browser, pageUrl, sdk));
}

function pageSdk(t: TestContext, browser: Browser, pageUrl: string, { name, sdk, useReport, refusal }: PageSdk): Sdk {
  const hasEvents = sdk !== 'ofrep';
  /** Pages with a closed client, for reuse: a fresh profile is expensive. */
  const left: Page[] = [];
  return {
    name,
    sdkKind: 'client',
    remembers: true,
    sendsEvents: hasEvents,
    refusal,
    async open(url, key) {
      const page = left.pop() ?? (await openShop(t, browser));
      await page.goto(pageUrl);
      const call = (method: string, ...args: readonly unknown[]): Promise<unknown> =>
        page.evaluate(`shop.${method}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`);
      await call('open', sdk, { url, key, useReport });
      return {
        read: async (flag, fallback) => (await call('read', flag, fallback)) as SeenFlag,
        ...(hasEvents ? { report: async (event: string) => void (await call('report', event)) } : {}),
        close: async () => {
          await page.goto('about:blank');
          left.push(page);
        },
      };
    },
  };
}

/** Console errors that are part of the test: of a stopped relay, and for an unknown key. */
const EXPECTED_COMPLAINTS = new RegExp(`^Failed to load resource|/${UNKNOWN_KEY}[/?'].* blocked by CORS policy`);

/** A page in a fresh browser profile; any other error in it fails the test. */
async function openShop(t: TestContext, browser: Browser): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  t.after(async () => {
    await context.close();
    assert.deepEqual(
      complaints.filter((text) => !EXPECTED_COMPLAINTS.test(text)),
      [],
    );
  });
  return page;
}
