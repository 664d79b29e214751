import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { configOf, notifyOnce, printedOf, refusalOf, sentJson } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { mattermostIntegration as mattermost } from './mattermost.ts';

async function sendTo(t: Parameters<typeof startHttpSink>[0], more = '', answer: SinkAnswer = { body: 'ok' }) {
  const sink = await startHttpSink(t, () => answer);
  const yaml = `{webhook_url: "${sink.url}/hooks/s3cr3t"${more === '' ? '' : `, ${more}`}}`;
  return { sink, delivery: await notifyOnce(mattermost, yaml) };
}

/** Fields that replace every default text. */
const BARE = 'username: "", color: "", text: "", title: "", title_link: "", fallback: ""';

testIntegration(mattermost, {
  yaml: '{webhook_url: URL/s3cr3t}',
  documented: [
    {
      name: 'a message of Mattermost',
      source: 'https://developers.mattermost.com/integrate/webhooks/incoming/',
      yaml: '{webhook_url: URL/hooks/x, channel: town-square}',
      answer: { body: 'ok' },
      request: 'POST /hooks/x',
      body:
        '{"channel":"town-square","username":"\\u003cmattermost.default.username\\u003e",' +
        '"attachments":[{"fallback":"\\u003cmattermost.default.fallback\\u003e","color":"\\u003cmattermost.default.color\\u003e",' +
        '"text":"\\u003cmattermost.default.text\\u003e","title":"\\u003cmattermost.default.title\\u003e",' +
        '"title_link":"\\u003cmattermost.default.titlelink\\u003e"}]}\n',
    },
  ],
});

describe('a Mattermost configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    [
      '{webhook_url: "http://m.example.org", webhook_url_file: b}',
      'line 1: at most one of webhook_url & webhook_url_file must be configured',
    ],
    ['{}', 'missing webhook_url or webhook_url_file on mattermost_config'],
    ['{webhook_url_file: f, fields: [{value: a}]}', 'line 1: missing title in Mattermost field configuration'],
    [
      '{webhook_url_file: f, attachments: [{fields: [{title: a}]}]}',
      'line 1: missing value in Mattermost field configuration',
    ],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(mattermost, yaml), reason));
  }

  test('takes its address from the global part, and its own takes precedence over both', () => {
    const global = { mattermostWebhookUrlFile: '/url' };
    assert.equal(configOf(mattermost, '{}', global).webhookUrlFile, '/url');
    assert.equal(configOf(mattermost, '{}', global).sendResolved, true);
    const own = configOf(mattermost, '{webhook_url: "http://m.example.org"}', global);
    assert.deepEqual([own.webhookUrl, own.webhookUrlFile], ['http://m.example.org', '']);
  });

  test('is shown without its address, and its printed form loads again', () => {
    const yaml =
      '{webhook_url: "http://hush.example.org", fields: [{title: a, value: b, short: false}], props: {card: c}, ' +
      'attachments: [{title: d}], priority: {priority: urgent, requested_ack: true}}';
    const config = configOf(mattermost, yaml);
    const { printed, again } = printedOf(mattermost, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, webhookUrl: '<secret>' });
  });
});

describe('Mattermost is notified', () => {
  test('with all that an attachment can have', async (t) => {
    const more =
      'username: U, icon_url: I, icon_emoji: E, type: custom_x, text: X, fallback: F, color: C, pretext: P, ' +
      'author_name: AN, author_link: AL, author_icon: AI, title: T, title_link: TL, thumb_url: TH, footer: FO, ' +
      'footer_icon: FI, image_url: IM, fields: [{title: a, value: "{{ .Status }}"}, {title: b, value: c, short: false}], ' +
      'props: {card: K}';
    const { sink } = await sendTo(t, more);
    assert.equal(
      sink.requests[0]?.body,
      '{"username":"U","icon_url":"I","icon_emoji":"E","attachments":[{"fallback":"F","color":"C","pretext":"P","text":"X",' +
        '"author_name":"AN","author_link":"AL","author_icon":"AI","title":"T","title_link":"TL",' +
        '"fields":[{"title":"a","value":"firing"},{"title":"b","value":"c","short":false}],' +
        '"thumb_url":"TH","footer":"FO","footer_icon":"FI","image_url":"IM"}],"type":"custom_x","props":{"card":"K"}}\n',
    );
  });

  test('in attachments of its own, beside the text', async (t) => {
    const more = `${BARE}, text: X, attachments: [{title: a, pretext: "{{ .Status }}"}, {}]`;
    const { sink } = await sendTo(t, more.replace('text: "", ', ''));
    assert.equal(sink.requests[0]?.body, '{"text":"X","attachments":[{"pretext":"firing","title":"a"},{}]}\n');
  });

  test('at most 16383 characters of a text beside attachments', async (t) => {
    const { sink } = await sendTo(t, `text: ${'ä'.repeat(16_384)}, attachments: [{title: a}]`);
    const { text } = sentJson(sink) as { text: string };
    assert.equal(text, `${'ä'.repeat(16_382)}…`);
  });

  const priorities: readonly (readonly [string, object | undefined])[] = [
    [
      '{priority: Urgent, requested_ack: true, persistent_notifications: true}',
      { priority: 'urgent', requested_ack: true, persistent_notifications: true },
    ],
    [
      '{priority: important, requested_ack: true, persistent_notifications: true}',
      { priority: 'important', requested_ack: true },
    ],
    ['{priority: standard, requested_ack: true, persistent_notifications: true}', { priority: 'standard' }],
    ['{priority: "{{ .Status }}", requested_ack: true}', { priority: 'standard' }],
    ['{requested_ack: true}', undefined],
  ];
  for (const [written, sent] of priorities) {
    test(`of the priority ${written}`, async (t) => {
      const { sink } = await sendTo(t, `priority: ${written}`);
      assert.deepEqual(sentJson(sink).priority, sent);
    });
  }

  test('at an address from a file, read at each use', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
    t.after(() => rm(folder, { recursive: true }));
    const path = join(folder, 'url');
    const sink = await startHttpSink(t);
    const send = () => notifyOnce(mattermost, `{webhook_url_file: ${path}}`);
    const missing = await send();
    assert.match(missing.ok ? '' : missing.error, /^ENOENT/);
    assert.equal(missing.ok || missing.retry, false);
    await writeFile(path, '\n');
    assert.deepEqual(await send(), { ok: false, retry: false, reason: 'other', error: 'webhook url missing' });
    await writeFile(path, `${sink.url}/x\n`);
    assert.deepEqual(await send(), { ok: true });
    assert.equal(sink.requests[0]?.path, '/x');
  });
});

describe('a Mattermost that fails', () => {
  test('is named with its channel and without its address', async (t) => {
    const sink = await startHttpSink(t, () => ({ status: 404, body: `nothing at ${sink.url}/hooks/s3cr3t` }));
    const yaml = `{webhook_url: "${sink.url}/hooks/s3cr3t", channel: "a\\"b"}`;
    const delivery = await notifyOnce(mattermost, yaml);
    assert.equal(delivery.ok || delivery.error, 'channel "a\\"b": unexpected status code 404: nothing at <redacted>');
  });
});
