import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { configOf, notifyOnce, printedOf, refusalOf, sentJson } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { fakeTemplates } from '../testing/notifier-parts.ts';
import { telegramIntegration as telegram } from './telegram.ts';

const TOKEN = '12345:AbC';
const OK = { body: '{"ok":true,"result":{"message_id":1,"chat":{"id":-100}}}' };

function yamlFor(url: string, more = ''): string {
  return `{api_url: "${url}", bot_token: "${TOKEN}", chat_id: -100200300${more === '' ? '' : `, ${more}`}}`;
}

async function sendTo(t: Parameters<typeof startHttpSink>[0], more = '', answer: SinkAnswer = OK) {
  const sink = await startHttpSink(t, () => answer);
  const delivery = await notifyOnce(telegram, yamlFor(sink.url, more));
  return { sink, delivery };
}

testIntegration(telegram, {
  yaml: '{api_url: URL, bot_token: s3cr3t, chat_id: 1}',
  isRetried: () => true,
  readsAnswer: true,
  documented: [
    {
      name: 'a message of Telegram',
      source: 'https://core.telegram.org/bots/api#sendmessage',
      yaml: yamlFor('URL'),
      answer: OK,
      request: `POST /bot${TOKEN}/sendMessage`,
      body:
        '{"chat_id":"-100200300","disable_web_page_preview":"true","parse_mode":"HTML",' +
        '"text":"\\u003ctelegram.default.message\\u003e"}\n',
    },
  ],
});

describe('a Telegram configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    [
      '{chat_id: 1, bot_token: a, bot_token_file: b}',
      'line 1: at most one of bot_token & bot_token_file must be configured',
    ],
    ['{bot_token: a}', 'line 1: missing chat_id or chat_id_file on telegram_config'],
    ['{bot_token: a, chat_id: 0}', 'line 1: missing chat_id or chat_id_file on telegram_config'],
    ['{bot_token: a, chat_id: 1, chat_id_file: b}', 'line 1: at most one of chat_id & chat_id_file must be configured'],
    [
      '{bot_token: a, chat_id: 1, parse_mode: html}',
      'line 1: unknown parse_mode on telegram_config, must be Markdown, MarkdownV2, HTML or empty string',
    ],
    ['{chat_id: 1}', 'missing bot_token or bot_token_file on telegram_config'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(telegram, yaml), reason));
  }

  test('takes token and address from the global part, and its own token takes precedence over both', () => {
    const global = { telegramBotTokenFile: '/token', telegramApiUrl: 'http://telegram.example.org' };
    const inherited = configOf(telegram, '{chat_id: 1}', global);
    assert.equal(inherited.botTokenFile, '/token');
    assert.equal(inherited.apiUrl, 'http://telegram.example.org');
    assert.equal(inherited.sendResolved, true);
    assert.equal(configOf(telegram, '{chat_id: 1, bot_token: own}', global).botTokenFile, '');
    assert.equal(configOf(telegram, '{chat_id: 1, bot_token: own}').apiUrl, 'https://api.telegram.org');
  });

  test('is shown without its token, and its printed form loads again', () => {
    const config = configOf(telegram, '{chat_id: -1, bot_token: hush, message_thread_id: 7}');
    const { printed, again } = printedOf(telegram, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, botToken: '<secret>' });
  });
});

describe('Telegram is notified', () => {
  test('without a sound, in a thread, and in plain text, where it is wanted', async (t) => {
    const more = 'disable_notifications: true, message_thread_id: 7, parse_mode: "", message: "{{ .Status }}"';
    const { sink } = await sendTo(t, more);
    assert.deepEqual(sink.requests[0]?.json, {
      chat_id: '-100200300',
      disable_notification: 'true',
      disable_web_page_preview: 'true',
      message_thread_id: '7',
      text: 'firing',
    });
  });

  test('in HTML that is escaped, where the message is HTML, and only there', async (t) => {
    const templates = { text: () => 'as text', html: () => 'as html' };
    const sink = await startHttpSink(t, () => OK);
    for (const [mode, text] of [
      ['HTML', 'as html'],
      ['MarkdownV2', 'as text'],
    ]) {
      await notifyOnce(telegram, yamlFor(sink.url, `parse_mode: ${mode}`), { context: { templates } });
      assert.equal(sentJson(sink, sink.requests.length - 1).text, text);
    }
  });

  test('at most 4096 characters: a text is cut, longer HTML is an error with its length', async (t) => {
    const long = '😀'.repeat(4097);
    const sink = await startHttpSink(t, () => OK);
    const textOf = async (mode: string, message: string) => {
      const templates = { ...fakeTemplates, html: () => message, text: () => message };
      await notifyOnce(telegram, yamlFor(sink.url, `parse_mode: ${mode}`), { context: { templates } });
      return String(sentJson(sink, sink.requests.length - 1).text);
    };
    assert.equal(await textOf('Markdown', long), `${'😀'.repeat(4095)}…`);
    assert.equal(await textOf('HTML', long.slice(2)), long.slice(2));
    assert.match(await textOf('HTML', long), /longer than the 4096 characters/);
  });

  test('with token and chat from files, read at each use', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
    t.after(() => rm(folder, { recursive: true }));
    const [token, chat] = [join(folder, 'token'), join(folder, 'chat')];
    const sink = await startHttpSink(t, () => OK);
    const yaml = `{api_url: "${sink.url}/", bot_token_file: ${token}, chat_id_file: ${chat}}`;
    const missing = await notifyOnce(telegram, yaml);
    assert.match(missing.ok ? '' : missing.error, /^could not read .*token: ENOENT/);
    await writeFile(token, '1:x\n');
    await writeFile(chat, 'team\n');
    const error = `could not parse chat_id from ${chat}: not a whole number`;
    assert.deepEqual(await notifyOnce(telegram, yaml), { ok: false, retry: true, reason: 'other', error });
    await writeFile(chat, ' -42\n');
    assert.deepEqual(await notifyOnce(telegram, yaml), { ok: true });
    assert.equal(sink.requests[0]?.path, '/bot1:x/sendMessage');
    assert.equal(sentJson(sink).chat_id, '-42');
  });
});

describe('a Telegram that fails', () => {
  const answers: readonly (readonly [string, SinkAnswer, object])[] = [
    [
      'says why in its own words',
      { status: 400, body: '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}' },
      {
        reason: 'clientError',
        error: 'unexpected status code 400: Bad Request: chat not found',
        retryAfterMs: undefined,
      },
    ],
    [
      'says how long to wait',
      {
        status: 429,
        body: '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 9","parameters":{"retry_after":9}}',
      },
      {
        reason: 'rateLimited',
        error: 'unexpected status code 429: Too Many Requests: retry after 9',
        retryAfterMs: 9000,
      },
    ],
    [
      'says where the chat is now',
      {
        status: 400,
        body: '{"ok":false,"error_code":400,"description":"Bad Request: group chat was upgraded","parameters":{"migrate_to_chat_id":-5}}',
      },
      {
        reason: 'clientError',
        error: 'unexpected status code 400: Bad Request: group chat was upgraded; the chat now has the id -5',
        retryAfterMs: undefined,
      },
    ],
    [
      'refuses with a status of 200',
      { body: '{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked"}' },
      { reason: 'authError', error: 'unexpected status code 403: Forbidden: bot was kicked', retryAfterMs: undefined },
    ],
    [
      'is something else',
      { body: '<html>' },
      { reason: 'other', error: 'the answer is not that of a Telegram Bot API' },
    ],
    [
      'repeats the token',
      { status: 404, body: `no /bot${TOKEN}/` },
      { reason: 'clientError', error: 'unexpected status code 404: no /bot<redacted>/', retryAfterMs: undefined },
    ],
  ];
  for (const [name, answer, expected] of answers) {
    test(name, async (t) => {
      assert.deepEqual((await sendTo(t, '', answer)).delivery, { ok: false, retry: true, ...expected });
    });
  }
});
