import assert from 'node:assert/strict';
import type { Notification } from '../domain/notification.ts';
import { INTEGRATIONS } from '../integrations/integrations.ts';
import type { HttpAnswer, HttpRequest, Integration, NotifierContext } from '../integrations/notifier.ts';
import { createTolerantNotifier } from '../integrations/template/fallback.ts';
import { Templates } from '../template/templates.ts';
import { notificationOf, notifiedAlert, notifierContext } from './notifier-parts.ts';
import { PUBLISHED } from './sns-sink.ts';

/** A template that cannot be rendered. */
export const BROKEN = '{{ template "nope" . }}';
/** The error of it, after the name of its field. */
export const NOT_DEFINED = 'template: :1:12: executing "" at <{{template "nope" .}}>: template "nope" not defined';
/** A notification of one firing alert. */
export const FIRING = notificationOf([notifiedAlert({ alertname: 'Down', instance: 'h1' })]);
export const { signal: endless } = new AbortController();

/** An integration's configuration, and its texts. */
export interface Row {
  /** Of the integration. */
  readonly name: string;
  /** A configuration in which every text has a place. */
  readonly yaml: string;
  /** The texts for which others are sent when they cannot be rendered. */
  readonly texts: string;
  /** Texts that this configuration does not send. */
  readonly unused?: string;
  /** The answers of its service. */
  readonly answer?: (request: HttpRequest) => Partial<HttpAnswer>;
}

const json = (value: unknown) => () => ({ text: JSON.stringify(value) });
const SLACK_ACTION = 'type: button, text: t, url: u';
const SLACK_CONFIRM = 'confirm: {text: t, title: t, ok_text: o, dismiss_text: d}';

/** A row for each integration; two for one whose fields exclude each other. */
export const TEXTS: readonly Row[] = [
  {
    name: 'webhook',
    yaml: '{url: "http://h", payload: {a: t, b: [t, {c: t}]}}',
    texts: 'payload.a payload.b[0] payload.b[1].c',
  },
  {
    name: 'email',
    yaml: '{to: a@b.example, from: a@b.example, smarthost: "127.0.0.1:PORT", require_tls: false, text: t}',
    texts: 'headers.Subject html text',
  },
  {
    name: 'pagerduty',
    yaml: '{routing_key: k, url: "http://h", images: [{src: s, alt: a, href: h}], links: [{href: h, text: t}], details: {own: {deep: t}}}',
    texts:
      'client client_url description details.firing details.resolved details.num_firing details.num_resolved details.own.deep ' +
      'images[0].src images[0].alt images[0].href links[0].href links[0].text source severity class component group',
  },
  {
    name: 'opsgenie',
    yaml: '{api_key: k, api_url: "http://h", details: {own: t}, responders: [{name: n, type: team}]}',
    texts: 'message description source details.own entity actions tags note priority',
  },
  {
    name: 'wechat',
    yaml: '{api_secret: s, corp_id: c, api_url: "http://h"}',
    texts: 'message',
    answer: ({ url }) => ({ text: url.includes('gettoken') ? '{"access_token":"t"}' : '{"errcode":0}' }),
  },
  {
    name: 'slack',
    yaml: `{api_url: "http://h", fields: [{title: t, value: v}], actions: [{${SLACK_ACTION}}, {type: b, text: t, name: n, value: v, ${SLACK_CONFIRM}}]}`,
    texts:
      'username color title title_link pretext text message_text fields[0].title fields[0].value footer fallback callback_id ' +
      'icon_emoji icon_url image_url thumb_url actions[0].type actions[0].text actions[0].url actions[0].style actions[0].name ' +
      'actions[0].value actions[1].type actions[1].text actions[1].url actions[1].style actions[1].name actions[1].value ' +
      'actions[1].confirm.text actions[1].confirm.title actions[1].confirm.ok_text actions[1].confirm.dismiss_text',
    answer: () => ({ text: 'ok' }),
  },
  {
    name: 'victorops',
    yaml: '{api_key: k, api_url: "http://h", routing_key: r, custom_fields: {own: t}}',
    texts: 'message_type state_message entity_display_name monitoring_tool custom_fields.own',
  },
  { name: 'pushover', yaml: '{user_key: u, token: t}', texts: 'title message url url_title sound priority' },
  {
    name: 'sns',
    yaml: '{api_url: "http://h", topic_arn: t, sigv4: {region: r, access_key: k, secret_key: s}, attributes: {a: b}}',
    texts: 'subject message',
    answer: () => ({
      text: typeof PUBLISHED === 'object' ? (PUBLISHED.body ?? '') : '',
      headers: new Headers({ 'content-type': 'text/xml' }),
    }),
  },
  {
    name: 'telegram',
    yaml: '{bot_token: t, chat_id: 1, api_url: "http://h"}',
    texts: 'message',
    answer: json({ ok: true }),
  },
  { name: 'discord', yaml: '{webhook_url: "http://h"}', texts: 'content title message' },
  {
    name: 'webex',
    yaml: '{room_id: r, api_url: "http://h", http_config: {authorization: {credentials: c}}}',
    texts: 'message',
  },
  { name: 'msteams', yaml: '{webhook_url: "http://h"}', texts: 'title summary text' },
  { name: 'msteamsv2', yaml: '{webhook_url: "http://h"}', texts: 'title text' },
  {
    name: 'jira',
    yaml: '{api_url: "http://h/rest/api/2", project: p, issue_type: t, labels: [a, b], fields: {own: {deep: t}}}',
    texts: 'summary description labels[0] labels[1] priority fields.own.deep',
    answer: ({ url }) => ({ text: url.endsWith('search') ? '{"issues":[]}' : '{}' }),
  },
  { name: 'incidentio', yaml: '{url: "http://h", alert_source_token: t}', texts: '' },
  {
    name: 'rocketchat',
    yaml: '{token: t, token_id: i, api_url: "http://h", fields: [{title: t, value: v}], actions: [{text: t, url: u, msg: m}]}',
    texts:
      'color title title_link text fields[0].title fields[0].value emoji icon_url image_url thumb_url actions[0].text ' +
      'actions[0].url actions[0].msg',
    answer: json({ success: true }),
  },
  {
    name: 'mattermost',
    yaml: '{webhook_url: "http://h", fields: [{title: t, value: v}], props: {card: c}, priority: {priority: p}}',
    texts:
      'username fallback color pretext text author_name author_link author_icon title title_link fields[0].title fields[0].value ' +
      'thumb_url footer footer_icon image_url icon_url icon_emoji type props.card priority.priority',
  },
  {
    name: 'mattermost',
    yaml: '{webhook_url: "http://h", attachments: [{text: t, fields: [{title: t, value: v}]}]}',
    texts:
      'username text icon_url icon_emoji attachments[0].fallback attachments[0].color attachments[0].pretext attachments[0].text ' +
      'attachments[0].author_name attachments[0].author_link attachments[0].author_icon attachments[0].title ' +
      'attachments[0].title_link attachments[0].fields[0].title attachments[0].fields[0].value attachments[0].thumb_url ' +
      'attachments[0].footer attachments[0].footer_icon attachments[0].image_url type',
    unused:
      'fallback color pretext author_name author_link author_icon title title_link thumb_url footer footer_icon image_url',
  },
];

const START_PLACE = { path: '', standard: undefined };

/** The texts of a configuration that may be replaced. */
export function textsOf<C>({ kind }: Integration<C>, config: C): readonly string[] {
  const paths: string[] = [];
  const note = (source: string, { path }: { readonly path: string }) => {
    paths.push(path);
    return source;
  };
  kind.mapTexts?.(config, note, START_PLACE);
  return paths;
}

/** The configuration with broken templates in these places. */
export function broken<C>({ kind }: Integration<C>, config: C, paths: readonly string[], source = BROKEN): C {
  const change = (text: string, { path }: { readonly path: string }) => (paths.includes(path) ? source : text);
  return kind.mapTexts?.(config, change, START_PLACE) ?? config;
}

function templates(files: readonly string[] = []): Templates {
  const parsed = Templates.parse(files.map((text) => ({ name: 'own.tmpl', text })));
  assert.ok(parsed.ok);
  return parsed.value;
}

/** A context with real templates whose requests are only recorded. */
export function recordingContext(answer: Row['answer'] = () => ({}), files: readonly string[] = []) {
  const requests: HttpRequest[] = [];
  let opened = 0;
  const openHttp: NotifierContext['openHttp'] = () => {
    opened++;
    return {
      async send(request) {
        requests.push(request);
        return { status: 200, headers: new Headers(), text: '', ...answer(request) };
      },
    };
  };
  return { requests, opened: () => opened, context: notifierContext({ templates: templates(files), openHttp }) };
}

/** Everything that a request says, without the escapes of its form. */
export function saidBy({ url, body = '' }: HttpRequest): string {
  if (body.startsWith('{')) return unescapeHtml(stringsIn(JSON.parse(body)).join('\n'));
  return [...new URLSearchParams(body || new URL(url).search).values()].join('\n');
}

const unescapeHtml = (text: string) => text.replaceAll('&#34;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

export async function notifyTolerantly<C>(
  integration: Integration<C>,
  config: C,
  context: NotifierContext,
  notification: Notification = FIRING,
) {
  return createTolerantNotifier(integration, config, context).notify(notification, endless);
}

export const rowOf = (wanted: string): Row => TEXTS.find(({ name }) => name === wanted) as Row;
export const integrationOf = (wanted: string) => INTEGRATIONS.find(({ name }) => name === wanted) as Integration;
export const errorIn = (path: string) => `"${path}": ${NOT_DEFINED}`;
