import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type HttpSink, type SinkAnswer, type SinkRequest, startHttpSink } from '../../../testing/http/sink.ts';
import { TemplateError } from '../../template/template-error.ts';
import { configOf, notifyOnce, printedOf, refusalOf } from '../../testing/integration.ts';
import { testIntegration } from '../../testing/integration-contract.ts';
import { GROUP_HASH, notifierContext, plainHttp } from '../../testing/notifier-parts.ts';
import { PUBLISHED } from '../../testing/sns-sink.ts';
import type { HttpClient, NotifierContext } from '../notifier.ts';
import { snsIntegration as sns } from './sns.ts';

const TOPIC = 'topic_arn: "arn:aws:sns:eu-west-1:123456789012:alerts"';
const ACCESS = 'sigv4: {region: eu-west-1, access_key: AKIAEXAMPLE, secret_key: hush}';

testIntegration(sns, {
  yaml: '{api_url: URL, topic_arn: t, sigv4: {region: r, access_key: k, secret_key: s3cr3t}}',
  documented: undefined,
});

describe('an SNS configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['{}', 'line 1: must provide either a Target ARN, Topic ARN, or Phone Number for SNS config'],
    [
      '{topic_arn: a, phone_number: b}',
      'line 1: must provide either a Target ARN, Topic ARN, or Phone Number for SNS config',
    ],
    [
      '{topic_arn: a, sigv4: {access_key: b}}',
      'line 1: must provide a AWS SigV4 Access key and Secret Key if credentials are specified in the SigV4 config',
    ],
    ['{topic_arn: a, sigv4: {external_id: b}}', 'line 1: external_id can only be used with role_arn'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(sns, yaml), reason));
  }

  test('is shown without its secret key, and its printed form loads again', () => {
    const config = configOf(sns, `{${TOPIC}, ${ACCESS}, attributes: {a: b}, use_aws_http_client: true}`);
    const { printed, again } = printedOf(sns, config);
    assert.equal(JSON.stringify(printed).includes('hush'), false);
    assert.deepEqual(again, { ...config, sigv4: { ...config.sigv4, secretKey: '<secret>' } });
    assert.equal(config.sendResolved, true);
  });
});

function failure(status: number, code: string, message: string): SinkAnswer {
  const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`;
  return {
    status,
    headers: { 'content-type': 'text/xml', 'retry-after': '3' },
    body: `<ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">${error}<RequestId>r-1</RequestId></ErrorResponse>`,
  };
}

const formOf = (request: SinkRequest | undefined) => Object.fromEntries(new URLSearchParams(request?.body));

/** AWS variables in the environment of the tests must not count. */
function forgetAws(t: TestContext): void {
  const { env } = process;
  const before = { ...env };
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) delete process.env[name];
  process.env.AWS_CONFIG_FILE = '/nonexistent/config';
  process.env.AWS_SHARED_CREDENTIALS_FILE = '/nonexistent/credentials';
  process.env.AWS_EC2_METADATA_DISABLED = 'true';
  t.after(() => {
    for (const name of Object.keys(env)) if (name.startsWith('AWS_')) delete env[name];
    Object.assign(env, before);
  });
}

describe('SNS is notified', () => {
  const start = (t: TestContext): Promise<HttpSink> => {
    forgetAws(t);
    return startHttpSink(t, () => PUBLISHED);
  };

  test('with a signed Publish request, as its API reference has it', async (t) => {
    const sink = await start(t);
    const yaml = `{api_url: ${sink.url}, ${TOPIC}, ${ACCESS}, subject: s, message: "{{ .Status }} & more", attributes: {"k {{ .Status }}": v}}`;
    assert.deepEqual(await notifyOnce(sns, yaml), { ok: true });
    const [request] = sink.requests;
    assert.equal(`${request?.method} ${request?.path}`, 'POST /');
    assert.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded');
    assert.match(
      request?.headers.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/eu-west-1\/sns\/aws4_request, SignedHeaders=[a-z\d;-]+, Signature=[\da-f]{64}$/,
    );
    assert.deepEqual(formOf(request), {
      Action: 'Publish',
      Version: '2010-03-31',
      TopicArn: 'arn:aws:sns:eu-west-1:123456789012:alerts',
      Subject: 's',
      Message: 'firing & more',
      'MessageAttributes.entry.1.Name': 'k firing',
      'MessageAttributes.entry.1.Value.DataType': 'String',
      'MessageAttributes.entry.1.Value.StringValue': 'v',
    });
  });

  test('by a FIFO topic with the group as its order and its duplicate', async (t) => {
    const sink = await start(t);
    await notifyOnce(sns, `{api_url: ${sink.url}, topic_arn: "arn:aws:sns:eu-west-1:1:a.fifo", ${ACCESS}}`);
    const form = formOf(sink.requests[0]);
    assert.deepEqual([form.MessageGroupId, form.MessageDeduplicationId], [GROUP_HASH, GROUP_HASH]);
  });

  test('by SMS with at most 1600 bytes, and marked as truncated', async (t) => {
    const sink = await start(t);
    const message = `x${'ä'.repeat(800)}`;
    await notifyOnce(sns, `{api_url: ${sink.url}, phone_number: "+123", ${ACCESS}, subject: "", message: ${message}}`);
    assert.deepEqual(formOf(sink.requests[0]), {
      Action: 'Publish',
      Version: '2010-03-31',
      PhoneNumber: '+123',
      Message: `x${'ä'.repeat(799)}`,
      'MessageAttributes.entry.1.Name': 'truncated',
      'MessageAttributes.entry.1.Value.DataType': 'String',
      'MessageAttributes.entry.1.Value.StringValue': 'true',
    });
  });

  test('with at most 256 KiB', async (t) => {
    const sink = await start(t);
    for (const [length, sent] of [
      [256 * 1024, 256 * 1024],
      [256 * 1024 + 1, 256 * 1024],
    ]) {
      const message = 'm'.repeat(length ?? 0);
      await notifyOnce(sns, `{api_url: ${sink.url}, target_arn: t, ${ACCESS}, message: ${message}}`);
      assert.equal(formOf(sink.requests.at(-1)).Message?.length, sent);
    }
  });

  test('in a role assumed once, from STS at its own address', async (t) => {
    const sink = await start(t);
    const asked: SinkRequest[] = [];
    const sts = await startHttpSink(t, (request) => {
      asked.push(request);
      return {
        headers: { 'content-type': 'text/xml' },
        body:
          '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>' +
          '<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>session</SessionToken>' +
          '<Expiration>2120-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>',
      };
    });
    const hosts: string[] = [];
    const http: HttpClient = {
      send(request) {
        const url = new URL(request.url);
        hosts.push(url.host);
        return plainHttp.send(url.host.startsWith('sts.') ? { ...request, url: sts.url } : request);
      },
    };
    const access = 'region: eu-west-1, access_key: AKIAEXAMPLE, secret_key: hush, role_arn: "arn:r", external_id: e';
    const config = `{api_url: ${sink.url}, ${TOPIC}, sigv4: {${access}}}`;
    const delivery = await notifyOnce(sns, config, { context: { openHttp: () => http } });
    assert.deepEqual(delivery, { ok: true });
    assert.deepEqual(hosts, ['sts.eu-west-1.amazonaws.com', new URL(sink.url).host]);
    const { Action, RoleArn, ExternalId } = formOf(asked[0]);
    assert.deepEqual({ Action, RoleArn, ExternalId }, { Action: 'AssumeRole', RoleArn: 'arn:r', ExternalId: 'e' });
    assert.match(sink.requests[0]?.headers.authorization ?? '', /Credential=ASIAROLE\//);
    assert.equal(sink.requests[0]?.headers['x-amz-security-token'], 'session');
  });

  test('in a role that STS does not grant before the deadline: the attempt ends with it', async (t) => {
    await start(t);
    const sts = await startHttpSink(t, () => 'hang');
    const http: HttpClient = { send: (request) => plainHttp.send({ ...request, url: sts.url }) };
    const controller = new AbortController();
    const access = 'region: eu-west-1, access_key: AKIAEXAMPLE, secret_key: hush, role_arn: "arn:r"';
    const sent = notifyOnce(sns, `{${TOPIC}, sigv4: {${access}}}`, {
      context: { openHttp: () => http },
      signal: controller.signal,
    });
    await sts.received(1);
    controller.abort(new DOMException('late', 'TimeoutError'));
    const delivery = await sent;
    assert.ok(!delivery.ok && delivery.retry && delivery.reason === 'contextDeadlineExceeded');
  });

  test('at the address of the region unless it has its own', async (t) => {
    await start(t);
    const urls: string[] = [];
    const send: HttpClient['send'] = async ({ url }) => {
      urls.push(url);
      throw new Error('offline');
    };
    const delivery = await notifyOnce(sns, `{${TOPIC}, ${ACCESS}}`, { context: { openHttp: () => ({ send }) } });
    assert.deepEqual(urls, ['https://sns.eu-west-1.amazonaws.com/']);
    assert.deepEqual(delivery, { ok: false, retry: true, reason: 'other', error: 'offline' });
  });
});

describe('SNS answers', () => {
  const failures: readonly (readonly [string, SinkAnswer, boolean, string, string])[] = [
    [
      '400',
      failure(400, 'InvalidParameter', 'bad topic'),
      false,
      'clientError',
      'unexpected status code 400: bad topic',
    ],
    ['403', failure(403, 'AuthorizationError', 'not you'), false, 'authError', 'unexpected status code 403: not you'],
    ['400 Throttled', failure(400, 'Throttled', 'slow'), true, 'rateLimited', 'unexpected status code 400: slow'],
    ['429', failure(429, 'Throttling', 'slow'), true, 'rateLimited', 'unexpected status code 429: slow'],
    ['500', failure(500, 'InternalError', 'oops'), true, 'serverError', 'unexpected status code 500: oops'],
  ];
  for (const [name, answer, retry, reason, error] of failures) {
    test(`${name}: ${retry ? 'retried' : 'not retried'}, after one request`, async (t) => {
      forgetAws(t);
      const sink = await startHttpSink(t, () => answer);
      const delivery = await notifyOnce(sns, `{api_url: ${sink.url}, ${TOPIC}, ${ACCESS}}`);
      assert.deepEqual(delivery, { ok: false, retry, reason, error, retryAfterMs: 3000 });
      assert.equal(sink.requests.length, 1);
    });
  }

  test('nothing readable with 503: retried', async (t) => {
    forgetAws(t);
    const sink = await startHttpSink(t, () => ({ status: 503, body: 'gone' }));
    const delivery = await notifyOnce(sns, `{api_url: ${sink.url}, ${TOPIC}, ${ACCESS}}`);
    assert.ok(!delivery.ok && delivery.retry);
    assert.equal(delivery.reason, 'serverError');
  });

  test('with a cut connection: retried', async (t) => {
    forgetAws(t);
    const sink = await startHttpSink(t, () => 'reset');
    const delivery = await notifyOnce(sns, `{api_url: ${sink.url}, ${TOPIC}, ${ACCESS}}`);
    assert.ok(!delivery.ok && delivery.retry);
    assert.equal(sink.requests.length, 1);
    assert.doesNotMatch(delivery.error, /hush|AKIA/);
  });

  test('nothing: the attempt ends with its deadline', async (t) => {
    forgetAws(t);
    const sink = await startHttpSink(t, () => 'hang');
    const controller = new AbortController();
    const sent = notifyOnce(sns, `{api_url: ${sink.url}, ${TOPIC}, ${ACCESS}}`, { signal: controller.signal });
    await sink.received(1);
    controller.abort(new DOMException('late', 'TimeoutError'));
    const delivery = await sent;
    assert.ok(!delivery.ok && delivery.retry && delivery.reason === 'contextDeadlineExceeded');
  });
});

describe('without', () => {
  test('a region anywhere, the notification fails with the searched places', async (t) => {
    forgetAws(t);
    const delivery = await notifyOnce(sns, `{${TOPIC}, sigv4: {access_key: a, secret_key: b}}`);
    assert.ok(!delivery.ok);
    assert.equal(delivery.error, 'region not configured in sns.sigv4.region or in default credentials chain');
  });

  test('a region in the configuration, that of the environment counts', async (t) => {
    forgetAws(t);
    process.env.AWS_REGION = 'us-east-2';
    const sink = await startHttpSink(t, () => PUBLISHED);
    const access = 'sigv4: {access_key: a, secret_key: b}';
    assert.deepEqual(await notifyOnce(sns, `{api_url: ${sink.url}, ${TOPIC}, ${access}}`), { ok: true });
    assert.match(sink.requests[0]?.headers.authorization ?? '', /\/us-east-2\/sns\//);
  });

  test('credentials in the configuration, those of the environment count', async (t) => {
    forgetAws(t);
    process.env.AWS_ACCESS_KEY_ID = 'AKIAENV';
    process.env.AWS_SECRET_ACCESS_KEY = 's';
    const sink = await startHttpSink(t, () => PUBLISHED);
    await notifyOnce(sns, `{api_url: ${sink.url}, ${TOPIC}, sigv4: {region: eu-west-1}}`);
    assert.match(sink.requests[0]?.headers.authorization ?? '', /Credential=AKIAENV\//);
  });

  test('a template that can be rendered, the notification fails for good', async (t) => {
    forgetAws(t);
    const render = () => {
      throw new TemplateError('template: :1: no');
    };
    const sent = notifyOnce(sns, `{${TOPIC}, ${ACCESS}}`, { context: { templates: { text: render, html: render } } });
    const error = "execute 'api_url' template: template: :1: no";
    await assert.rejects(sent, new TemplateError(error, { reason: 'clientError' }));
  });

  test('authorities in the configuration, the bundle of the environment counts', (t) => {
    forgetAws(t);
    process.env.AWS_CA_BUNDLE = '/bundle.pem';
    const found: unknown[] = [];
    const openHttp: NotifierContext['openHttp'] = (config) => {
      found.push([config?.tlsConfig?.caFile, config?.tlsConfig?.serverName, config?.followRedirects]);
      return plainHttp;
    };
    for (const tls of [
      '',
      ', http_config: {tls_config: {server_name: s}}',
      ', http_config: {tls_config: {ca_file: own}}',
    ])
      sns.create(configOf(sns, `{${TOPIC}${tls}}`), notifierContext({ openHttp }));
    assert.deepEqual(found, [
      ['/bundle.pem', undefined, true],
      ['/bundle.pem', 's', true],
      ['own', undefined, true],
    ]);
  });
});
