import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import type { HttpConfig } from '../config/http-config.ts';
import { configOf, notifyOnce, printedOf, refusalOf, sentJson } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { notificationOf, notifiedAlert, resolvedAlert } from '../testing/notifier-parts.ts';
import { incidentioIntegration as incidentio } from './incidentio.ts';
import type { NotifierContext } from './notifier.ts';

const TOKEN = 'alert_source_token: hush';

async function sendTo(t: Parameters<typeof startHttpSink>[0], more = '', answer: SinkAnswer = { status: 202 }) {
  const sink = await startHttpSink(t, () => answer);
  const yaml = `{url: "${sink.url}/v2/alert_events/alertmanager/A1", ${TOKEN}${more === '' ? '' : `, ${more}`}}`;
  return { sink, delivery: await notifyOnce(incidentio, yaml) };
}

testIntegration(incidentio, {
  yaml: '{url: URL, alert_source_token: s3cr3t}',
  isRetried: (status) => status === 429 || status >= 500,
  documented: [
    {
      name: 'an alert event of the Alertmanager source of incident.io',
      source: 'https://api-docs.incident.io/tag/Alert-Events-V2',
      yaml: `{url: "URL/v2/alert_events/alertmanager/A1", ${TOKEN}}`,
      answer: { status: 202 },
      request: 'POST /v2/alert_events/alertmanager/A1',
      headers: { authorization: 'Bearer hush' },
      body:
        '{"receiver":"team","status":"firing","alerts":[{"status":"firing","labels":{"alertname":"Down"},"annotations":{},' +
        '"startsAt":"2026-01-01T00:00:00Z","endsAt":"0001-01-01T00:00:00Z","generatorURL":"","fingerprint":"0123456789abcdef"}],' +
        '"notification_reason":"first notification","groupLabels":{"alertname":"Down"},"commonLabels":{"alertname":"Down"},' +
        '"commonAnnotations":{},"routeLabels":{},"externalURL":"http://alerts.example.org","version":"1",' +
        '"groupKey":"{}:{alertname=\\"Down\\"}","truncatedAlerts":0}\n',
    },
  ],
});

describe('an incident.io configuration', () => {
  const url = 'url: "http://i.example.org"';
  const refusals: readonly (readonly [string, string])[] = [
    [`{${TOKEN}}`, 'line 1: one of url or url_file must be configured'],
    [`{${TOKEN}, ${url}, url_file: f}`, 'line 1: at most one of url & url_file must be configured'],
    [
      `{${TOKEN}, ${url}, alert_source_token_file: f}`,
      'line 1: at most one of alert_source_token & alert_source_token_file must be configured',
    ],
    [
      `{${TOKEN}, ${url}, http_config: {authorization: {credentials: c}}}`,
      'line 1: cannot specify alert_source_token or alert_source_token_file when using http_config.authorization',
    ],
    [
      `{${url}, http_config: {}}`,
      'line 1: at least one of alert_source_token, alert_source_token_file or http_config.authorization must be configured',
    ],
    [`{${TOKEN}, ${url}, max_alerts: -1}`, 'line 1: expected a whole number from 0 on, found -1'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(incidentio, yaml), reason));
  }

  test('may leave authorization to the HTTP configuration', () => {
    assert.equal(refusalOf(incidentio, `{${url}}`), undefined);
    assert.equal(refusalOf(incidentio, `{${url}, http_config: {bearer_token: c}}`), undefined);
    assert.equal(configOf(incidentio, `{${url}}`).sendResolved, true);
  });

  test('is shown without its token, and its printed form loads again', () => {
    const config = configOf(incidentio, `{${TOKEN}, ${url}, max_alerts: 3, timeout: 1m30s}`);
    const { printed, again } = printedOf(incidentio, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, alertSourceToken: '<secret>' });
    assert.equal(config.timeout, 90_000);
  });
});

describe('incident.io is notified', () => {
  const tokens: readonly (readonly [string, unknown])[] = [
    [TOKEN, { type: 'Bearer', credentials: 'hush', credentialsFile: undefined }],
    ['alert_source_token_file: /token', { type: 'Bearer', credentials: undefined, credentialsFile: '/token' }],
    [
      'http_config: {authorization: {credentials: c}}',
      { type: 'Bearer', credentials: 'c', credentialsFile: undefined },
    ],
  ];
  for (const [written, authorization] of tokens) {
    test(`is authenticated by ${written}`, () => {
      const seen: (HttpConfig | undefined)[] = [];
      const openHttp: NotifierContext['openHttp'] = (config) => {
        seen.push(config);
        return { send: () => Promise.reject(new Error('not to be used')) };
      };
      const config = configOf(incidentio, `{url: "http://i.example.org", ${written}}`);
      incidentio.create(config, { openHttp } as NotifierContext);
      assert.deepEqual(seen[0]?.authorization, authorization);
      assert.equal(seen[0]?.followRedirects, true);
    });
  }

  test('of no more alerts than configured, and how many are left out', async (t) => {
    const sink = await startHttpSink(t);
    const alerts = ['a', 'b', 'c'].map((name) => notifiedAlert({ alertname: name }));
    const yaml = `{url: "${sink.url}", ${TOKEN}, max_alerts: 2}`;
    await notifyOnce(incidentio, yaml, { notification: notificationOf(alerts) });
    const body = sentJson(sink) as { alerts: unknown[]; truncatedAlerts: number };
    assert.deepEqual([body.alerts.length, body.truncatedAlerts], [2, 1]);
  });

  test('of the first alert alone where all are too large, with the common labels of the group', async (t) => {
    const sink = await startHttpSink(t);
    const annotations = { summary: 'x'.repeat(300_000) };
    const alerts = [
      notifiedAlert({ alertname: 'a', zone: 'z' }, { annotations }),
      resolvedAlert({ alertname: 'b', zone: 'z' }, { annotations: { summary: 'y'.repeat(300_000) } }),
    ];
    await notifyOnce(incidentio, `{url: "${sink.url}", ${TOKEN}}`, { notification: notificationOf(alerts) });
    const body = sentJson(sink) as { alerts: unknown[]; truncatedAlerts: number; commonLabels: unknown };
    assert.deepEqual([body.alerts.length, body.truncatedAlerts, body.commonLabels], [1, 1, { zone: 'z' }]);
  });

  test('at an address from a file, read at each use', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
    t.after(() => rm(folder, { recursive: true }));
    const path = join(folder, 'url');
    const sink = await startHttpSink(t);
    const send = () => notifyOnce(incidentio, `{url_file: ${path}, ${TOKEN}}`);
    const missing = await send();
    assert.match(missing.ok ? '' : missing.error, /^read url_file: ENOENT/);
    assert.equal(missing.ok || missing.retry, false);
    await writeFile(path, `${sink.url}/x\n`);
    assert.deepEqual(await send(), { ok: true });
    assert.equal(sink.requests[0]?.path, '/x');
  });
});

describe('an incident.io that fails', () => {
  const answers: readonly (readonly [string, string])[] = [
    ['{"message":"a","error":"b","errors":["c","d"]}', 'unexpected status code 422: a: b: c, d'],
    ['{"errors":[]}', 'unexpected status code 422'],
    ['<html>', 'unexpected status code 422'],
    ['{"message":"no hush"}', 'unexpected status code 422: no <redacted>'],
  ];
  for (const [body, error] of answers) {
    test(`with ${body}`, async (t) => {
      const { delivery } = await sendTo(t, '', { status: 422, body });
      assert.equal(delivery.ok || delivery.error, error);
    });
  }
});
