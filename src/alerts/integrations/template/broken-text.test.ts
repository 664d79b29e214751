import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Notification } from '../../domain/notification.ts';
import {
  BROKEN,
  broken,
  endless,
  errorIn,
  FIRING,
  integrationOf,
  NOT_DEFINED,
  notifyTolerantly,
  recordingContext,
  rowOf,
} from '../../testing/broken-templates.ts';
import { configOf } from '../../testing/integration.ts';
import { notificationOf, notifiedAlert, resolvedAlert } from '../../testing/notifier-parts.ts';
import type { NotifierContext } from '../notifier.ts';
import { createTolerantNotifier } from './fallback.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

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

  test('in HTML whose default is broken only there has these words, escaped', async () => {
    const files = ['{{ define "telegram.default.message" }}<a b"c>x{{ end }}'];
    const { delivery, body } = await sendBroken('telegram', ['message'], { files });
    assert.ok(delivery.ok);
    const { text } = JSON.parse(body) as { readonly text: string };
    assert.match(
      text,
      /^&#34;Down&#34; \(1 firing\) in the group \{\}:\{alertname=&#34;Down&#34;\}\ntemplate error in /,
    );
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
    const { templates } = context;
    const counting: NotifierContext['templates'] = {
      text(source, data) {
        if (source === BROKEN) rendered++;
        return templates.text(source, data);
      },
      html: (source, data) => templates.html(source, data),
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
