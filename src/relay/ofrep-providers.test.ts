import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, type TestContext, test } from 'node:test';
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import * as esbuild from 'esbuild';
import type { Page } from 'playwright-core';
import { systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { launchBrowser, openPage } from '../testing/browser.ts';
import { HANG_MS } from '../testing/eventually.ts';
import { ENVIRONMENT_DEFAULTS } from './config/relay-defaults.ts';
import { type RelayServer, startRelay } from './server.ts';
import { RELAY_DEFAULTS } from './testing/config.ts';
import { type FakeLaunchDarkly, startFakeLaunchDarkly } from './testing/launchdarkly/fake.ts';
import { plainFlag } from './testing/launchdarkly/faults.ts';

// OpenFeature's own providers, as applications use them.

const SDK_KEY = 'sdk-00000000-0000-4000-8000-00000000000a';
const MOBILE_KEY = 'mob-00000000-0000-4000-8000-00000000000b';
const ENV_ID = '507f1f77bcf86cd799439011';
const FLAGS = {
  bool: plainFlag('bool', true),
  number: plainFlag('number', 1.5),
  object: plainFlag('object', { a: [1, 'two'] }),
  server: {
    ...(plainFlag('server', 'secret') as object),
    clientSideAvailability: { usingEnvironmentId: false, usingMobileKey: false },
  },
  text: plainFlag('text', 'old'),
};

const startUpstream = (t: TestContext) => startFakeLaunchDarkly(t, { flags: FLAGS });

async function start(t: TestContext, { url }: FakeLaunchDarkly, port = 0): Promise<RelayServer> {
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
  const environment = { ...ENVIRONMENT_DEFAULTS, name: 'e', sdkKey: SDK_KEY, mobileKey: MOBILE_KEY, envId: ENV_ID };
  const options = {
    ...RELAY_DEFAULTS,
    host: '127.0.0.1',
    port,
    gracefulShutdownMs: HANG_MS,
    streamUri: url,
    environments: [environment],
  };
  const relay = await startRelay(options, systemClock, log);
  t.after(() => relay.close());
  await relay.settled;
  return relay;
}

const portOf = ({ url }: RelayServer): number => Number(new URL(url).port);

describe('@openfeature/ofrep-provider', () => {
  const CONTEXT = { targetingKey: 'a', plan: 'gold' };

  async function connect(t: TestContext, baseUrl: string, headers: [string, string][]) {
    const domain = `${t.name} ${baseUrl}`;
    await OpenFeature.setProviderAndWait(domain, new OFREPProvider({ baseUrl, headers }));
    t.after(() => OpenFeature.clearProviders());
    return OpenFeature.getClient(domain);
  }

  const credentials: readonly [what: string, header: [string, string]][] = [
    ['a bearer token', ['Authorization', `Bearer ${SDK_KEY}`]],
    ['an API key', ['X-API-Key', SDK_KEY]],
  ];
  for (const [what, header] of credentials) {
    test(`with ${what}: every type of value, and a missing flag`, async (t) => {
      const relay = await start(t, await startUpstream(t));
      const client = await connect(t, relay.url, [header]);
      const details = await client.getBooleanDetails('bool', false, CONTEXT);
      assert.deepEqual(
        { ...details },
        {
          flagKey: 'bool',
          value: true,
          variant: '0',
          reason: 'STATIC',
          flagMetadata: { version: 1, ldReason: 'FALLTHROUGH' },
        },
      );
      assert.equal(await client.getStringValue('text', 'x', CONTEXT), 'old');
      assert.equal(await client.getNumberValue('number', 0, CONTEXT), 1.5);
      assert.deepEqual(await client.getObjectValue('object', {}, CONTEXT), { a: [1, 'two'] });
      const missing = await client.getBooleanDetails('missing', true, CONTEXT);
      assert.deepEqual([missing.value, missing.errorCode], [true, 'FLAG_NOT_FOUND']);
      const keyless = await client.getBooleanDetails('bool', false, {});
      assert.deepEqual([keyless.value, keyless.errorCode], [false, 'TARGETING_KEY_MISSING']);
      const mistyped = await client.getBooleanDetails('text', false, CONTEXT);
      assert.deepEqual([mistyped.value, mistyped.errorCode], [false, 'TYPE_MISMATCH']);
    });
  }

  test('sees changes, and continues after a restart of the relay', async (t) => {
    const upstream = await startUpstream(t);
    const relay = await start(t, upstream);
    const client = await connect(t, relay.url, [['Authorization', `Bearer ${SDK_KEY}`]]);
    assert.equal(await client.getStringValue('text', 'x', CONTEXT), 'old');
    upstream.patch('flags', plainFlag('text', 'new', 2));
    await untilText(relay, 'new');
    assert.equal(await client.getStringValue('text', 'x', CONTEXT), 'new');
    await relay.close();
    assert.equal(await client.getStringValue('text', 'x', CONTEXT), 'x');
    await start(t, upstream, portOf(relay));
    assert.equal(await client.getStringValue('text', 'x', CONTEXT), 'new');
  });

  test('is refused with an unknown key, and does not see invisible flags', async (t) => {
    const relay = await start(t, await startUpstream(t));
    const stranger = await connect(t, relay.url, [['Authorization', 'Bearer sdk-unknown']]);
    const refused = await stranger.getBooleanDetails('bool', false, CONTEXT);
    assert.deepEqual([refused.value, refused.errorCode], [false, 'GENERAL']);
    const mobile = await connect(t, relay.url, [['Authorization', `Bearer ${MOBILE_KEY}`]]);
    assert.equal((await mobile.getStringDetails('server', 'x', CONTEXT)).errorCode, 'FLAG_NOT_FOUND');
    assert.equal(await mobile.getStringValue('text', 'x', CONTEXT), 'old');
  });
});

/** Waits until a change has reached the store of the relay. */
async function untilText({ environments }: RelayServer, value: string): Promise<void> {
  const store = environments[0]?.store;
  assert.ok(store);
  const isThere = () => store.flag('text')?.flag.variations[0] === value;
  if (isThere()) return;
  await new Promise<void>((resolve) => {
    const look = () => isThere() && resolve();
    store.subscribe({ replaced: look, changed: look, removed: look });
  });
}

const SCRIPT = `
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
const client = OpenFeature.getClient();
window.connect = async (baseUrl, headers, targetingKey) => {
  await OpenFeature.setContext({ targetingKey });
  try {
    await OpenFeature.setProviderAndWait(new OFREPWebProvider({ baseUrl, headers }));
    return 'ready';
  } catch (error) {
    return error.code ?? String(error);
  }
};
window.read = (key) => client.getStringDetails(key, 'default');
window.whenText = (value) => new Promise((resolve) => {
  const look = () => { if (client.getStringValue('text', 'default') === value) resolve(value); };
  client.addHandler(ProviderEvents.ConfigurationChanged, look);
  look();
});
`;

describe('@openfeature/ofrep-web-provider in Chromium, from another origin', () => {
  let page: { readonly url: string; close(): void };

  before(async () => {
    const { outputFiles } = await esbuild.build({
      stdin: { contents: SCRIPT, resolveDir: '.', loader: 'js' },
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'browser',
      logLevel: 'silent',
    });
    const html = '<!doctype html><title>shop</title><link rel="icon" href="data:,"><script src="/shop.js"></script>';
    const server = createServer(({ url }, response) => {
      const isScript = url === '/shop.js';
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? outputFiles[0]?.text : html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    page = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
  });
  after(() => page.close());

  /** Runs an expression in the page. */
  const run = (shop: Page, name: string, ...args: readonly unknown[]): Promise<unknown> =>
    shop.evaluate(`${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`);

  test('starts, is notified of changes, requests nothing else, and continues after a restart of the relay', async (t) => {
    const upstream = await startUpstream(t);
    const relay = await start(t, upstream);
    const shop = await openPage(t, await launchBrowser(t), page.url);
    const statuses: number[] = [];
    shop.on('response', (response) => {
      if (response.request().method() === 'POST') statuses.push(response.status());
    });
    const headers = [['Authorization', `Bearer ${ENV_ID}`]];
    assert.equal(await run(shop, 'connect', relay.url, headers, 'a'), 'ready');
    assert.deepEqual(await run(shop, 'read', 'text'), {
      flagKey: 'text',
      value: 'old',
      variant: '0',
      reason: 'STATIC',
      flagMetadata: { version: 1, ldReason: 'FALLTHROUGH' },
    });
    assert.equal(((await run(shop, 'read', 'server')) as { errorCode: string }).errorCode, 'FLAG_NOT_FOUND');

    upstream.patch('flags', plainFlag('text', 'new', 2));
    assert.equal(await run(shop, 'whenText', 'new'), 'new');

    const unchanged = shop.waitForResponse((response) => response.status() === 304);
    upstream.patch('flags', { ...FLAGS.server, version: 2 });
    await unchanged;
    assert.deepEqual(statuses, [200, 200, 304]);

    await relay.close();
    upstream.patch('flags', plainFlag('text', 'newest', 3));
    await start(t, upstream, portOf(relay));
    assert.equal(await run(shop, 'whenText', 'newest'), 'newest');
  });

  test('is refused with an unknown key', async (t) => {
    const relay = await start(t, await startUpstream(t));
    const shop = await openPage(t, await launchBrowser(t), page.url);
    assert.equal(await run(shop, 'connect', relay.url, [['X-API-Key', 'unknown']], 'a'), 'PROVIDER_FATAL');
    assert.equal(await run(shop, 'connect', relay.url, [['X-API-Key', ENV_ID]], 'a'), 'ready');
  });
});
