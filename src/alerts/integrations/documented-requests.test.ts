import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { ConfigNode } from '../config/config-node.ts';
import { DEFAULT_GLOBAL } from '../config/global-config.ts';
import {
  GROUP_HASH,
  notificationOf,
  notifiedAlert,
  notifierContext,
  openTestClient,
  resolvedAlert,
} from '../testing/notifier-parts.ts';
import { discordIntegration } from './discord.ts';
import { msteamsIntegration } from './msteams.ts';
import { msteamsv2Integration } from './msteamsv2.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { opsgenieIntegration } from './opsgenie.ts';
import { createPagerduty, type PagerdutyConfig, pagerdutyIntegration } from './pagerduty.ts';
import { slackIntegration } from './slack/slack.ts';
import { webhookIntegration } from './webhook.ts';

// Requests in the form that the public documentation of each service describes, as they arrive at a server.

interface Documented {
  readonly name: string;
  /** Where the form is described. */
  readonly source: string;
  readonly integration: Integration;
  /** `URL` stands for that of the service. */
  readonly yaml: string;
  readonly resolved?: true;
  readonly answer: SinkAnswer;
  readonly create?: (config: unknown, context: NotifierContext, url: string) => Notifier;
  readonly request: string;
  readonly authorization?: string;
  readonly body: unknown;
}

const details = '{firing: 1 alert, resolved: none, num_firing: one, num_resolved: zero}';
const renderedDetails = { firing: '1 alert', num_firing: 'one', num_resolved: 'zero', resolved: 'none' };

const CASES: readonly Documented[] = [
  {
    name: 'a message with an attachment of Slack',
    source: 'https://docs.slack.dev/reference/methods/chat.postMessage',
    integration: slackIntegration,
    yaml: `{api_url: URL/services/T0/B0/x, channel: '#ops', username: bot, icon_emoji: ':fire:', title: Down, title_link: http://t,
      text: It is down, pretext: Look, fallback: Down!, callback_id: c, footer: f, color: danger, icon_url: '',
      fields: [{title: Severity, value: high, short: true}], actions: [{type: button, text: Runbook, url: http://r}]}`,
    answer: { body: 'ok' },
    request: 'POST /services/T0/B0/x',
    body: {
      channel: '#ops',
      username: 'bot',
      icon_emoji: ':fire:',
      attachments: [
        {
          title: 'Down',
          title_link: 'http://t',
          pretext: 'Look',
          text: 'It is down',
          fallback: 'Down!',
          callback_id: 'c',
          fields: [{ title: 'Severity', value: 'high', short: true }],
          actions: [{ type: 'button', text: 'Runbook', url: 'http://r' }],
          footer: 'f',
          color: 'danger',
          mrkdwn_in: ['fallback', 'pretext', 'text'],
        },
      ],
    },
  },
  {
    name: 'a trigger event of PagerDuty, second version',
    source: 'https://developer.pagerduty.com/docs/send-alert-event',
    integration: pagerdutyIntegration,
    yaml: `{routing_key: r0, url: URL/v2/enqueue, description: Down, client: Ops, client_url: http://c, severity: critical, source: host,
      component: web, group: shop, class: ping, details: ${details}, images: [{src: http://i, href: http://h, alt: a}],
      links: [{href: http://l, text: Runbook}]}`,
    answer: { status: 202, body: '{"status":"success","message":"Event processed","dedup_key":"x"}' },
    request: 'POST /v2/enqueue',
    body: {
      routing_key: 'r0',
      dedup_key: GROUP_HASH,
      event_action: 'trigger',
      payload: {
        summary: 'Down',
        source: 'host',
        severity: 'critical',
        class: 'ping',
        component: 'web',
        group: 'shop',
        custom_details: renderedDetails,
      },
      client: 'Ops',
      client_url: 'http://c',
      images: [{ src: 'http://i', alt: 'a', href: 'http://h' }],
      links: [{ href: 'http://l', text: 'Runbook' }],
    },
  },
  {
    name: 'a resolve event of PagerDuty, first version',
    source: 'https://developer.pagerduty.com/docs/events-api-v1-overview',
    integration: pagerdutyIntegration,
    yaml: `{service_key: s0, description: Down, details: ${details}}`,
    resolved: true,
    answer: { body: '{"status":"success","incident_key":"x"}' },
    create: (config, context, url) => createPagerduty(config as PagerdutyConfig, context, `${url}/create_event.json`),
    request: 'POST /create_event.json',
    body: {
      service_key: 's0',
      incident_key: GROUP_HASH,
      event_type: 'resolve',
      description: 'Down',
      event_action: '',
      payload: null,
      details: renderedDetails,
    },
  },
  {
    name: 'an alert of Opsgenie',
    source: 'https://docs.opsgenie.com/docs/alert-api#create-alert',
    integration: opsgenieIntegration,
    yaml: `{api_key: k0, api_url: URL, message: Down, description: It is down, source: ops, entity: shop, note: n, priority: P1,
      tags: 'a,b', actions: 'Restart,Ping', details: {zone: eu}, responders: [{name: web, type: team}, {username: a@example.org, type: user}]}`,
    answer: { status: 202, body: '{"result":"Request will be processed"}' },
    request: 'POST /v2/alerts',
    authorization: 'GenieKey k0',
    body: {
      alias: GROUP_HASH,
      message: 'Down',
      description: 'It is down',
      details: { alertname: 'Down', zone: 'eu' },
      source: 'ops',
      responders: [
        { name: 'web', type: 'team' },
        { username: 'a@example.org', type: 'user' },
      ],
      tags: ['a', 'b'],
      note: 'n',
      priority: 'P1',
      entity: 'shop',
      actions: ['Restart', 'Ping'],
    },
  },
  {
    name: 'the close of an alert of Opsgenie',
    source: 'https://docs.opsgenie.com/docs/alert-api#close-alert',
    integration: opsgenieIntegration,
    yaml: '{api_key: k0, api_url: URL, source: ops}',
    resolved: true,
    answer: { status: 202 },
    request: `POST /v2/alerts/${GROUP_HASH}/close?identifierType=alias`,
    authorization: 'GenieKey k0',
    body: { source: 'ops' },
  },
  {
    name: 'a message card of Microsoft Teams',
    source: 'https://learn.microsoft.com/en-us/outlook/actionable-messages/message-card-reference',
    integration: msteamsIntegration,
    yaml: '{webhook_url: URL/webhookb2/x, title: Down, summary: One is down, text: It is down}',
    answer: { body: '1' },
    request: 'POST /webhookb2/x',
    body: {
      '@context': 'http://schema.org/extensions',
      type: 'MessageCard',
      title: 'Down',
      summary: 'One is down',
      text: 'It is down',
      themeColor: '8C1A1A',
    },
  },
  {
    name: 'an adaptive card of Microsoft Teams',
    source: 'https://learn.microsoft.com/en-us/connectors/teams/#request-body-schema',
    integration: msteamsv2Integration,
    yaml: '{webhook_url: URL/workflows/x, title: Down, text: It was down}',
    resolved: true,
    answer: { status: 202 },
    request: 'POST /workflows/x',
    body: {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.2',
            body: [
              {
                type: 'TextBlock',
                text: 'Down',
                weight: 'Bolder',
                size: 'Medium',
                wrap: true,
                style: 'heading',
                color: 'Good',
              },
              { type: 'TextBlock', text: 'It was down', wrap: true },
            ],
            msteams: { width: 'full' },
          },
        },
      ],
    },
  },
  {
    name: 'an embed of Discord',
    source: 'https://discord.com/developers/docs/resources/webhook#execute-webhook',
    integration: discordIntegration,
    yaml: '{webhook_url: URL/api/webhooks/1/x, content: Look, title: Down, message: It is down, username: ops, avatar_url: http://a}',
    answer: { status: 204 },
    request: 'POST /api/webhooks/1/x',
    body: {
      content: 'Look',
      embeds: [{ title: 'Down', description: 'It is down', color: 10_038_562 }],
      username: 'ops',
      avatar_url: 'http://a',
    },
  },
  {
    name: 'the message of a webhook',
    source: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
    integration: webhookIntegration,
    yaml: 'url: URL/hook',
    answer: {},
    request: 'POST /hook',
    body: {
      receiver: 'team',
      status: 'firing',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'Down' },
          annotations: {},
          startsAt: '2026-01-01T00:00:00Z',
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: '',
          fingerprint: '0123456789abcdef',
        },
      ],
      notification_reason: 'first notification',
      groupLabels: { alertname: 'Down' },
      commonLabels: { alertname: 'Down' },
      commonAnnotations: {},
      routeLabels: {},
      externalURL: 'http://alerts.example.org',
      version: '4',
      groupKey: '{}:{alertname="Down"}',
      truncatedAlerts: 0,
    },
  },
] as readonly Documented[];

for (const one of CASES) {
  test(`${one.name} has the documented form (${one.source})`, async (t) => {
    const sink = await startHttpSink(t, () => one.answer);
    const config = one.integration.kind.read(ConfigNode.parse(one.yaml.replace('URL', sink.url)));
    const completed = one.integration.complete(config, DEFAULT_GLOBAL);
    assert.ok(completed.ok);
    const context = notifierContext({ openHttp: () => openTestClient(t) });
    const create = one.create ?? one.integration.create;
    const alert = (one.resolved ? resolvedAlert : notifiedAlert)({ alertname: 'Down' });
    const notifier = create(completed.value, context, sink.url);
    assert.deepEqual(await notifier.notify(notificationOf([alert]), new AbortController().signal), { ok: true });
    const [request] = sink.requests;
    assert.equal(`${request?.method} ${request?.path}`, one.request);
    assert.equal(request?.headers['content-type'], 'application/json');
    assert.equal(request?.headers.authorization, one.authorization);
    assert.deepEqual(request?.json, one.body);
  });
}
