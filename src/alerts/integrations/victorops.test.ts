import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startHttpSink } from '../../testing/http/sink.ts';
import { configOf, notifyOnce, printedOf, refusalOf, sentJson } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { GROUP_HASH, notificationOf, notifiedAlert, resolvedAlert } from '../testing/notifier-parts.ts';
import { victoropsIntegration as victorops } from './victorops.ts';

testIntegration(victorops, {
  yaml: '{api_url: URL, api_key: s3cr3t, routing_key: r}',
  documented: [
    {
      name: 'an alert of VictorOps',
      source: 'https://help.victorops.com/knowledge-base/rest-endpoint-integration-guide/',
      yaml: '{api_url: URL/alert, api_key: k1, routing_key: team a, custom_fields: {zone: "{{ .Status }}", a: b}}',
      answer: {},
      request: 'POST /alert/k1/team%20a',
      body:
        `{"a":"b","entity_display_name":"\\u003cvictorops.default.entity_display_name\\u003e","entity_id":"${GROUP_HASH}",` +
        '"message_type":"CRITICAL","monitoring_tool":"\\u003cvictorops.default.monitoring_tool\\u003e",' +
        '"state_message":"\\u003cvictorops.default.state_message\\u003e","zone":"firing"}\n',
    },
  ],
});

describe('a VictorOps configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['{api_key: k}', 'line 1: missing Routing key in VictorOps config'],
    [
      '{routing_key: r, api_key: k, api_key_file: f}',
      'line 1: at most one of api_key & api_key_file must be configured',
    ],
    ['{routing_key: r}', 'no global VictorOps API Key set'],
    [
      '{routing_key: r, api_key: k, custom_fields: {entity_state: x}}',
      'line 1: victorOps config contains custom field entity_state which cannot be used as it conflicts with the fixed/static fields',
    ],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(victorops, yaml), reason));
  }

  test('takes key and address from the global part', () => {
    const config = configOf(victorops, '{routing_key: r}', { victoropsApiKeyFile: '/key' });
    assert.equal(config.apiKeyFile, '/key');
    assert.equal(config.apiUrl, 'https://alert.victorops.com/integrations/generic/20131114/alert/');
    assert.equal(config.sendResolved, true);
  });

  test('is shown without its key, and its printed form loads again', () => {
    const config = configOf(victorops, '{routing_key: r, api_key: hush, api_url: "http://v.example.org/x?y=1"}');
    const { printed, again } = printedOf(victorops, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, apiKey: '<secret>' });
    assert.equal(again.apiUrl, 'http://v.example.org/x/?y=1');
  });
});

describe('VictorOps is notified', () => {
  for (const key of ['..', '../../admin', 'a/../../b', './..', 'a/..', '.']) {
    test(`only at its own path, whatever the label: ${key}`, async (t) => {
      const sink = await startHttpSink(t);
      const delivery = await notifyOnce(victorops, `{api_url: "${sink.url}/vo", api_key: k, routing_key: "${key}"}`);
      const error = `the routing key must not have "." or ".." as a part of its path: "${key}"`;
      assert.deepEqual(delivery, { ok: false, retry: false, reason: 'other', error });
      assert.deepEqual(sink.requests, []);
    });
  }

  test('at a path with escaped key and routing key', async (t) => {
    const sink = await startHttpSink(t);
    await notifyOnce(victorops, `{api_url: "${sink.url}/vo?x=1", api_key: "k/e y%", routing_key: "te am?#é+$"}`);
    assert.equal(sink.requests[0]?.path, '/vo/k/e%20y%25/te%20am%3F%23%C3%A9+$?x=1');
  });

  const types: readonly (readonly [string, 'firing' | 'resolved', string])[] = [
    ['WARNING', 'firing', 'WARNING'],
    ['INFO', 'firing', 'INFO'],
    ['ACKNOWLEDGEMENT', 'firing', 'CRITICAL'],
    ['WARNING', 'resolved', 'RECOVERY'],
  ];
  for (const [wanted, status, sent] of types) {
    test(`${sent} where ${wanted} is configured and the group is ${status}`, async (t) => {
      const sink = await startHttpSink(t);
      const make = status === 'firing' ? notifiedAlert : resolvedAlert;
      const notification = notificationOf([make({ alertname: 'Down' })]);
      const yaml = `{api_url: ${sink.url}, api_key: k, routing_key: r, message_type: ${wanted}}`;
      await notifyOnce(victorops, yaml, { notification });
      assert.equal(sentJson(sink).message_type, sent);
    });
  }

  test('at most 20480 characters of a message', async (t) => {
    const sink = await startHttpSink(t);
    const yaml = `{api_url: ${sink.url}, api_key: k, routing_key: r, state_message: ${'ä'.repeat(20_481)}}`;
    await notifyOnce(victorops, yaml);
    assert.equal(sentJson(sink).state_message, `${'ä'.repeat(20_479)}…`);
  });

  test('with a key that is read from its file each time', async (t) => {
    const sink = await startHttpSink(t);
    const folder = await mkdtemp(join(tmpdir(), 'victorops-'));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, 'key');
    for (const key of ['one', 'two']) {
      writeFileSync(file, `${key}\n`);
      await notifyOnce(victorops, `{api_url: ${sink.url}, api_key_file: ${file}, routing_key: r}`);
    }
    assert.deepEqual(
      sink.requests.map(({ path }) => path),
      ['/one/r', '/two/r'],
    );
    const missing = await notifyOnce(victorops, `{api_url: ${sink.url}, api_key_file: ${folder}/no, routing_key: r}`);
    assert.ok(!missing.ok && !missing.retry && missing.error.startsWith('failed to read API key from file: '));
  });
});

describe('VictorOps answers', () => {
  test('an error that repeats the key: it is not shown', async (t) => {
    const sink = await startHttpSink(t, () => ({ status: 404, body: 'no such key hush' }));
    const delivery = await notifyOnce(victorops, `{api_url: ${sink.url}, api_key: hush, routing_key: r}`);
    assert.ok(!delivery.ok);
    assert.equal(delivery.error, 'unexpected status code 404: no such key <redacted>');
  });
});
