import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { FakeClock } from '../../testing/fake-clock.ts';
import { readConfig } from '../config/alertmanager-config.ts';
import { INTEGRATIONS } from '../notify/integrations.ts';
import { openNotifiers, type SenderSettings } from './open-notifiers.ts';

/** Every kind of integration, with as many kinds of values as they have. */
const HTTP =
  'http_config: {proxy_url: "http://proxy:1", no_proxy: a, proxy_connect_header: {X: [a]}, http_headers: {Y: {values: [b], secrets: [c]}}, ' +
  'tls_config: {server_name: s, min_version: TLS12}, oauth2: {client_id: i, client_secret: s, token_url: "http://t", scopes: [x], endpoint_params: {p: q}}}';
const RECEIVER = `
global: {smtp_smarthost: "mail:25", smtp_from: a@b, opsgenie_api_key: k, victorops_api_key: k, slack_api_url: "http://s", wechat_api_corp_id: c, wechat_api_secret: s}
route: {receiver: all}
receivers:
- name: all
  webhook_configs: [{url: "http://x", max_alerts: 3, timeout: 5s, ${HTTP}}, {url_file: /f}]
  email_configs: [{to: a@b, headers: {Subject: s}, tls_config: {insecure_skip_verify: true}}]
  pagerduty_configs: [{routing_key: k, details: {a: b}, images: [{src: s}], links: [{href: h}]}]
  opsgenie_configs: [{responders: [{name: n, type: team}], details: {a: b}}]
  wechat_configs: [{to_user: u}]
  slack_configs: [{channel: "#c", fields: [{title: t, value: v, short: true}], actions: [{type: button, text: t, url: u}]}]
  victorops_configs: [{routing_key: k, custom_fields: {a: b}}]
  pushover_configs: [{token: t, user_key: u, retry: 1m, expire: 1h}]
  sns_configs: [{topic_arn: x, attributes: {a: b}, sigv4: {region: r, access_key: k, secret_key: s}}]
  telegram_configs: [{bot_token: t, chat_id: -7}]
  discord_configs: [{webhook_url: "http://x"}]
  webex_configs: [{room_id: r, http_config: {authorization: {credentials: x}}}]
  msteams_configs: [{webhook_url: "http://x"}]
  msteamsv2_configs: [{webhook_url: "http://x"}]
  jira_configs: [{api_url: "http://x", project: p, issue_type: t, labels: [l], fields: {customfield_1: {a: [1, true, null]}}}]
  incidentio_configs: [{url: "http://x", alert_source_token: t}]
  rocketchat_configs: [{token: t, token_id: i}]
  mattermost_configs: [{webhook_url: "http://x", attachments: [{text: t, fields: [{title: t, value: v}]}]}]
`;

function allIntegrations() {
  const read = readConfig(RECEIVER, { folder: '.', matcherMode: 'fallback', expandEnv: false });
  assert.ok(read.ok, read.ok ? '' : read.reason);
  return read.value.receivers[0]?.integrations ?? [];
}

const SURROUNDINGS = {
  openHttp: () => ({ send: () => Promise.reject(new Error('nothing is sent')), close: async () => {} }),
  readSecret: async () => '',
  clock: new FakeClock(),
};
const settingsOf = (settings: Partial<SenderSettings>) => ({
  ...{ externalUrl: 'http://alerts', templates: [], receivers: [] },
  ...settings,
});

test('the configuration of every integration comes out of another process as it went in, and makes a notifier there', () => {
  const integrations = allIntegrations();
  assert.deepEqual(
    new Set(integrations.map(({ integration }) => integration.name)),
    new Set(INTEGRATIONS.map(({ name }) => name)),
  );
  const receivers = [
    {
      name: 'all',
      integrations: integrations.map(({ integration: { name }, index, config }) => ({ name, index, config })),
    },
  ];
  const copied = deserialize(serialize(settingsOf({ receivers })));
  assert.deepStrictEqual(copied, settingsOf({ receivers }));
  const { notifiers } = openNotifiers(copied, SURROUNDINGS);
  assert.equal(notifiers.get('all')?.length, integrations.length);
});

test('what is impossible is refused with the name of the receiver or the template', () => {
  const integrations = [{ name: 'pigeon', index: 0, config: {} }];
  const unknown = settingsOf({ receivers: [{ name: 'team "a"', integrations }] });
  assert.throws(() => openNotifiers(unknown, SURROUNDINGS), {
    message: 'receiver "team \\"a\\"": there is no integration pigeon',
  });
  const broken = settingsOf({ templates: [{ name: 'odd.tmpl', text: '{{ if }}' }] });
  assert.throws(() => openNotifiers(broken, SURROUNDINGS), /odd\.tmpl:1/);
});
