import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { INTEGRATIONS } from '../integrations/integrations.ts';
import { type AlertmanagerConfig, type ReadConfigOptions, readConfig } from './alertmanager-config.ts';
import type { HttpConfig } from './http-config.ts';

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

interface WithFiles {
  readonly httpConfig?: HttpConfig;
  readonly urlFile?: string;
}

const RECEIVERS = 'receivers: [{name: a}, {name: b}]\n';
const root = (fields: string) => `route:\n  receiver: a\n${fields}${RECEIVERS}`;

test('paths start at the folder of the file; paths of integrations stay as they are', () => {
  const text = `
global:
  http_config: {tls_config: {ca_file: ca.pem}}
  smtp_tls_config: {ca_file: /abs/ca.pem}
  slack_api_url_file: slack
templates: ['*.tmpl', '/abs/*.tmpl']
route: {receiver: a}
receivers:
- name: a
  slack_configs:
  - channel: one
  - channel: two
    http_config:
      authorization: {credentials_file: token}
      http_headers: {X-File: {files: [header]}}
  webhook_configs:
  - url_file: url
    http_config:
      oauth2: {client_id: c, token_url: https://x/t, client_secret_file: s, endpoint_params: {aFile: x}, tls_config: {key_file: k, cert_file: c}}
`;
  for (const folder of ['/etc/alerts', 'conf']) {
    const { global, templates, receivers } = read(text, { folder });
    const at = (path: string) => join(resolve(folder), path);
    assert.deepEqual(templates, [at('*.tmpl'), '/abs/*.tmpl']);
    assert.deepEqual(
      [global.httpConfig?.tlsConfig?.caFile, global.smtpTlsConfig?.caFile],
      [at('ca.pem'), '/abs/ca.pem'],
    );
    assert.equal(global.slackApiUrlFile, 'slack');
    const [webhook, first, second] = (receivers[0]?.integrations ?? []).map(({ config }) => config as WithFiles);
    assert.equal(webhook?.urlFile, 'url');
    assert.deepEqual(
      [webhook?.httpConfig?.oauth2?.clientSecretFile, webhook?.httpConfig?.oauth2?.tlsConfig?.keyFile],
      [at('s'), at('k')],
    );
    assert.deepEqual(webhook?.httpConfig?.oauth2?.endpointParams, { aFile: 'x' });
    assert.equal(first?.httpConfig?.tlsConfig?.caFile, at('ca.pem'));
    assert.equal(second?.httpConfig?.authorization?.credentialsFile, at('token'));
    assert.deepEqual(second?.httpConfig?.httpHeaders?.['X-File']?.files, [at('header')]);
    assert.equal(second?.httpConfig?.tlsConfig, undefined);
  }
});

test('integrations are in the order of their run, with their index among their kind', () => {
  const text = `
global: {victorops_api_key: k}
route: {receiver: a}
receivers:
- name: a
  labels: {owner: x}
  victorops_configs: [{routing_key: r}]
  webhook_configs: [{url: http://x/1}, {url: http://x/2, send_resolved: false}]
`;
  const [receiver] = read(text).receivers;
  assert.deepEqual(receiver?.labels, { owner: 'x', name: 'a' });
  assert.deepEqual(
    receiver?.integrations.map(({ integration, index, sendResolved }) => [integration.name, index, sendResolved]),
    [
      ['webhook', 0, true],
      ['webhook', 1, false],
      ['victorops', 0, true],
    ],
  );
});

test('an empty integration, or one with a field missing here and in the global part, is refused', () => {
  const receiver = (fields: string, global = '') =>
    `${global}route: {receiver: a}\nreceivers:\n- name: a\n  ${fields}\n`;
  const cases: readonly (readonly [text: string, reason: string])[] = [
    [receiver('pagerduty_configs: [~]'), 'line 4: missing pagerduty config'],
    [
      receiver('slack_configs:\n  - channel: x'),
      'line 5: no Slack API URL nor App token set either inline or in a file',
    ],
    [receiver('email_configs: [{to: a@b}]'), 'line 4: no global SMTP smarthost set'],
    [receiver('email_configs: [{to: a@b, smarthost: "h:25"}]'), 'line 4: no global SMTP from set'],
    [
      receiver('opsgenie_configs: [{}]\n  victorops_configs: [{routing_key: x}]'),
      'line 4: no global OpsGenie API Key set either inline or in a file\nline 5: no global VictorOps API Key set',
    ],
    [
      receiver('carrier_pigeon_configs: [{}]'),
      `line 4: field carrier_pigeon_configs not found in type config.plain; it may be one of name, labels, ${INTEGRATIONS.map(({ key }) => key).join(', ')}`,
    ],
  ];
  for (const [text, reason] of cases) assert.equal(reasonOf(text), reason, text);
  assert.ok(read(receiver('slack_configs:\n  - channel: x', 'global: {slack_api_url: http://x/}\n')));
});

test('a secret of the receiver, inline or in a file, takes precedence over the global one', () => {
  const globals = `
  opsgenie_api_key: g
  victorops_api_key: g
  telegram_bot_token: g
  wechat_api_secret: g
  wechat_api_corp_id: c
  rocketchat_token: g
  rocketchat_token_id: g
  mattermost_webhook_url: http://g/
  slack_api_url: http://g/
  smtp_auth_password: g
  smtp_auth_secret: g
`;
  const global = `global:${globals}`;
  const globalFiles = `global:${globals.replace(/(key|token|id|secret|url|password): (?!c$)/gm, '$1_file: ')}`;
  const receiver = `
route: {receiver: a}
receivers:
- name: a
  opsgenie_configs: [{api_key_file: own}, {api_key: own}]
  victorops_configs: [{routing_key: x, api_key_file: own}, {routing_key: x, api_key: own}]
  telegram_configs: [{chat_id: 1, bot_token_file: own}, {chat_id: 1, bot_token: own}]
  wechat_configs: [{api_secret_file: own}, {api_secret: own}]
  rocketchat_configs: [{token_file: own, token_id_file: own}, {token: own, token_id: own}]
  mattermost_configs: [{webhook_url_file: own}, {webhook_url: 'http://own/'}]
  slack_configs: [{api_url_file: own}, {api_url: 'http://own/'}]
  email_configs:
  - {to: a, from: b, smarthost: 'h:1', auth_password_file: own, auth_secret_file: own}
  - {to: a, from: b, smarthost: 'h:1', auth_password: own, auth_secret: own}
`;
  for (const file of [global + receiver, globalFiles + receiver]) {
    const configs = read(file).receivers[0]?.integrations.map(({ config }) => JSON.stringify(config)) ?? [];
    assert.equal(configs.length, 16);
    assert.deepEqual(
      configs.filter((config) => !config.includes('own') || /"g"|http:..g\//.test(config)),
      [],
    );
  }
});

test('a secret and its file are mutually exclusive, globally too', () => {
  const names = [
    'slack_app_token',
    'slack_api_url',
    'opsgenie_api_key',
    'victorops_api_key',
    'telegram_bot_token',
    'smtp_auth_password',
    'rocketchat_token',
    'rocketchat_token_id',
    'smtp_auth_secret',
    'wechat_api_secret',
    'mattermost_webhook_url',
  ];
  for (const name of names) {
    const value = name.endsWith('url') ? 'http://x/' : 'x';
    const text = `global:\n  ${name}: ${value}\n  ${name}_file: y\n${root('')}`;
    assert.equal(reasonOf(text), `line 3: at most one of ${name} & ${name}_file must be configured`);
  }
  const slack = (url: string) => `global:\n  slack_app_token: x\n  slack_api_url: ${url}\n${root('')}`;
  assert.equal(
    reasonOf(slack('http://x/')),
    'line 2: at most one of slack_app_token/slack_app_token_file & slack_api_url/slack_api_url_file must be configured',
  );
  assert.ok(read(slack('https://slack.com/api/chat.postMessage')));
});
