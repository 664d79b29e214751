import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import type { HttpConfig } from '../config/http-config.ts';
import { configOf, notifyOnce, printedOf, refusalOf } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { notificationOf, plainHttp, resolvedAlert } from '../testing/notifier-parts.ts';
import type { HttpClient, NotifierContext } from './notifier.ts';
import { pushoverIntegration as pushover } from './pushover.ts';

const KEYS = 'user_key: u1, token: t1';

/** Sends the service's requests to a sink. */
function detourTo(url: string, { openHttp }: Pick<NotifierContext, 'openHttp'> = { openHttp: () => plainHttp }) {
  return {
    openHttp(config: HttpConfig | undefined): HttpClient {
      const http = openHttp(config);
      return {
        send: (request) => http.send({ ...request, url: request.url.replace('https://api.pushover.net', url) }),
      };
    },
  };
}

async function sendTo(t: Parameters<typeof startHttpSink>[0], more = '', answer: SinkAnswer = {}, isResolved = false) {
  const sink = await startHttpSink(t, () => answer);
  const yaml = `{${KEYS}${more === '' ? '' : `, ${more}`}}`;
  const notification = isResolved ? { notification: notificationOf([resolvedAlert({ alertname: 'Down' })]) } : {};
  const delivery = await notifyOnce(pushover, yaml, { context: detourTo(sink.url), ...notification });
  const query = new URL(sink.requests[0]?.path ?? '', sink.url).searchParams;
  return { sink, delivery, query };
}

testIntegration(pushover, {
  yaml: '{user_key: u1, token: s3cr3t}',
  create: (config, context, url) => pushover.create(config, { ...context, ...detourTo(url, context) }),
  documented: [
    {
      name: 'a message of Pushover, all of it in the query',
      source: 'https://pushover.net/api#messages',
      yaml: `{${KEYS}, priority: "{{ .Status }}"}`,
      answer: {},
      request:
        'POST /1/messages.json?device=&expire=3600&message=%3Cpushover.default.message%3E&priority=firing&retry=60&sound=' +
        '&title=%3Cpushover.default.title%3E&token=t1&url=%3Cpushover.default.url%3E&url_title=&user=u1',
      headers: { 'content-type': 'text/plain' },
      body: '',
    },
  ],
});

describe('a Pushover configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['{token: t}', 'line 1: one of user_key or user_key_file must be configured'],
    ['{token: t, user_key: u, user_key_file: f}', 'line 1: at most one of user_key & user_key_file must be configured'],
    ['{user_key: u}', 'line 1: one of token or token_file must be configured'],
    ['{user_key: u, token: t, token_file: f}', 'line 1: at most one of token & token_file must be configured'],
    [`{${KEYS}, html: true, monospace: true}`, 'line 1: at most one of monospace & html must be configured'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(pushover, yaml), reason));
  }

  test('is shown without its keys, and its printed form loads again', () => {
    const config = configOf(pushover, '{user_key: hush, token: hush, ttl: 90s}');
    const { printed, again } = printedOf(pushover, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, userKey: '<secret>', token: '<secret>' });
    assert.deepEqual([config.sendResolved, config.retry, config.expire, config.ttl], [true, 60_000, 3_600_000, 90_000]);
  });
});

describe('Pushover is notified', () => {
  test('with all that can be configured', async (t) => {
    const more =
      'title: T, message: "a b & c", url: "http://x.example.org/", url_title: U, device: phone, sound: siren, ' +
      'priority: "1", retry: 90s, expire: 2h, ttl: 1m30s, monospace: true';
    const { query } = await sendTo(t, more);
    assert.deepEqual(Object.fromEntries(query), {
      device: 'phone',
      expire: '7200',
      message: 'a b & c',
      monospace: '1',
      priority: '1',
      retry: '90',
      sound: 'siren',
      title: 'T',
      token: 't1',
      ttl: '90',
      url: 'http://x.example.org/',
      url_title: 'U',
      user: 'u1',
    });
  });

  test('of a group that is resolved', async (t) => {
    assert.equal((await sendTo(t, 'message: "{{ .Status }}"', {}, true)).query.get('message'), 'resolved');
  });

  test('in HTML that is escaped, where the message is HTML', async (t) => {
    const sink = await startHttpSink(t);
    const templates = { text: () => 'as text', html: () => 'as html' };
    await notifyOnce(pushover, `{${KEYS}, html: true}`, { context: { ...detourTo(sink.url), templates } });
    const query = new URL(sink.requests[0]?.path ?? '', sink.url).searchParams;
    assert.deepEqual([query.get('message'), query.get('html'), query.get('title')], ['as html', '1', 'as text']);
  });

  test('no more than it takes, and never nothing', async (t) => {
    const long = (count: number) => 'ä'.repeat(count);
    const more = `title: ${long(251)}, message: ${long(1025)}, url: ${long(513)}`;
    const { query } = await sendTo(t, more);
    assert.equal(query.get('title'), `${long(249)}…`);
    assert.equal(query.get('message'), `${long(1023)}…`);
    assert.equal(query.get('url'), `${long(511)}…`);
    assert.equal((await sendTo(t, 'message: " "')).query.get('message'), '(no details)');
  });

  test('with keys from files, which are read at each use, and are templates', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
    t.after(() => rm(folder, { recursive: true }));
    const [user, token] = [join(folder, 'user'), join(folder, 'token')];
    const sink = await startHttpSink(t);
    const send = () =>
      notifyOnce(pushover, `{user_key_file: ${user}, token_file: ${token}}`, { context: detourTo(sink.url) });
    for (const [path, name] of [
      [token, 'token_file'],
      [user, 'user_key_file'],
    ] as const) {
      const delivery = await send();
      assert.match(delivery.ok ? '' : delivery.error, new RegExp(`^read ${name}: ENOENT`));
      assert.equal(delivery.ok || delivery.retry, false);
      await writeFile(path, `${name}-{{ .Status }}\n`);
    }
    await send();
    const query = new URL(sink.requests[0]?.path ?? '', sink.url).searchParams;
    assert.deepEqual([query.get('token'), query.get('user')], ['token_file-firing', 'user_key_file-firing']);
  });
});

describe('a Pushover that fails', () => {
  test('and repeats the keys does not show them', async (t) => {
    const { delivery } = await sendTo(t, '', { status: 400, body: 'user u1 with token t1 is unknown' });
    assert.equal(
      delivery.ok || delivery.error,
      'unexpected status code 400: user <redacted> with token <redacted> is unknown',
    );
  });
});
