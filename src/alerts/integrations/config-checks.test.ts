import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { ConfigFault, ConfigNode } from '../config/config-node.ts';
import { globalConfig } from '../config/global-config.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../testing/notifier-parts.ts';
import { discordIntegration } from './discord.ts';
import { msteamsIntegration } from './msteams.ts';
import { msteamsv2Integration } from './msteamsv2.ts';
import type { HttpAnswer, HttpRequest, Integration } from './notifier.ts';
import { opsgenieIntegration } from './opsgenie.ts';
import { pagerdutyIntegration } from './pagerduty.ts';
import { slackIntegration } from './slack/slack.ts';
import { webhookIntegration } from './webhook.ts';

const [webhook, slack, pagerduty, opsgenie, msteams, msteamsv2, discord] = [
  webhookIntegration,
  slackIntegration,
  pagerdutyIntegration,
  opsgenieIntegration,
  msteamsIntegration,
  msteamsv2Integration,
  discordIntegration,
] as unknown as [Integration, Integration, Integration, Integration, Integration, Integration, Integration];

/** Reads and completes; returns the refusal, or the result. */
function read(integration: Integration, yaml: string, global = '{}'): Record<string, unknown> | string {
  try {
    const config = integration.kind.read(ConfigNode.parse(yaml));
    const completed = integration.complete(config, globalConfig.read(ConfigNode.parse(global)));
    return completed.ok ? (completed.value as Record<string, unknown>) : completed.reason;
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    return error.problems.map(({ message }) => message).join('; ');
  }
}

const NO_UPDATE =
  'update_message can only be used with bot tokens. api_url must be set to https://slack.com/api/chat.postMessage';
const URLS = 'at most one of webhook_url & webhook_url_file must be configured';
const NO_URL = 'one of webhook_url or webhook_url_file must be configured';

const refusals: [integration: Integration, yaml: string, reason: string, global?: string][] = [
  [webhook, '{}', 'one of url or url_file must be configured'],
  [webhook, '{url: http://x, url_file: f}', 'at most one of url & url_file must be configured'],
  [webhook, 'url: ftp://x', 'unsupported scheme "ftp" for URL'],
  [webhook, 'url: "http://x/{{ .Receiver"', 'invalid template syntax: template: :1: unclosed action'],
  [webhook, 'url: "{{ nofn }}"', 'invalid template syntax: template: :1: function "nofn" not defined'],
  [webhook, '{url: http://x, max_alerts: -1}', 'expected a whole number from 0 on, found -1'],
  [slack, '{}', 'no Slack API URL nor App token set either inline or in a file'],
  [slack, '{api_url: http://x, api_url_file: f}', 'at most one of api_url & api_url_file must be configured'],
  [slack, '{app_token: x, app_token_file: f}', 'at most one of app_token & app_token_file must be configured'],
  [
    slack,
    '{app_token: x, api_url_file: f}',
    'at most one of api_url/api_url_file & app_token/app_token_file must be configured',
  ],
  [slack, '{api_url: http://x, update_message: true}', NO_UPDATE],
  [slack, '{api_url_file: x, update_message: true}', NO_UPDATE],
  [slack, '{app_token: x, update_message: true, app_url: http://x}', NO_UPDATE],
  [slack, 'update_message: true', NO_UPDATE, 'slack_api_url: http://x'],
  [
    slack,
    '{app_token: x, http_config: {authorization: {credentials: y}}}',
    "http authorization can't be set when using Slack App tokens",
  ],
  [
    slack,
    '{app_token: x}',
    "http authorization can't be set when using Slack App tokens",
    'http_config: {authorization: {credentials: y}}',
  ],
  [slack, '{api_url: http://x, fields: [{value: v}]}', 'missing title in Slack field configuration'],
  [slack, '{api_url: http://x, fields: [{title: t}]}', 'missing value in Slack field configuration'],
  [slack, '{api_url: http://x, actions: [{text: t}]}', 'missing type in Slack action configuration'],
  [slack, '{api_url: http://x, actions: [{type: t}]}', 'missing text in Slack action configuration'],
  [slack, '{api_url: http://x, actions: [{type: t, text: t}]}', 'missing name or url in Slack action configuration'],
  [
    slack,
    '{api_url: http://x, actions: [{type: t, text: t, name: n, confirm: {title: t}}]}',
    'missing text in Slack confirmation configuration',
  ],
  [pagerduty, '{}', 'missing service or routing key in PagerDuty config'],
  [
    pagerduty,
    '{routing_key: k, routing_key_file: f}',
    'at most one of routing_key & routing_key_file must be configured',
  ],
  [
    pagerduty,
    '{service_key: k, service_key_file: f}',
    'at most one of service_key & service_key_file must be configured',
  ],
  [
    opsgenie,
    '{api_key: k, responders: [{id: x, type: "{{ .a"}]}',
    'opsGenieConfig responder {x   {{ .a} type is not a valid template: template: :1: unclosed action',
  ],
  [opsgenie, '{}', 'no global OpsGenie API Key set either inline or in a file'],
  [opsgenie, '{api_key: k, api_key_file: f}', 'at most one of api_key & api_key_file must be configured'],
  [
    opsgenie,
    '{api_key: k, responders: [{type: team}]}',
    'opsGenieConfig responder {   team} has to have at least one of id, username or name specified',
  ],
  [
    opsgenie,
    '{api_key: k, responders: [{id: i, type: gang}]}',
    'opsGenieConfig responder {i   gang} type does not match valid options ^(team|teams|user|escalation|schedule)$',
  ],
  ...[msteams, msteamsv2, discord].flatMap((one): [Integration, string, string][] => [
    [one, '{}', NO_URL],
    [one, '{webhook_url: http://x, webhook_url_file: f}', URLS],
    [one, 'webhook_url: nonsense', 'unsupported scheme "" for URL'],
  ]),
];
for (const [integration, yaml, reason, global] of refusals) {
  test(`${integration.name}: ${yaml}${global ? ` below ${global}` : ''} is refused`, () => {
    assert.equal(read(integration, yaml, global), reason);
  });
}

const takenOver: [integration: Integration, yaml: string, global: string, expected: Record<string, unknown>][] = [
  [webhook, 'url: "{{ toUpper .Receiver }}"', '{}', { url: '{{ toUpper .Receiver }}' }],
  [webhook, 'url: "http://x/{{ .GroupLabels.a }}"', '{}', { url: 'http://x/{{ .GroupLabels.a }}', sendResolved: true }],
  [slack, '{}', 'slack_app_token: t', { appToken: 't', apiUrl: undefined, sendResolved: false }],
  [slack, '{}', 'slack_app_token_file: f', { appTokenFile: 'f', appUrl: 'https://slack.com/api/chat.postMessage' }],
  [slack, 'app_url: http://own', 'slack_app_token: t', { appUrl: 'http://own' }],
  [slack, 'api_url_file: f', 'slack_app_token: t', { appToken: '', apiUrlFile: 'f' }],
  [slack, '{}', 'slack_api_url_file: f', { apiUrl: undefined, apiUrlFile: 'f' }],
  [slack, '{app_token: x, update_message: true}', '{}', { updateMessage: true }],
  [pagerduty, '{routing_key: k, client: c}', '{}', { source: 'c', url: 'https://events.pagerduty.com/v2/enqueue' }],
  [pagerduty, '{routing_key: k, url: http://own}', 'pagerduty_url: http://g', { url: 'http://own' }],
  [opsgenie, '{}', '{opsgenie_api_key: g, opsgenie_api_url: http://g/a}', { apiKey: 'g', apiUrl: 'http://g/a/' }],
  [opsgenie, 'api_key_file: f', 'opsgenie_api_key: g', { apiKey: '', apiKeyFile: 'f' }],
  [opsgenie, 'api_key: k', 'opsgenie_api_key_file: f', { apiKey: 'k', apiKeyFile: '' }],
  [opsgenie, '{api_key: k, responders: [{name: n, type: "{{ .x }}"}, {id: i, type: TEAM}]}', '{}', { apiKey: 'k' }],
];
for (const [integration, yaml, global, expected] of takenOver) {
  test(`${integration.name}: ${yaml} below ${global} is completed`, () => {
    const config = read(integration, yaml, global);
    assert.ok(typeof config === 'object', String(config));
    assert.deepEqual(Object.fromEntries(Object.keys(expected).map((name) => [name, config[name]])), expected);
  });
}

/** The request sent with this configuration, with its secrets in files. */
async function sendWithFile(integration: Integration, config: string, change: () => Promise<void>) {
  const completed = integration.complete(
    integration.kind.read(ConfigNode.parse(config)),
    globalConfig.read(ConfigNode.parse('{}')),
  );
  assert.ok(completed.ok);
  const requests: HttpRequest[] = [];
  const answer: HttpAnswer = { status: 200, headers: new Headers(), text: 'ok' };
  const notifier = integration.create(
    completed.value,
    notifierContext({
      openHttp: () => ({
        send: async (request) => {
          requests.push(request);
          return answer;
        },
      }),
    }),
  );
  const { signal } = new AbortController();
  const notification = notificationOf([notifiedAlert({})]);
  const failed = await notifier.notify(notification, signal);
  for (let i = 0; i < 2; i++) {
    await change();
    assert.deepEqual(await notifier.notify(notification, signal), { ok: true });
  }
  return { failed, requests };
}

const details = 'details: {firing: a, resolved: b, num_firing: c, num_resolved: d}';
const inFiles: [integration: Integration, config: string, failure: string, (request: HttpRequest) => unknown][] = [
  [webhook, 'url_file: FILE', 'read url_file: ', ({ url }) => url],
  [slack, 'api_url_file: FILE', 'read api_url_file: ', ({ url }) => url],
  [
    pagerduty,
    `{routing_key_file: FILE, ${details}}`,
    'failed to read routing key from file: ',
    ({ body }) => JSON.parse(body ?? '').routing_key,
  ],
  [
    pagerduty,
    `{service_key_file: FILE, ${details}}`,
    'failed to read service key from file: ',
    ({ body }) => JSON.parse(body ?? '').service_key,
  ],
  [
    opsgenie,
    'api_key_file: FILE',
    'read key_file error: ',
    ({ headers }) => headers?.authorization?.replace('GenieKey ', ''),
  ],
  [msteams, 'webhook_url_file: FILE', 'read webhook_url_file: ', ({ url }) => url],
  [msteamsv2, 'webhook_url_file: FILE', 'read webhook_url_file: ', ({ url }) => url],
  [discord, 'webhook_url_file: FILE', 'read webhook_url_file: ', ({ url }) => url],
];
for (const [integration, config, failure, found] of inFiles) {
  test(`${integration.name}: ${config} is read at each sending`, async (t) => {
    const file = join(temporaryFolder(t), 'file');
    let round = 0;
    const { failed, requests } = await sendWithFile(integration, config.replace('FILE', file), () =>
      writeFile(file, `\nhttp://x/${++round}\n`),
    );
    assert.ok(!failed.ok && !failed.retry);
    assert.ok(failed.error.startsWith(`${failure}ENOENT`), failed.error);
    assert.deepEqual(requests.map(found), ['http://x/1', 'http://x/2']);
  });
}
