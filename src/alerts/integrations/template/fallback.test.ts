import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Notification } from '../../domain/notification.ts';
import { TemplateError } from '../../template/template-error.ts';
import { Templates } from '../../template/templates.ts';
import { configOf } from '../../testing/integration.ts';
import { notificationOf, notifiedAlert, notifierContext, resolvedAlert } from '../../testing/notifier-parts.ts';
import { startSmtpSink } from '../../testing/smtp-sink.ts';
import { PUBLISHED } from '../../testing/sns-sink.ts';
import { INTEGRATIONS } from '../integrations.ts';
import type { HttpAnswer, HttpRequest, Integration, NotifierContext } from '../notifier.ts';
import { createTolerantNotifier } from './fallback.ts';

const BROKEN = '{{ template "nope" . }}';
const NOT_DEFINED = 'template: :1:12: executing "" at <{{template "nope" .}}>: template "nope" not defined';
const FIRING = notificationOf([notifiedAlert({ alertname: 'Down', instance: 'h1' })]);
const { signal: endless } = new AbortController();

interface Row {
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

const TABLE: readonly Row[] = [
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
function textsOf<C>({ kind }: Integration<C>, config: C): readonly string[] {
  const paths: string[] = [];
  const note = (source: string, { path }: { readonly path: string }) => {
    paths.push(path);
    return source;
  };
  kind.mapTexts?.(config, note, START_PLACE);
  return paths;
}

/** The configuration with broken templates in these places. */
function broken<C>({ kind }: Integration<C>, config: C, paths: readonly string[], source = BROKEN): C {
  const change = (text: string, { path }: { readonly path: string }) => (paths.includes(path) ? source : text);
  return kind.mapTexts?.(config, change, START_PLACE) ?? config;
}

function templates(files: readonly string[] = []): Templates {
  const parsed = Templates.parse(files.map((text) => ({ name: 'own.tmpl', text })));
  assert.ok(parsed.ok);
  return parsed.value;
}

/** A context with real templates whose requests are only recorded. */
function recordingContext(answer: Row['answer'] = () => ({}), files: readonly string[] = []) {
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
function saidBy({ url, body = '' }: HttpRequest): string {
  if (body.startsWith('{')) return unescapeHtml(stringsIn(JSON.parse(body)).join('\n'));
  return [...new URLSearchParams(body || new URL(url).search).values()].join('\n');
}

const unescapeHtml = (text: string) => text.replaceAll('&#34;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>');

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

const count = (text: string, part: string) => text.split(part).length - 1;

/** The parts of a mail, decoded. */
function partsOf(mail: string): readonly string[] {
  const plain = mail
    .replace(/=\r?\n/g, '')
    .replace(/((=[\dA-F]{2})+)/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
  return plain.split(/^--.*$/m).slice(1, -1);
}

async function notifyTolerantly<C>(
  integration: Integration<C>,
  config: C,
  context: NotifierContext,
  notification: Notification = FIRING,
) {
  return createTolerantNotifier(integration, config, context).notify(notification, endless);
}

const rowOf = (wanted: string): Row => TABLE.find(({ name }) => name === wanted) as Row;
const integrationOf = (wanted: string) => INTEGRATIONS.find(({ name }) => name === wanted) as Integration;
const errorIn = (path: string) => `"${path}": ${NOT_DEFINED}`;

for (const row of TABLE.filter(({ name }) => name !== 'email')) {
  const { name, unused = '' } = row;
  const integration = integrationOf(name);
  const config = configOf(integration, row.yaml);
  const isUsed = (path: string) => !unused.split(' ').includes(path);

  test(`${name}: ${row.texts || 'no text'} gives way when it cannot be rendered`, () => {
    assert.equal(textsOf(integration, config).filter(isUsed).join(' '), row.texts);
  });

  for (const path of unused.split(' ').filter(Boolean)) {
    test(`${name}: a broken ${path} is no error where it is not sent`, async () => {
      const { context } = recordingContext(row.answer);
      const delivery = await notifyTolerantly(integration, broken(integration, config, [path]), context);
      assert.deepEqual(delivery, { ok: true });
    });
  }

  for (const path of row.texts.split(' ').filter(Boolean)) {
    test(`${name}: with a broken ${path} the notification is sent, and says so once`, async () => {
      const { requests, context, opened } = recordingContext(row.answer);
      const delivery = await notifyTolerantly(integration, broken(integration, config, [path]), context);
      assert.ok(delivery.ok, JSON.stringify(delivery));
      assert.match(delivery.templateError ?? '', /(template "nope" not defined|no such template "nope")$/);
      assert.ok(delivery.templateError?.startsWith(`"${path}": `), delivery.templateError);
      const said = saidBy(requests.at(-1) as HttpRequest);
      assert.equal(count(said, 'template error in '), 1, said);
      assert.ok(said.includes(`template error in ${delivery.templateError}`), said);
      assert.doesNotMatch(said, /\{\{(?!template "nope" \.\}\})/);
      assert.equal(opened(), 1, 'connections are shared');
    });
  }
}

test('the table has every integration', () => {
  const tested = new Set(TABLE.map(({ name }) => name));
  assert.deepEqual([...tested].sort(), INTEGRATIONS.map(({ name }) => name).sort());
});

describe('e-mail', () => {
  const email = integrationOf('email');
  const row = rowOf('email');

  test('these texts give way when they cannot be rendered', () => {
    const config = configOf(email, row.yaml.replace('PORT', '25'));
    assert.equal(textsOf(email, config).join(' '), row.texts);
  });

  for (const path of row.texts.split(' ')) {
    test(`with a broken ${path} the mail is sent, and says so once in each of its alternatives`, async (t: TestContext) => {
      const sink = await startSmtpSink(t);
      const config = configOf(email, row.yaml.replace('PORT', String(sink.port)));
      const { context } = recordingContext();
      const delivery = await notifyTolerantly(email, broken(email, config, [path]), context);
      assert.ok(delivery.ok, JSON.stringify(delivery));
      const content = sink.mails[0]?.content ?? '';
      const parts = partsOf(content);
      assert.deepEqual(
        parts.map((part) => count(part, 'template error in ')),
        [1, 1],
        content,
      );
      assert.ok(parts.every((part) => part.includes(path)));
      if (path === 'headers.Subject') assert.match(content, /^Subject: \[FIRING:1\] Down \(h1\)/m);
    });
  }
});

describe('a broken text', () => {
  const sendBroken = async (
    name: string,
    paths: readonly string[],
    {
      files = [],
      yaml = rowOf(name).yaml,
      notification = FIRING,
    }: {
      files?: readonly string[];
      yaml?: string;
      notification?: Notification;
    } = {},
  ) => {
    const integration = integrationOf(name);
    const { requests, context } = recordingContext(rowOf(name).answer, files);
    const config = broken(integration, configOf(integration, yaml), paths);
    const delivery = await notifyTolerantly(integration, config, context, notification);
    return { delivery, body: requests.at(-1)?.body ?? '', requests };
  };

  test('has its default in its place', async () => {
    const { body } = await sendBroken('msteams', ['title']);
    const sent = JSON.parse(body) as Record<string, string>;
    assert.equal(sent.title, '[FIRING:1] Down (h1)');
    assert.match(sent.text ?? '', /\n\ntemplate error in "title": .*not defined$|\ntemplate error in "title"/);
  });

  test('without a default has words that name alerts and group', async () => {
    const alerts = [
      notifiedAlert({ alertname: 'Down' }),
      notifiedAlert({ alertname: 'Slow "{{ x }}"' }),
      resolvedAlert({ alertname: 'Down' }),
    ];
    const { body } = await sendBroken('discord', ['content'], { notification: notificationOf(alerts) });
    const sent = JSON.parse(body) as { readonly content: string };
    assert.equal(
      sent.content,
      '"Down", "Slow \\"{{ x }}\\"" (2 firing, 1 resolved) in the group {}:{alertname="Down"}',
    );
  });

  test('whose default is broken as well has these words too', async () => {
    const { body } = await sendBroken('discord', ['title'], { files: [`{{ define "__subject" }}${BROKEN}{{ end }}`] });
    const sent = JSON.parse(body) as { readonly embeds: readonly { readonly title: string }[] };
    assert.equal(sent.embeds[0]?.title, '"Down" (1 firing) in the group {}:{alertname="Down"}');
  });

  test('in a payload stays a text where YAML would see a mapping', async () => {
    const notification = notificationOf([notifiedAlert({ alertname: 'db: down' })], { groupKey: '{}:{a="b: c"}' });
    const { body } = await sendBroken('webhook', ['payload.a', 'payload.b[0]'], { notification });
    const sent = JSON.parse(body) as { readonly a: unknown; readonly b: readonly unknown[] };
    assert.match(
      String(sent.a),
      /^"db: down" \(1 firing\) in the group \{\}:\{a="b: c"\}\ntemplate error in "payload\.a": /,
    );
    assert.equal(sent.b[0], '"db: down" (1 firing) in the group {}:{a="b: c"}');
  });

  test('beside another is named with it, in one note', async () => {
    const { delivery, body } = await sendBroken('msteams', ['title', 'summary']);
    assert.equal(
      delivery.templateError,
      `${errorIn('title').replace(NOT_DEFINED, '')}${NOT_DEFINED}; ${errorIn('summary')}`,
    );
    assert.equal(count(body, 'template error in '), 1);
  });

  test('that is a colour, a tag or a link without a default is left out', async () => {
    const { body } = await sendBroken('opsgenie', ['tags', 'priority']);
    const sent = JSON.parse(body) as Record<string, unknown>;
    assert.deepEqual([sent.tags, sent.priority], [undefined, undefined]);
  });

  test('of a Jira field or label leaves it out, since Jira would refuse other words', async () => {
    const { body } = await sendBroken('jira', ['labels[0]', 'fields.own.deep']);
    const { fields } = JSON.parse(body) as {
      readonly fields: { readonly labels: readonly string[]; readonly own?: unknown };
    };
    assert.equal(fields.own, undefined);
    assert.deepEqual(
      fields.labels.filter((label) => !label.startsWith('ALERT')),
      ['b'],
    );
  });

  test('beside a Jira document adds a paragraph to it', async () => {
    const document = JSON.stringify({ type: 'doc', version: 1, content: [] });
    const yaml = `{api_url: "http://h/rest/api/3", project: p, issue_type: t, description: '${document}'}`;
    const { delivery, body } = await sendBroken('jira', ['summary'], { yaml });
    assert.ok(delivery.ok);
    const { description } = (
      JSON.parse(body) as { readonly fields: { readonly description: { readonly content: unknown } } }
    ).fields;
    assert.match(
      JSON.stringify(description.content),
      /^\[\{"type":"paragraph","content":\[\{"type":"text","text":"template error in /,
    );
  });

  test('of Telegram in Markdown is sent without it, which its default text would break', async () => {
    const yaml = '{bot_token: t, chat_id: 1, api_url: "http://h", parse_mode: MarkdownV2}';
    const { body } = await sendBroken('telegram', ['message'], { yaml });
    assert.equal((JSON.parse(body) as Record<string, unknown>).parse_mode, undefined);
  });

  test('in HTML has an escaped note', async () => {
    const { body } = await sendBroken('telegram', ['message']);
    assert.match(String((JSON.parse(body) as Record<string, unknown>).text), /\ntemplate error in &#34;message&#34;: /);
  });

  test('has its note also where the message is cut', async () => {
    const alerts = Array.from({ length: 200 }, (_, n) => notifiedAlert({ alertname: 'Down', instance: `host${n}` }));
    const { requests } = await sendBroken('pushover', ['message'], { notification: notificationOf(alerts) });
    const message = new URL(requests[0]?.url ?? '').searchParams.get('message') ?? '';
    assert.ok(message.length > 900 && message.length <= 1024, message);
    assert.match(message, /…\ntemplate error in "message": .* not defined$/);
  });

  test('of a later attempt is not rendered again', async () => {
    const integration = integrationOf('discord');
    const { requests, context } = recordingContext(() => ({ status: 503 }));
    let rendered = 0;
    const { text, html } = context.templates;
    const counting = {
      text(source: string, data: Parameters<typeof text>[1]) {
        if (source === BROKEN) rendered++;
        return text.call(context.templates, source, data);
      },
      html,
    };
    const config = broken(integration, configOf(integration, rowOf('discord').yaml), ['title']);
    const notifier = createTolerantNotifier(integration, config, { ...context, templates: counting });
    for (let attempt = 0; attempt < 3; attempt++) {
      const delivery = await notifier.notify(FIRING, endless);
      assert.ok(!delivery.ok && delivery.retry && delivery.templateError !== undefined);
    }
    assert.deepEqual([rendered, requests.length], [1, 3]);
  });
});

describe('a broken address is a failure', () => {
  const addresses: readonly (readonly [name: string, yaml: string])[] = [
    ['webhook', `{url: 'http://h/${BROKEN}'}`],
    ['email', `{to: '${BROKEN}', from: a@b.example, smarthost: "127.0.0.1:25"}`],
    ['email', `{to: a@b.example, from: a@b.example, smarthost: "127.0.0.1:25", headers: {X-Team: '${BROKEN}'}}`],
    ['pagerduty', `{routing_key: '${BROKEN}', url: "http://h"}`],
    ['opsgenie', `{api_key: '${BROKEN}', api_url: "http://h"}`],
    ['opsgenie', `{api_key: k, api_url: "http://h", responders: [{name: '${BROKEN}', type: team}]}`],
    ['wechat', `{api_secret: s, corp_id: c, api_url: "http://h", to_user: '${BROKEN}'}`],
    ['slack', `{api_url: "http://h", channel: '${BROKEN}'}`],
    ['victorops', `{api_key: k, api_url: "http://h", routing_key: '${BROKEN}'}`],
    ['pushover', `{user_key: '${BROKEN}', token: t}`],
    ['pushover', `{user_key: u, token: t, device: '${BROKEN}'}`],
    ['sns', `{api_url: "http://h", topic_arn: '${BROKEN}', sigv4: {region: r, access_key: k, secret_key: s}}`],
    ['sns', `{topic_arn: t, attributes: {a: '${BROKEN}'}, sigv4: {region: r, access_key: k, secret_key: s}}`],
    ['webex', `{room_id: '${BROKEN}', api_url: "http://h", http_config: {authorization: {credentials: c}}}`],
    ['jira', `{api_url: "http://h/rest/api/2", project: '${BROKEN}', issue_type: t}`],
    ['rocketchat', `{token: t, token_id: i, api_url: "http://h", channel: '${BROKEN}'}`],
    ['mattermost', `{webhook_url: "http://h", channel: '${BROKEN}'}`],
  ];
  for (const [name, yaml] of addresses) {
    test(`${name}: ${yaml}`, async () => {
      const integration = integrationOf(name);
      const { requests, context } = recordingContext(rowOf(name).answer);
      const config = configOf(integration, yaml);
      for (const one of [config, broken(integration, config, ['message', 'title', 'summary', 'description', 'html'])]) {
        await assert.rejects(notifyTolerantly(integration, one, context), TemplateError);
      }
      assert.deepEqual(
        requests.filter(({ url }) => !url.includes('gettoken')),
        [],
      );
    });
  }
});
