import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlertmanagerConfig, type ReadConfigOptions, readConfig } from './alertmanager-config.ts';

const OPTIONS: ReadConfigOptions = { folder: '/etc/alerts', matcherMode: 'fallback' };

function read(text: string, options: Partial<ReadConfigOptions> = {}): AlertmanagerConfig {
  const outcome = readConfig(text, { ...OPTIONS, ...options });
  assert.ok(outcome.ok, outcome.ok ? '' : `${outcome.reason}\n${text}`);
  return outcome.value;
}

function reasonOf(text: string, options: Partial<ReadConfigOptions> = {}): string {
  const outcome = readConfig(text, { ...OPTIONS, ...options });
  return outcome.ok ? 'nothing is wrong' : outcome.reason;
}

const RECEIVERS = 'receivers: [{name: a}, {name: b}]\n';
const root = (fields: string) => `route:\n  receiver: a\n${fields}${RECEIVERS}`;

test("settings of Alertmanager's own telemetry are read and checked, and have no effect", () => {
  const text = `${root('')}tracing: {endpoint: "x:1"}\nevent_recorder: {kafka_outputs: [{topic: x}]}\n`;
  assert.deepEqual(read(text).warnings, [
    'line 4: tracing over gRPC has no effect: write client_type: http and the OTLP/HTTP endpoint',
    'line 5: kafka_outputs have no effect: write webhook_outputs or file_outputs',
  ]);
  const cases: readonly (readonly [fields: string, reason: string])[] = [
    ['tracing: {}', 'tracing endpoint must be set'],
    ['tracing: {endpoint: x, client_type: tcp}', 'expected tracing client type to be http or grpc, but got tcp'],
    ['tracing: {endpoint: x, compression: br}', 'invalid compression type br provided, valid options: gzip'],
    ['tracing: {endpoint: x, sampling_fraction: all}', 'expected a number, found "all"'],
    ['event_recorder: {file_outputs: [{}]}', 'event_recorder file output requires a path'],
    ['event_recorder: {webhook_outputs: [{}]}', 'event_recorder webhook output requires a url'],
    [
      'event_recorder: {webhook_outputs: [{url: http://x/, batch_max_bytes: 1}]}',
      'event_recorder webhook batch settings require batch: true',
    ],
    [
      'event_recorder: {webhook_outputs: [{url: http://x/, batch: true, batch_max_events: -1}]}',
      'event_recorder webhook batch settings cannot be negative',
    ],
    ['event_recorder: {kafka_outputs: [{brokers: [a]}]}', 'event_recorder kafka output requires a topic'],
  ];
  for (const [fields, reason] of cases) assert.equal(reasonOf(`${root('')}${fields}\n`), `line 4: ${reason}`, fields);
});

test('a misleading setting is warned of, once', () => {
  const text = `
route:
  receiver: a
  group_interval: 5m
  repeat_interval: 1m
  routes:
  - match: {a: b}
    receiver: b
  - match: {a: c}
    repeat_interval: 30d
  - match_re: {a: c}
    group_interval: 10s
inhibit_rules:
- source_match: {a: b}
  target_match_re: {a: b}
receivers: [{name: a}, {name: b}]
mute_time_intervals: [{name: x}]
`;
  assert.deepEqual(read(text, { retentionMs: 5 * 86_400_000 }).warnings, [
    'line 5: repeat_interval 1m is less than group_interval 5m: notifications will repeat every group_interval',
    'line 10: repeat_interval 30d is greater than the data retention period 5d: notifications may repeat more often',
    'line 7: match is deprecated (2 times); write matchers',
    'line 11: match_re is deprecated; write matchers',
    'line 14: source_match is deprecated; write source_matchers',
    'line 15: target_match_re is deprecated; write target_matchers',
    'line 17: mute_time_intervals is deprecated; write time_intervals',
  ]);
  assert.equal(read(text).warnings.length, 6);
});

test('a second document is warned of, unless it is empty', () => {
  const text = `${root('')}---\n`;
  assert.deepEqual(read(text).warnings, []);
  assert.deepEqual(read(`${text}route: {receiver: b}\n`).warnings, [
    'line 4: another YAML document begins here, which has no effect: write all of the configuration into the first',
  ]);
});

test('invalid UTF-8 is warned of, at its first byte', () => {
  const latin1 = Buffer.from(root('  # Z\u00fcrich\n  routes: [{matchers: [city="Z\u00fcrich"]}]\n'), 'latin1');
  assert.deepEqual(read(latin1.toString('utf8')).warnings, [
    'line 3: U+FFFD stands here, as which bytes are read that are no UTF-8: what is to match them matches nothing',
  ]);
  assert.deepEqual(read(root('  # Z\u00fcrich\n')).warnings, []);
});
