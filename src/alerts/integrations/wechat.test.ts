import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type SinkAnswer, type SinkRequest, startHttpSink } from '../../testing/http/sink.ts';
import { configOf, FAILING_ANSWERS, printedOf, refusalOf } from '../testing/integration.ts';
import { testIntegration } from '../testing/integration-contract.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../testing/notifier-parts.ts';
import { wechatIntegration as wechat } from './wechat.ts';

const SECRETS = 'api_secret: hush, corp_id: c1';

testIntegration(wechat, { yaml: '{api_url: URL, api_secret: s3cr3t, corp_id: c1}', documented: undefined });

describe('a WeChat configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    [
      `{${SECRETS}, message_type: image}`,
      'line 1: weChat message type "image" does not match valid options ^(text|markdown)$',
    ],
    [`{${SECRETS}, api_secret_file: f}`, 'line 1: at most one of api_secret & api_secret_file must be configured'],
    ['{corp_id: c}', 'no global Wechat Api Secret set either inline or in a file'],
    ['{api_secret: s}', 'no global Wechat CorpID set'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(wechat, yaml), reason));
  }

  test('takes secret, corporation and address from the global part', () => {
    const config = configOf(wechat, '{}', { wechatApiSecretFile: '/s', wechatApiCorpId: 'c2' });
    const { apiSecretFile, corpId, apiUrl, messageType, sendResolved } = config;
    assert.deepEqual(
      { apiSecretFile, corpId, apiUrl, messageType, sendResolved },
      {
        apiSecretFile: '/s',
        corpId: 'c2',
        apiUrl: 'https://qyapi.weixin.qq.com/cgi-bin/',
        messageType: 'text',
        sendResolved: false,
      },
    );
  });

  test('with a secret of its own does not look at the global file', () => {
    const config = configOf(wechat, `{${SECRETS}}`, { wechatApiSecretFile: '/s' });
    assert.deepEqual([config.apiSecret, config.apiSecretFile], ['hush', '']);
  });

  test('is shown without its secret, and its printed form loads again', () => {
    const config = configOf(wechat, `{${SECRETS}, to_user: u, message: m, message_type: markdown}`);
    const { printed, again } = printedOf(wechat, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, apiSecret: '<secret>' });
  });
});

const TOKEN: SinkAnswer = { body: '{"errcode":0,"errmsg":"ok","access_token":"tok 1","expires_in":7200}' };
const SENT: SinkAnswer = { body: '{"errcode":0,"errmsg":"ok"}' };
const isTokenRequest = ({ path }: SinkRequest) => path.startsWith('/cgi-bin/gettoken');

async function start(
  t: TestContext,
  {
    fields = '',
    token = () => TOKEN,
    send = () => SENT,
  }: { fields?: string; token?: () => SinkAnswer; send?: () => SinkAnswer } = {},
) {
  const sink = await startHttpSink(t, (request) => (isTokenRequest(request) ? token() : send()));
  const clock = new FakeClock();
  const config = configOf(wechat, `{api_url: ${sink.url}/cgi-bin, ${SECRETS}${fields}}`);
  const notifier = wechat.create(config, notifierContext({ clock }));
  const notify = (signal = new AbortController().signal) =>
    notifier.notify(notificationOf([notifiedAlert({ alertname: 'Down' })]), signal);
  return { sink, clock, notify };
}

describe('WeChat is notified', () => {
  test('with a token requested first, as in its documentation', async (t) => {
    const { sink, notify } = await start(t, { fields: ', to_user: u, agent_id: "7"' });
    assert.deepEqual(await notify(), { ok: true });
    assert.deepEqual(
      sink.requests.map(({ method, path }) => `${method} ${path}`),
      ['GET /cgi-bin/gettoken?corpid=c1&corpsecret=hush', 'POST /cgi-bin/message/send?access_token=tok+1'],
    );
    assert.equal(
      sink.requests[1]?.body,
      '{"text":{"content":"\\u003cwechat.default.message\\u003e"},"touser":"u",' +
        '"toparty":"\\u003cwechat.default.to_party\\u003e","totag":"\\u003cwechat.default.to_tag\\u003e","agentid":"7",' +
        '"safe":"0","msgtype":"text","markdown":{"content":""}}\n',
    );
  });

  test('in Markdown', async (t) => {
    const fields = ', message_type: markdown, message: "# x", to_party: "", to_tag: "", to_user: "", agent_id: ""';
    const { sink, notify } = await start(t, { fields });
    await notify();
    assert.deepEqual(sink.requests[1]?.json, {
      text: { content: '' },
      safe: '0',
      msgtype: 'markdown',
      markdown: { content: '# x' },
    });
  });

  test('with the same token for two hours', async (t) => {
    const { sink, clock, notify } = await start(t);
    await notify();
    clock.advance(2 * 3_600_000);
    await notify();
    assert.equal(sink.requests.filter(isTokenRequest).length, 1);
    clock.advance(1);
    await notify();
    assert.equal(sink.requests.filter(isTokenRequest).length, 2);
  });
});

describe('WeChat answers', () => {
  for (const code of [42001, 40014]) {
    test(`with code ${code}: the next attempt requests a new token`, async (t) => {
      const { sink, notify } = await start(t, { send: () => ({ body: `{"errcode":${code},"errmsg":"token tok 1"}` }) });
      const delivery = await notify();
      assert.deepEqual(delivery, { ok: false, retry: true, reason: 'other', error: 'token <redacted>' });
      await notify();
      assert.equal(sink.requests.filter(isTokenRequest).length, 2);
    });
  }

  test('with another code: not retried, with its text', async (t) => {
    const { notify } = await start(t, { send: () => ({ body: '{"errcode":40003,"errmsg":"invalid userid"}' }) });
    assert.deepEqual(await notify(), { ok: false, retry: false, reason: 'other', error: 'invalid userid' });
  });

  test('no token: not retried', async (t) => {
    const { sink, notify } = await start(t, { token: () => ({ body: '{"errcode":40001,"errmsg":"hush"}' }) });
    const delivery = await notify();
    assert.deepEqual(delivery, {
      ok: false,
      retry: false,
      reason: 'other',
      error: 'invalid APISecret for CorpID: c1',
    });
    assert.equal(sink.requests.length, 1);
  });

  for (const { name, answer, expected } of FAILING_ANSWERS) {
    for (const step of ['token', 'send'] as const) {
      test(`${name} to a ${step} request: tried again`, async (t) => {
        const { notify } = await start(t, { [step]: () => answer });
        const delivery = await notify();
        assert.ok(!delivery.ok && delivery.retry);
        assert.equal(delivery.reason, expected.reason);
        assert.equal(delivery.retryAfterMs, expected.retryAfterMs);
        assert.doesNotMatch(delivery.error, /hush|tok/);
      });
    }
  }

  test('nothing: the attempt ends with its deadline', async (t) => {
    const { sink, notify } = await start(t, { send: () => 'hang' });
    const controller = new AbortController();
    const sent = notify(controller.signal);
    await sink.received(2);
    controller.abort(new DOMException('late', 'TimeoutError'));
    const delivery = await sent;
    assert.ok(!delivery.ok && delivery.retry && delivery.reason === 'contextDeadlineExceeded');
  });
});
