import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Notification } from '../domain/notification.ts';
import { configOf } from '../testing/integration.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../testing/notifier-parts.ts';
import { INTEGRATIONS } from './integrations.ts';
import type { HttpRequest, Integration } from './notifier.ts';

const GROUP = '"{}:{alertname=\\"Down\\"}"';

/** A template that renders to this many characters; `…` takes the place of the last one, or of three bytes. */
const long = (length: number) => 'x'.repeat(length);

interface Row {
  readonly name: string;
  readonly yaml: string;
  /** By default of a small alert. */
  readonly notification?: Notification;
  readonly answer?: (request: HttpRequest) => string;
  /** Without the time. Source: the integrations of Alertmanager 0.34. */
  readonly lines: readonly string[];
}

const TABLE: readonly Row[] = [
  {
    name: 'slack',
    yaml: `{api_url: "http://h", title: ${long(1025)}}`,
    lines: [`level=WARN msg="Truncated title" integration=slack group_key=${GROUP} max_runes=1024`],
  },
  {
    name: 'pagerduty',
    yaml: `{routing_key: k, url: "http://h", description: ${long(1025)}}`,
    lines: [`level=WARN msg="Truncated summary" integration=pagerduty key=${GROUP} max_runes=1024`],
  },
  {
    name: 'pagerduty',
    yaml: `{service_key: k, url: "http://h", description: ${long(1025)}}`,
    lines: [`level=WARN msg="Truncated description" integration=pagerduty key=${GROUP} max_runes=1024`],
  },
  {
    name: 'pagerduty',
    yaml: `{routing_key: k, url: "http://h", description: ${long(1025)}, client: c, client_url: u, details: {firing: a, big: ${long(600_000)}}}`,
    lines: [
      `level=WARN msg="Truncated summary" integration=pagerduty key=${GROUP} max_runes=1024`,
      'level=WARN msg="Truncated Details because message of size 601KB411B exceeds limit 512KB" integration=pagerduty',
    ],
  },
  {
    name: 'opsgenie',
    yaml: `{api_key: k, api_url: "http://h", message: ${long(131)}}`,
    lines: [`level=WARN msg="Truncated message" integration=opsgenie group_key=${GROUP} alert=${GROUP} max_runes=130`],
  },
  {
    name: 'pushover',
    yaml: `{user_key: u, token: t, title: ${long(251)}, message: ${long(1025)}, url: ${long(513)}}`,
    lines: [
      `level=WARN msg="Truncated title" integration=pushover group_key=${GROUP} incident=${GROUP} max_runes=250`,
      `level=WARN msg="Truncated message" integration=pushover group_key=${GROUP} incident=${GROUP} max_runes=1024`,
      `level=WARN msg="Truncated URL" integration=pushover group_key=${GROUP} incident=${GROUP} max_runes=512`,
    ],
  },
  {
    name: 'telegram',
    yaml: `{bot_token: t, chat_id: 1, api_url: "http://h", parse_mode: "", message: ${long(4097)}}`,
    lines: [`level=WARN msg="Truncated message" integration=telegram group_key=${GROUP} max_runes=4096`],
  },
  { name: 'telegram', yaml: `{bot_token: t, chat_id: 1, api_url: "http://h", message: ${long(4097)}}`, lines: [] },
  {
    name: 'webex',
    yaml: `{room_id: r, api_url: "http://h", http_config: {authorization: {credentials: c}}, message: ${long(7440)}}`,
    lines: [
      `level=DEBUG msg="message truncated due to exceeding maximum allowed length by webex" integration=webex group_key=${GROUP} truncated_message=${long(4096)}…`,
    ],
  },
  {
    name: 'discord',
    yaml: `{webhook_url: "http://h", title: ${long(257)}, message: ${long(4097)}, content: ${long(2001)}}`,
    lines: [
      `level=WARN msg="Truncated title" integration=discord group_key=${GROUP} max_runes=256`,
      `level=WARN msg="Truncated message" integration=discord group_key=${GROUP} max_runes=4096`,
      `level=WARN msg="Truncated message" integration=discord group_key=${GROUP} max_runes=2000`,
    ],
  },
  {
    name: 'mattermost',
    yaml: `{webhook_url: "http://h", attachments: [{text: t}], text: ${long(16_384)}}`,
    lines: [`level=WARN msg="Truncated text" integration=mattermost key=${GROUP} max_runes=16383`],
  },
  {
    name: 'rocketchat',
    yaml: `{token: t, token_id: i, api_url: "http://h", title: ${long(1025)}}`,
    lines: [`level=WARN msg="Truncated title" integration=rocketchat group_key=${GROUP} max_runes=1024`],
  },
  {
    name: 'victorops',
    yaml: `{api_key: k, api_url: "http://h", routing_key: r, state_message: ${long(20_481)}}`,
    lines: [`level=WARN msg="Truncated state_message" integration=victorops group_key=${GROUP} max_runes=20480`],
  },
  {
    name: 'jira',
    yaml: `{api_url: "http://h/rest/api/2", project: p, issue_type: t, summary: ${long(256)}, description: ${long(32_768)}}`,
    answer: ({ url }) => (url.endsWith('search') ? '{"issues":[]}' : '{}'),
    lines: [
      `level=WARN msg="Truncated summary" integration=jira group_key=${GROUP} max_runes=255`,
      `level=WARN msg="Truncated description" integration=jira group_key=${GROUP} max_runes=32767`,
    ],
  },
];

async function linesOf({ name, yaml, notification, answer = () => '' }: Row, ...bigLabels: readonly string[]) {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line.replace(/^\S+ /, '').trimEnd());
  const log = createLog({ level: 'debug', format: 'logfmt', clock: new FakeClock(), write });
  const openHttp = () => ({
    send: async (request: HttpRequest) => ({ status: 200, headers: new Headers(), text: answer(request) }),
  });
  const integration = INTEGRATIONS.find((one) => one.name === name) as Integration;
  const notifier = integration.create(configOf(integration, yaml), notifierContext({ log, openHttp }));
  const alerts = ['', ...bigLabels].map((big) => notifiedAlert({ alertname: 'Down', big }));
  await notifier.notify(notification ?? notificationOf(alerts), new AbortController().signal);
  return lines;
}

for (const row of TABLE) {
  const words = row.lines.map((line) => /"(Truncated \w+|message truncated)/.exec(line)?.[1]).join(', ');
  test(`${row.name} logs ${words || 'nothing where it sends another text'}`, async () => {
    assert.deepEqual(await linesOf(row), row.lines);
  });

  test(`${row.name}: texts within their limits are not logged (${words})`, async () => {
    const short = row.yaml.replace(/x{100,}/g, (text) => text.slice(0, 100));
    assert.deepEqual(await linesOf({ ...row, yaml: short }), []);
  });
}

test('incidentio logs what it leaves out, and an error when the rest is still too large', async () => {
  const incidentio = { name: 'incidentio', yaml: '{url: "http://h", alert_source_token: t}', lines: [] };
  const said = 'Truncated alert content due to incident.io payload size limit';
  const sizes = String.raw`integration=incidentio original_size=\d+ final_size=\d+ max_size=524288`;
  assert.deepEqual(await linesOf(incidentio), []);
  const [several] = await linesOf(incidentio, long(300_000), long(300_000));
  assert.match(several ?? '', new RegExp(`^level=WARN msg="${said}" ${sizes}$`));
  const tooLarge = { ...incidentio, notification: notificationOf([notifiedAlert({ big: long(600_000) })]) };
  const [one] = await linesOf(tooLarge);
  assert.match(one ?? '', new RegExp(`^level=ERROR msg="${said}, but still exceeds limit" ${sizes}$`));
});
