import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsReal, runProcess, temporaryFolder } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { type AlertmanagerConfig, readConfig } from './alertmanager-config.ts';

function read(text: string): AlertmanagerConfig {
  const config = readConfig(text, { folder: '/etc/alerts', matcherMode: 'fallback' });
  assert.ok(config.ok, config.ok ? '' : `${config.reason}\n${text}`);
  return config.value;
}

const GLOBAL = `global:
  resolve_timeout: 5m
  http_config:
    follow_redirects: true
    enable_http2: true
  smtp_hello: localhost
  smtp_require_tls: true
  pagerduty_url: https://events.pagerduty.com/v2/enqueue
  opsgenie_api_url: https://api.opsgenie.com/
  wechat_api_url: https://qyapi.weixin.qq.com/cgi-bin/
  victorops_api_url: https://alert.victorops.com/integrations/generic/20131114/alert/
  telegram_api_url: https://api.telegram.org
  webex_api_url: https://webexapis.com/v1/messages
`;

test('a configuration is printed with the defaults of its global part, and otherwise unchanged', () => {
  const text = `
route:
  receiver: a
  group_by: []
  routes: [{match: {b: 2}, match_re: {c: x|y}, matchers: ['d = e, "f.g"="h"'], group_wait: 90s, continue: yes}]
inhibit_rules: [{equal: [x], source_matchers: ['a="b"']}]
receivers: [{name: a}, {name: b, labels: {x: y}}]
templates: [x.tmpl]
time_intervals: [{name: n, time_intervals: [{times: [{start_time: 09:00, end_time: 17:00}], months: [may]}]}]
`;
  assert.equal(
    read(text).printed,
    `${GLOBAL}route:
  receiver: a
  group_by: []
  continue: false
  routes:
    - match:
        b: "2"
      match_re:
        c: x|y
      matchers:
        - d="e"
        - f.g="h"
      continue: true
      group_wait: 1m30s
inhibit_rules:
  - source_matchers:
      - a="b"
    equal:
      - x
receivers:
  - name: a
  - name: b
    labels:
      name: b
      x: "y"
templates:
  - /etc/alerts/x.tmpl
time_intervals:
  - name: "n"
    time_intervals:
      - times:
          - start_time: "09:00"
            end_time: "17:00"
        months:
          - "5"
`,
  );
});

/** One receiver with all integrations that have a secret, and some without. */
const SECRETS = `
global:
  smtp_from: a@b
  smtp_smarthost: h:25
  smtp_auth_password: hunter2
  slack_api_url: http://x/hunter2
  opsgenie_api_key: hunter2
  victorops_api_key: hunter2
  telegram_bot_token: hunter2
  http_config: {proxy_url: 'http://u:hunter2@proxy/', basic_auth: {username: u, password: hunter2}}
route: {receiver: a}
receivers:
- name: a
  webhook_configs: [{url: http://x/hunter2}]
  email_configs: [{to: a@b, auth_secret: hunter2}]
  slack_configs: [{channel: x}]
  pagerduty_configs: [{routing_key: hunter2}, {service_key: hunter2}]
  opsgenie_configs: [{}]
  victorops_configs: [{routing_key: x}]
  pushover_configs: [{user_key: hunter2, token: hunter2}]
  telegram_configs: [{chat_id: -1}]
  discord_configs: [{webhook_url: http://x/hunter2}]
  msteams_configs: [{webhook_url: http://x/hunter2}]
  msteamsv2_configs: [{webhook_url: http://x/hunter2}]
  wechat_configs: [{api_secret: hunter2, corp_id: c}]
  sns_configs: [{topic_arn: arn, sigv4: {region: r, access_key: k, secret_key: hunter2}}]
  webex_configs: [{room_id: r, http_config: {authorization: {credentials: hunter2}}}]
  jira_configs: [{project: p, issue_type: i, api_url: http://x/}]
  incidentio_configs: [{url: http://x/, http_config: {}, alert_source_token: hunter2}]
  rocketchat_configs: [{token: hunter2, token_id: hunter2}]
  mattermost_configs: [{webhook_url: http://x/hunter2}]
`;

test('no secret is printed, and the printed configuration is read and printed as before', () => {
  const { printed, receivers } = read(SECRETS);
  assert.equal(receivers[0]?.integrations.length, 19);
  assert.ok(!printed.includes('hunter2'), printed);
  assert.ok(printed.split('<secret>').length > 25);
  assert.equal(read(printed).printed, printed);
});

const NAMES = [
  'a',
  'team-a/pager',
  '2',
  '0x10',
  '1e3',
  '12:30',
  'yes',
  'no',
  'null',
  '~',
  'true',
  '-',
  '- a',
  '#a',
  'a #b',
  'a: b',
  ' a ',
  '\ta\n',
  '"',
  "'",
  '*a',
  '&a',
  '!a',
  '{a}',
  '[a]',
  '<<',
  '=',
  '2026-01-01',
  'été 😀',
  '\u0085\u2028',
  'long '.repeat(40),
];

/** A configuration file as JSON, which is YAML too, with names that need care. */
function randomFile(random: Random): unknown {
  const receivers = [...new Set([random.pick(NAMES), ...random.some(NAMES, 6)])];
  const duration = () => random.pick(['1ms', '999ms', '1s', '1m30s', '1d', '1w', '366d', '1y']);
  const maybe = (name: string, value: () => unknown) => (random.chance(0.4) ? { [name]: value() } : {});
  const matchers = () => random.some(NAMES, 3).map((name) => `${JSON.stringify(name)}!=${JSON.stringify(name)}`);
  const route = (depth: number): object => ({
    ...(depth === 0 ? { receiver: random.pick(receivers) } : maybe('receiver', () => random.pick(receivers))),
    ...maybe('group_by', () => (random.chance(0.3) ? ['...'] : random.some(NAMES, 3))),
    ...maybe('group_wait', () => random.pick(['0s', duration()])),
    ...maybe('group_interval', duration),
    ...maybe('repeat_interval', duration),
    ...maybe('labels', () => ({ [random.pick(NAMES)]: random.pick(NAMES) })),
    ...(depth > 0 ? maybe('matchers', matchers) : {}),
    ...(depth > 0 ? maybe('match', () => ({ a: random.pick(NAMES) })) : {}),
    ...(depth > 0 ? maybe('match_re', () => ({ b: random.pick(['x|y', '', 'é.*']) })) : {}),
    ...(depth > 0 ? maybe('mute_time_intervals', () => ['n']) : {}),
    ...(depth > 0 ? maybe('continue', () => random.chance(0.5)) : {}),
    ...(depth < 3 ? maybe('routes', () => [route(depth + 1), route(depth + 1)]) : {}),
  });
  return {
    route: route(0),
    receivers: receivers.map((name) => ({ name, ...maybe('labels', () => ({ x: random.pick(NAMES) })) })),
    time_intervals: [{ name: 'n', time_intervals: [{ years: ['2020:2030'], weekdays: ['monday'] }] }],
    ...maybe('inhibit_rules', () => [{ source_matchers: matchers(), equal: random.some(NAMES, 2) }]),
    ...maybe('global', () => ({ smtp_from: random.pick(NAMES), smtp_hello: random.pick(['', ...NAMES]) })),
  };
}

test('the printed configuration is read as the original, whatever its names', () => {
  const random = new Random(8);
  const said = ({ route, receivers, inhibitRules, timeIntervals, global }: AlertmanagerConfig) =>
    JSON.parse(JSON.stringify({ route, receivers, inhibitRules, timeIntervals, global }));
  for (let round = 0; round < 60; round++) {
    const config = read(JSON.stringify(randomFile(random)));
    const again = read(config.printed);
    assert.deepEqual(said(again), said(config), config.printed);
    assert.equal(again.printed, config.printed);
  }
});

test('the real amtool accepts the printed configuration', async (t) => {
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  // Only what this amtool, of 2022, supports; it does not treat the URL of a webhook as a secret.
  const text = `
global: {smtp_from: a@b, smtp_smarthost: 'h:25', victorops_api_key: k}
route:
  receiver: a
  group_by: ['...']
  routes:
  - {match: {a: b}, receiver: b, continue: true, mute_time_intervals: [n], group_by: [x]}
  - {match_re: {a: b|c}, matchers: ['d!~"e"'], active_time_intervals: [n], repeat_interval: 2w}
inhibit_rules: [{source_match: {a: b}, target_matchers: [c=d], equal: [x]}]
receivers:
- name: a
  email_configs: [{to: a@b}]
  pagerduty_configs: [{routing_key: x}]
  victorops_configs: [{routing_key: x}]
  telegram_configs: [{chat_id: 1, bot_token: t}]
  wechat_configs: [{api_secret: s, corp_id: c, http_config: {tls_config: {ca_file: x}}}]
  slack_configs: [{api_url: 'http://x/', channel: c}]
  pushover_configs: [{user_key: u, token: t}]
  opsgenie_configs: [{api_key: k}]
  sns_configs: [{topic_arn: t, sigv4: {region: r}}]
  discord_configs: [{webhook_url: 'http://x/'}]
  webex_configs: [{room_id: r, http_config: {authorization: {credentials: c}}}]
- name: b
time_intervals: [{name: n, time_intervals: [{days_of_month: ['-3:-1'], location: Europe/Berlin}]}]
`;
  const file = join(temporaryFolder(t), 'alertmanager.yml');
  writeFileSync(file, read(text).printed);
  const { code, stdout, stderr } = await runProcess('amtool', ['check-config', file], {});
  assert.equal(code, 0, stdout + stderr);
  assert.match(stdout, /SUCCESS\nFound:\n - global config\n - route\n - 1 inhibit rules\n - 2 receivers\n/);
});
