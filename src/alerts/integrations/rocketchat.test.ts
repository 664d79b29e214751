import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { configOf, notifyOnce, printedOf, refusalOf, sentJson } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { rocketchatIntegration as rocketchat } from './rocketchat.ts';

const TOKENS = 'token: t1, token_id: i1';
const OK = { body: '{"success":true}' };

async function sendTo(t: Parameters<typeof startHttpSink>[0], more = '', answer: SinkAnswer = OK) {
  const sink = await startHttpSink(t, () => answer);
  const yaml = `{api_url: "${sink.url}/chat/", ${TOKENS}${more === '' ? '' : `, ${more}`}}`;
  return { sink, delivery: await notifyOnce(rocketchat, yaml) };
}

testIntegration(rocketchat, {
  yaml: '{api_url: URL, token: s3cr3t, token_id: i1}',
  readsAnswer: true,
  documented: [
    {
      name: 'a message of Rocket.Chat',
      source: 'https://developer.rocket.chat/apidocs/post-message',
      yaml: `{api_url: "URL/chat/", ${TOKENS}, channel: "#ops", color: red}`,
      answer: OK,
      request: 'POST /chat/api/v1/chat.postMessage',
      headers: { 'x-auth-token': 't1', 'x-user-id': 'i1' },
      body:
        '{"channel":"#ops","emoji":"\\u003crocketchat.default.emoji\\u003e","avatar":"\\u003crocketchat.default.iconurl\\u003e",' +
        '"attachments":[{"title":"\\u003crocketchat.default.title\\u003e","title_link":"\\u003crocketchat.default.titlelink\\u003e",' +
        '"text":"\\u003crocketchat.default.text\\u003e","color":"red"}]}\n',
    },
  ],
});

describe('a Rocket.Chat configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['{token: a, token_file: b}', 'line 1: at most one of token & token_file must be configured'],
    ['{token_id: a, token_id_file: b}', 'line 1: at most one of token_id & token_id_file must be configured'],
    ['{token: a}', 'no global Rocketchat TokenID set either inline or in a file'],
    ['{token_id: a}', 'no global Rocketchat Token set either inline or in a file'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(rocketchat, yaml), reason));
  }

  test('takes tokens and address from the global part, and its own tokens take precedence over all', () => {
    const global = { rocketchatTokenFile: '/token', rocketchatTokenIdFile: '/id' };
    const inherited = configOf(rocketchat, '{}', global);
    assert.deepEqual([inherited.tokenFile, inherited.tokenIdFile], ['/token', '/id']);
    assert.equal(inherited.apiUrl, 'https://open.rocket.chat/');
    assert.equal(inherited.sendResolved, false);
    const own = configOf(rocketchat, `{${TOKENS}}`, global);
    assert.deepEqual([own.token, own.tokenFile, own.tokenId, own.tokenIdFile], ['t1', '', 'i1', '']);
  });

  test('is shown without its tokens, and its printed form loads again', () => {
    const yaml = '{token: hush, token_id: hush, fields: [{title: a, short: false}], actions: [{text: b, imageurl: c}]}';
    const config = configOf(rocketchat, yaml);
    const { printed, again } = printedOf(rocketchat, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, token: '<secret>', tokenId: '<secret>' });
  });
});

describe('Rocket.Chat is notified', () => {
  test('with fields and buttons', async (t) => {
    const more =
      'title: T, title_link: "", text: X, image_url: I, thumb_url: H, color: green, emoji: ":fire:", icon_url: A, ' +
      'short_fields: true, link_names: true, fields: [{title: a, value: "{{ .Status }}"}, {title: b, value: c, short: false}], ' +
      'actions: [{type: other, text: Open, url: "http://x.example.org"}, {text: Say, msg: hello, iswebview: true}]';
    const { sink } = await sendTo(t, more);
    assert.equal(
      sink.requests[0]?.body,
      '{"emoji":":fire:","avatar":"A","attachments":[{"title":"T","text":"X","image_url":"I","thumb_url":"H","color":"green",' +
        '"fields":[{"short":true,"title":"a","value":"firing"},{"short":false,"title":"b","value":"c"}],' +
        '"actions":[{"type":"button","text":"Open","url":"http://x.example.org","is_webview":false,"msg_in_chat_window":false},' +
        '{"type":"button","text":"Say","is_webview":false,"msg":"hello","msg_in_chat_window":false}]}]}\n',
    );
  });

  test('at most 1024 characters of a title', async (t) => {
    const { sink } = await sendTo(t, `title: ${'ä'.repeat(1025)}`);
    const { attachments } = sentJson(sink) as { attachments: { title: string }[] };
    assert.equal(attachments[0]?.title, `${'ä'.repeat(1023)}…`);
  });

  test('with tokens from files, read at each use', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
    t.after(() => rm(folder, { recursive: true }));
    const [token, id] = [join(folder, 'token'), join(folder, 'id')];
    const sink = await startHttpSink(t, () => OK);
    const yaml = `{api_url: "${sink.url}", token_file: ${token}, token_id_file: ${id}}`;
    const missing = await notifyOnce(rocketchat, yaml);
    assert.match(missing.ok ? '' : missing.error, /^could not read .*token: ENOENT/);
    await writeFile(token, 'one\n');
    await writeFile(id, 'two\n');
    assert.deepEqual(await notifyOnce(rocketchat, yaml), { ok: true });
    assert.equal(sink.requests[0]?.headers['x-auth-token'], 'one');
    assert.equal(sink.requests[0]?.headers['x-user-id'], 'two');
  });
});

describe('a Rocket.Chat that fails', () => {
  const answers: readonly (readonly [string, SinkAnswer, object])[] = [
    [
      'refuses with a status of 200',
      { body: '{"success":false,"error":"error-not-allowed"}' },
      {
        retry: false,
        reason: 'clientError',
        error: 'channel "#ops": error response from Rocketchat: error-not-allowed',
      },
    ],
    [
      'answers something else',
      { body: '<html>' },
      {
        retry: true,
        reason: 'clientError',
        error: 'channel "#ops": could not unmarshal JSON response "<html>"',
      },
    ],
    [
      'repeats its tokens',
      { status: 401, body: 'not t1 of i1' },
      {
        retry: false,
        reason: 'authError',
        error: 'channel "#ops": unexpected status code 401: not <redacted> of <redacted>',
        retryAfterMs: undefined,
      },
    ],
  ];
  for (const [name, answer, expected] of answers) {
    test(name, async (t) => {
      assert.deepEqual((await sendTo(t, 'channel: "#ops"', answer)).delivery, { ok: false, ...expected });
    });
  }
});
