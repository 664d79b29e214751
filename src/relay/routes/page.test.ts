import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { composeRelay } from '../composition/relay.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { ActivityReport, FlagDetails, FlagList, SwitchAnswer, TryAnswer } from '../contract/page.ts';
import { environment, RELAY_DEFAULTS } from '../testing/config.ts';

const SDK_KEY = 'sdk-00000000-0000-4000-8000-0000000secret';
const TOKEN = 'page-token-of-this-relay';
const FLAGS = `flags:
  # the checkout
  checkout:
    on: true
    variations: [true, false]
    offVariation: 1
    targets: [{ variation: 0, values: [ada] }]
    fallthrough: { rollout: { variations: [{ variation: 0, weight: 25000 }, { variation: 1, weight: 75000 }] } }
  banner:
    variations: [blue]
    offVariation: 0
    prerequisites: [{ key: checkout, variation: 0 }]
flagValues:
  size: 25
`;

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly peer?: string;
}

/** A relay on a file of flags, in this process. */
async function open(t: TestContext, options: Partial<RelayOptions> = {}) {
  const clock = new FakeClock();
  const file = join(temporaryFolder(t), 'flags.yml');
  writeFileSync(file, FLAGS);
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const environments = [environment('local', SDK_KEY, { dataFile: file })];
  const relay = composeRelay({ ...RELAY_DEFAULTS, environments, isLocal: true, ...options }, clock, log);
  await relay.start();
  t.after(() => relay.close());
  const ask = async (path: string, { method = 'GET', body, headers = {}, peer = '127.0.0.1' }: Asked = {}) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const all = { host: 'localhost:8030', ...type, ...headers };
    const socket = { remoteAddress: peer };
    const incoming = Object.assign(Readable.from([Buffer.from(text)]), { headers: all, httpVersion: '1.1', socket });
    const answer = await relay.app.request(path, { method, headers: all }, { incoming } as never);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const read = async <T>(path: string, asked?: Asked): Promise<T> => {
    const { status, text } = await ask(path, asked);
    assert.equal(status, 200, text);
    return JSON.parse(text) as T;
  };
  /** Lets the source read the changed file. */
  const settle = () => {
    clock.advance(500);
    clock.advance(500);
  };
  const [first] = relay.set.environments;
  assert.ok(first);
  return { store: first.store, file, lines, ask, read, settle };
}

const OTHER_MACHINE = { peer: '10.0.0.7', headers: { host: 'relay.example:8030' } };
const API = ['/api/activity', '/api/flags', '/api/flags/checkout'];

test('the page is served on this machine; elsewhere it is not there without a token, and the text names the remedy', async (t) => {
  const { ask } = await open(t);
  const page = await ask('/');
  assert.equal(page.status, 200);
  assert.match(page.text, /<title>Flags/);
  const script = /src="\.\/(assets\/main-\w+\.js)"/.exec(page.text)?.[1];
  assert.equal((await ask(`/${script}`)).status, 200);
  assert.equal((await ask('/assets/none.js')).status, 404);
  for (const path of ['/', '/favicon.svg', `/${script}`]) {
    const { status, text } = await ask(path, OTHER_MACHINE);
    assert.equal(status, 404, path);
    assert.match(text, /^404 page not found\n.*--page-token/s, path);
  }
  for (const path of API) {
    const { status, text } = await ask(path, OTHER_MACHINE);
    assert.equal(status, 403, path);
    assert.match(text, /--page-token \(PAGE_TOKEN\)/);
  }
  const forwarded = { headers: { 'x-forwarded-for': '10.0.0.7' } };
  assert.equal((await ask('/api/flags', forwarded)).status, 403);
});

test('with a token the page is open elsewhere, and its API to holders of the token', async (t) => {
  const { ask, read } = await open(t, { pageToken: TOKEN });
  assert.equal((await ask('/', OTHER_MACHINE)).status, 200);
  for (const path of API) {
    const { status, headers } = await ask(path, OTHER_MACHINE);
    assert.equal(status, 401, path);
    assert.equal(headers.get('www-authenticate'), 'Bearer');
    const { host } = OTHER_MACHINE.headers;
    await read(path, { ...OTHER_MACHINE, headers: { host, authorization: `Bearer ${TOKEN}` } });
    const wrong = { ...OTHER_MACHINE, headers: { host, authorization: `Bearer ${SDK_KEY}` } };
    assert.equal((await ask(path, wrong)).status, 401);
  }
});

test('pages of other sites and requests that are not JSON change nothing', async (t) => {
  const { ask, file } = await open(t);
  const body = { environment: 'local', on: false, version: 1, comment: '' };
  const path = '/api/flags/checkout/switch';
  assert.equal((await ask(path, { method: 'POST', body, headers: { origin: 'https://evil.example' } })).status, 403);
  assert.equal((await ask(path, { method: 'POST', body, headers: { 'content-type': 'text/plain' } })).status, 415);
  assert.equal((await ask(path, { method: 'POST', body: { ...body, on: 'no' } })).status, 400);
  assert.equal((await ask(path)).status, 405);
  assert.equal(readFileSync(file, 'utf8'), FLAGS);
});

test('the list has state, default and counts of every flag, and a repeated request is answered without a body', async (t) => {
  const { ask, read } = await open(t);
  const { flags, environment } = await read<FlagList>('/api/flags');
  assert.equal(environment, 'local');
  assert.deepEqual(
    flags.map(({ key, on, default: shares }) => [key, on, shares.map(({ value, percent }) => `${percent} ${value}`)]),
    [
      ['banner', false, ['100 "blue"']],
      ['checkout', true, ['25 true', '75 false']],
      ['size', true, ['100 25']],
    ],
  );
  const etag = (await ask('/api/flags')).headers.get('etag') ?? '';
  const again = await ask('/api/flags', { headers: { 'if-none-match': etag } });
  assert.deepEqual([again.status, again.text], [304, '']);
  assert.equal((await ask('/api/flags?environment=other')).status, 404);
});

test('the details of a flag have its definition, also as YAML, and the flags that depend on it', async (t) => {
  const { ask, read } = await open(t);
  const details = await read<FlagDetails>('/api/flags/checkout?environment=local');
  assert.deepEqual(details.dependents, ['banner']);
  assert.equal(details.switchObstacle, null);
  assert.deepEqual(details.flag.targets, [{ contextKind: '', variation: 0, values: ['ada'] }]);
  assert.deepEqual((await read<FlagDetails>('/api/flags/banner')).required, ['true']);
  assert.equal((await read<FlagDetails>('/api/flags/size')).switchObstacle, 'value');
  const yaml = await ask('/api/flags/checkout?format=yaml');
  assert.match(yaml.text, /^flags:\n {2}checkout:\n.*\n? {4}on: true\n/s);
  assert.equal((await ask('/api/flags/none')).status, 404);
});

test('a context is tried with every step, as relay eval explains it', async (t) => {
  const { ask, read } = await open(t);
  const body = { environment: 'local', flag: 'checkout', context: { kind: 'user', key: 'ada' } };
  const { value, variation, reason, steps } = await read<TryAnswer>('/api/try', { method: 'POST', body });
  assert.deepEqual([value, variation, reason], [true, 0, { kind: 'TARGET_MATCH' }]);
  assert.deepEqual(steps, ['flag "checkout" is on', 'target of 1 user keys, variation 0: matches']);
  const bad = await ask('/api/try', { method: 'POST', body: { ...body, context: { kind: 'user' } } });
  assert.equal(bad.status, 400);
  assert.match(bad.text, /context: .*key.* such as/);
  assert.equal((await ask('/api/try', { method: 'POST', body: { ...body, flag: 'none' } })).status, 404);
});

test('a flag is switched in its file with a comment, and back; the history has both', async (t) => {
  const { ask, read, settle, file, lines } = await open(t);
  const put = (on: boolean, version: number, comment = '') => {
    const asked = ask('/api/flags/checkout/switch', {
      method: 'POST',
      body: { environment: 'local', on, version, comment },
    });
    return { asked, served: () => settle() };
  };
  const switched = async (on: boolean, version: number, comment?: string): Promise<SwitchAnswer> => {
    const { asked, served } = put(on, version, comment);
    // The body is read first.
    while (!readFileSync(file, 'utf8').includes(`on: ${on}`)) await new Promise<void>((done) => setImmediate(done));
    served();
    const { status, text } = await asked;
    assert.equal(status, 200, text);
    return JSON.parse(text) as SwitchAnswer;
  };
  assert.deepEqual(await switched(false, 1, 'incident 41'), { file, version: 2 });
  assert.equal(readFileSync(file, 'utf8'), FLAGS.replace('on: true', 'on: false'));
  assert.ok(lines.some((line) => line.includes('switched') && line.includes('incident 41')));
  const conflict = await put(true, 1).asked;
  assert.equal(conflict.status, 409);
  assert.match(conflict.text, /has changed meanwhile/);
  assert.deepEqual(await switched(true, 2), { file, version: 3 });
  assert.equal(readFileSync(file, 'utf8'), FLAGS);
  const { environment } = await read<ActivityReport>('/api/activity');
  assert.deepEqual(
    environment?.changes.map(({ key, what, comment, differences }) => [key, what, comment, differences]),
    [
      ['checkout', 'changed', null, [{ path: 'on', before: 'false', after: 'true' }]],
      ['checkout', 'changed', 'incident 41', [{ path: 'on', before: 'true', after: 'false' }]],
    ],
  );
  const { flags } = await read<FlagList>('/api/flags');
  assert.ok(flags.find(({ key }) => key === 'checkout')?.changedAt);
});

test('a switch is refused where the file has another state than the relay serves, or only a value', async (t) => {
  const { ask, file } = await open(t);
  const post = (key: string, on: boolean, environment = 'local') =>
    ask(`/api/flags/${key}/switch`, { method: 'POST', body: { environment, on, version: 1 } });
  const edited = FLAGS.replace('on: true', 'on: false');
  writeFileSync(file, edited);
  assert.equal((await post('checkout', false)).status, 409);
  const value = await post('size', false);
  assert.equal(value.status, 409);
  assert.match(value.text, /only a value/);
  assert.equal((await post('none', false)).status, 404);
  assert.equal((await post('checkout', false, 'other')).status, 404);
  writeFileSync(file, 'flags: [');
  assert.match((await post('checkout', false)).text, /flags\.yml:1/);
  assert.equal(readFileSync(file, 'utf8'), 'flags: [');
});

test('flags of LaunchDarkly are read-only', async (t) => {
  const environments = [environment('prod', SDK_KEY)];
  const { ask, read, store } = await open(t, { environments, isLocal: false, streamUri: 'http://127.0.0.1:1' });
  const { environment: activity } = await read<ActivityReport>('/api/activity');
  assert.deepEqual([activity?.source, activity?.place], ['launchdarkly', '127.0.0.1:1']);
  assert.equal(activity?.status.connectionStatus.state, 'INITIALIZING');
  store.replace({ flags: { checkout: { key: 'checkout', version: 1, on: true } }, segments: {} });
  assert.equal((await read<FlagDetails>('/api/flags/checkout')).switchObstacle, 'launchdarkly');
  const body = { environment: 'prod', on: false, version: 1 };
  const { status, text } = await ask('/api/flags/checkout/switch', { method: 'POST', body });
  assert.equal(status, 409);
  assert.match(text, /not in a file of this relay/);
});

test('the activity counts what SDKs evaluate, names them, and keeps warnings; it has no key', async (t) => {
  const { ask, read, settle, file } = await open(t);
  const authorization = SDK_KEY;
  const counters = [
    { variation: 0, version: 1, value: true, count: 5 },
    { variation: 1, version: 1, value: false, count: 2 },
  ];
  const features = { checkout: { counters }, gone: { counters: [{ unknown: true, value: 1, count: 3 }] } };
  const headers = { authorization, 'user-agent': 'GoClient/7.1.0', 'x-launchdarkly-event-schema': '4' };
  const events = [
    { kind: 'summary', features },
    { kind: 'feature', key: 'checkout', variation: 0 },
  ];
  assert.equal((await ask('/bulk', { method: 'POST', headers, body: events })).status, 202);
  const ofrep = { authorization: `Bearer ${SDK_KEY}`, 'user-agent': 'ofrep' };
  const evaluation = { method: 'POST', headers: ofrep, body: { context: { targetingKey: 'ada' } } };
  assert.equal((await ask('/ofrep/v1/evaluate/flags/checkout', evaluation)).status, 200);
  writeFileSync(file, 'flags: [');
  settle();
  const { text } = await ask('/api/activity?environment=local');
  const { environment: activity } = JSON.parse(text) as ActivityReport;
  assert.equal(activity?.evaluations, 11);
  assert.deepEqual(
    activity?.sdks.map(({ name, requests }) => [name, requests]),
    [
      ['GoClient/7.1.0', 1],
      ['ofrep', 1],
    ],
  );
  assert.deepEqual(
    activity?.unknownFlags.map(({ key, count }) => [key, count]),
    [['gone', 3]],
  );
  assert.match(activity?.problems[0]?.text ?? '', /cannot be read.*flags\.yml:1/);
  const details = await read<FlagDetails>('/api/flags/checkout');
  assert.deepEqual(details.counts, [
    { variation: 0, count: 6 },
    { variation: 1, count: 2 },
  ]);
  for (const path of API) assert.ok(!(await ask(path)).text.includes('secret'.padStart(13, '0')), path);
  assert.match(activity?.status.sdkKey ?? '', /^sdk-\*+.*ecret$/);
});
