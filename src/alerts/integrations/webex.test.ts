import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { configOf, notifyOnce, printedOf, refusalOf, sentJson } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { fakeTemplates } from '../testing/notifier-parts.ts';
import type { NotifierContext } from './notifier.ts';
import { webexIntegration as webex } from './webex.ts';

const AUTHORIZED = 'http_config: {authorization: {credentials: hush}}';

async function sendTo(
  t: Parameters<typeof startHttpSink>[0],
  more = '',
  answer: SinkAnswer = {},
  context: Partial<NotifierContext> = {},
) {
  const sink = await startHttpSink(t, () => answer);
  const yaml = `{api_url: "${sink.url}/v1/messages", ${AUTHORIZED}, room_id: "room-{{ .Status }}"${more}}`;
  return { sink, delivery: await notifyOnce(webex, yaml, { context }) };
}

testIntegration(webex, {
  yaml: '{http_config: {authorization: {credentials: s3cr3t}}, api_url: URL, room_id: r}',
  documented: [
    {
      name: 'a message of Webex',
      source: 'https://developer.webex.com/docs/api/v1/messages/create-a-message',
      yaml: `{api_url: "URL/v1/messages", ${AUTHORIZED}, room_id: "room-{{ .Status }}"}`,
      answer: {},
      request: 'POST /v1/messages',
      headers: { authorization: 'Bearer hush' },
      body: '{"markdown":"\\u003cwebex.default.message\\u003e","roomId":"room-firing"}\n',
    },
  ],
});

describe('a Webex configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    [`{${AUTHORIZED}}`, 'line 1: missing room_id on webex_config'],
    ['{room_id: r}', 'line 1: missing webex_configs.http_config.authorization'],
    ['{room_id: r, http_config: {}}', 'line 1: missing webex_configs.http_config.authorization'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(webex, yaml), reason));
  }

  test('is fine with a token in the old spelling', () => {
    assert.equal(refusalOf(webex, '{room_id: r, http_config: {bearer_token: t}}'), undefined);
  });

  test('takes its address from the global part', () => {
    const yaml = `{room_id: r, ${AUTHORIZED}}`;
    assert.equal(configOf(webex, yaml).apiUrl, 'https://webexapis.com/v1/messages');
    assert.equal(configOf(webex, yaml, { webexApiUrl: 'http://w.example.org' }).apiUrl, 'http://w.example.org');
    assert.equal(configOf(webex, yaml).sendResolved, true);
  });

  test('is shown without its token, and its printed form loads again', () => {
    const config = configOf(webex, `{room_id: r, ${AUTHORIZED}}`);
    const { printed, again } = printedOf(webex, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.equal(again.roomId, 'r');
  });
});

describe('Webex is notified', () => {
  test('with the HTTP configuration that authorizes it', async (t) => {
    const seen: unknown[] = [];
    const sink = await startHttpSink(t);
    const openHttp: NotifierContext['openHttp'] = (config) => {
      seen.push(config?.authorization?.credentials);
      return { send: async () => ({ status: 200, headers: new Headers(), text: '' }) };
    };
    await notifyOnce(webex, `{api_url: "${sink.url}", ${AUTHORIZED}, room_id: r}`, { context: { openHttp } });
    assert.deepEqual(seen, ['hush']);
  });

  test('at most 7439 bytes of a message', async (t) => {
    const templates = { ...fakeTemplates, text: () => 'ä'.repeat(3720) };
    const { sink } = await sendTo(t, '', {}, { templates });
    const { markdown } = sentJson(sink) as { markdown: string };
    assert.equal(markdown, `${'ä'.repeat(3718)}…`);
    assert.equal(Buffer.byteLength(markdown), 7439);
  });
});
