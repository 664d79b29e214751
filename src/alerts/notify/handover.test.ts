import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configOf } from '../../testing/integration.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../../testing/notifier-parts.ts';
import { INTEGRATIONS } from './integrations.ts';
import type { HttpAnswer, HttpRequest } from './notifier.ts';

const HTTP = 'http_config: {authorization: {credentials: x}}';

/** A configuration of each, and which of its requests tells: until the last of them is under way, nobody is told. */
const cases: readonly (readonly [name: string, yaml: string, tells: readonly boolean[]])[] = [
  ['webhook', 'url: http://x', [true]],
  ['discord', 'webhook_url: http://x', [true]],
  ['incidentio', '{url: http://x, alert_source_token: x}', [true]],
  ['mattermost', 'webhook_url: http://x', [true]],
  ['msteams', 'webhook_url: http://x', [true]],
  ['msteamsv2', 'webhook_url: http://x', [true]],
  ['opsgenie', '{api_key: x, api_url: http://x}', [true]],
  ['opsgenie', '{api_key: x, api_url: http://x, update_alerts: true}', [false, false, true]],
  ['pagerduty', '{routing_key: x, url: http://x}', [true]],
  ['pushover', '{token: x, user_key: x}', [true]],
  ['rocketchat', '{api_url: http://x, token: x, token_id: x}', [true]],
  ['slack', 'api_url: http://x', [true]],
  ['telegram', '{api_url: http://x, bot_token: x, chat_id: 1}', [true]],
  ['victorops', '{api_url: http://x, api_key: x, routing_key: x}', [true]],
  ['webex', `{api_url: http://x, room_id: x, ${HTTP}}`, [true]],
  ['wechat', '{api_url: http://x, api_secret: x, corp_id: x}', [false, true]],
  ['sns', '{topic_arn: x, sigv4: {region: r, access_key: x, secret_key: x}}', [true]],
  ['jira', '{api_url: http://x/none, project: x, issue_type: x}', [false, true]],
  ['jira', '{api_url: http://x/open, project: x, issue_type: x}', [false, true]],
  ['jira', '{api_url: http://x/done, project: x, issue_type: x}', [false, true]],
  ['jira', '{api_url: http://x/done, project: x, issue_type: x, reopen_transition: Up}', [false, false, false, true]],
];

const ISSUE = (category: string) => ({ key: 'X-1', fields: { status: { statusCategory: { key: category } } } });

/** What any of the services answers to a request that it takes. */
function answerTo({ url }: HttpRequest): HttpAnswer {
  const issues = { none: [], open: [ISSUE('new')], done: [ISSUE('done')] };
  const [, of = 'none'] = /\/(none|open|done)\//.exec(url) ?? [];
  const text = url.includes('.amazonaws.com')
    ? '<PublishResponse><PublishResult><MessageId>m</MessageId></PublishResult></PublishResponse>'
    : JSON.stringify({
        ...{ ok: true, success: true, errcode: 0, access_token: 't' },
        issues: issues[of as keyof typeof issues],
        transitions: [{ id: '1', name: 'Up' }],
      });
  const type = text.startsWith('<') ? 'text/xml' : 'application/json';
  return { status: 200, headers: new Headers({ 'content-type': type }), text };
}

test('every integration but e-mail, which sends no requests, is in the list', () => {
  const names = INTEGRATIONS.map(({ name }) => name).filter((name) => name !== 'email');
  assert.deepEqual(new Set(cases.map(([name]) => name)), new Set(names));
});

for (const [name, yaml, tells] of cases) {
  test(`${name}: the last request goes with the handover ({${yaml}})`, async () => {
    const integration = INTEGRATIONS.find((one) => one.name === name);
    assert.ok(integration);
    const requests: HttpRequest[] = [];
    const context = notifierContext({
      openHttp: () => ({
        async send(request) {
          requests.push(request);
          return answerTo(request);
        },
      }),
    });
    const handover = { done() {}, undone() {} };
    const { signal } = new AbortController();
    const notifier = integration.create(configOf(integration, yaml), context);
    const delivery = await notifier.notify(notificationOf([notifiedAlert({ alertname: 'Down' })]), signal, handover);
    assert.deepEqual(delivery.ok, true);
    assert.deepEqual(
      requests.map((request) => request.handover === handover),
      tells,
    );
  });
}
