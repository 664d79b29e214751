import assert from 'node:assert/strict';
import { createVerify, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { type HttpSink, type SinkAnswer, type SinkRequest, startHttpSink } from '../../../testing/http/sink.ts';
import { temporaryFolder } from '../../../testing/processes.ts';
import { ConfigNode } from '../../config/config-node.ts';
import { httpConfig } from '../../config/http-config.ts';
import { readSecretFile } from '../secret-file.ts';
import { createHttpClient } from './client.ts';

interface Scene {
  readonly api: HttpSink;
  readonly tokens: HttpSink;
  readonly clock: FakeClock;
  send(signal?: AbortSignal): Promise<number>;
}

const grant = (token: string, more: object = {}): SinkAnswer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ access_token: token, token_type: 'bearer', ...more }),
});

/** An API and a server for its tokens: t1, t2 and so on, by default. */
async function startScene(
  t: TestContext,
  yaml: string,
  parts: {
    tokenAnswer?: (request: SinkRequest, index: number) => SinkAnswer;
    apiAnswer?: (request: SinkRequest) => SinkAnswer;
  } = {},
): Promise<Scene> {
  const tokens = await startHttpSink(t, parts.tokenAnswer ?? ((_, index) => grant(`t${index + 1}`)));
  const api = await startHttpSink(t, parts.apiAnswer);
  const clock = new FakeClock();
  const config = httpConfig.read(ConfigNode.parse(`oauth2: {token_url: "${tokens.url}/token", ${yaml}}`));
  const client = createHttpClient(config, { clock, readSecret: readSecretFile, environment: {}, userAgent: 'test/1' });
  t.after(() => client.close());
  const { signal: endless } = new AbortController();
  return {
    api,
    tokens,
    clock,
    send: async (signal = endless) => (await client.send({ method: 'POST', url: api.url, body: 'x', signal })).status,
  };
}

const SECRET = 'client_id: "i d", client_secret: "s:1"';
const bearers = ({ api }: Scene) => api.requests.map(({ headers }) => headers.authorization);

test('a token is requested with name and secret, and sent', async (t) => {
  const scene = await startScene(t, `${SECRET}, scopes: [a, b], endpoint_params: {audience: x}`);
  await scene.send();
  const [request] = scene.tokens.requests;
  assert.deepEqual(
    [request?.method, request?.path, request?.headers['content-type'], request?.headers['user-agent']],
    ['POST', '/token', 'application/x-www-form-urlencoded', 'test/1'],
  );
  assert.equal(request?.headers.authorization, `Basic ${btoa('i+d:s%3A1')}`);
  assert.equal(request.body, 'grant_type=client_credentials&scope=a+b&audience=x');
  assert.deepEqual(bearers(scene), ['Bearer t1']);
});

test('a server that accepts the secret in the body alone is sent it so from then on', async (t) => {
  const scene = await startScene(t, SECRET, {
    tokenAnswer: ({ headers }, index) =>
      headers.authorization ? { status: 401 } : grant(`t${index}`, { expires_in: 60 }),
  });
  await scene.send();
  scene.clock.advance(60_000);
  await scene.send();
  assert.equal(scene.tokens.requests[1]?.body, 'grant_type=client_credentials&client_id=i+d&client_secret=s%3A1');
  assert.equal(scene.tokens.requests.length, 3);
  assert.deepEqual(bearers(scene), ['Bearer t1', 'Bearer t2']);
});

test('a token is kept until ten seconds before it expires', async (t) => {
  const scene = await startScene(t, SECRET, {
    tokenAnswer: (_, index) => grant(`t${index + 1}`, { expires_in: '60' }),
  });
  await scene.send();
  scene.clock.advance(49_999);
  await scene.send();
  scene.clock.advance(1);
  await scene.send();
  assert.deepEqual(bearers(scene), ['Bearer t1', 'Bearer t1', 'Bearer t2']);
});

test('requests at the same time wait for one token', async (t) => {
  const scene = await startScene(t, SECRET);
  await Promise.all([scene.send(), scene.send(), scene.send()]);
  assert.equal(scene.tokens.requests.length, 1);
});

test('a request aborted during its wait for a token aborts no other', async (t) => {
  const scene = await startScene(t, SECRET, { tokenAnswer: (_, index) => (index === 0 ? 'hang' : grant('t2')) });
  const controller = new AbortController();
  const first = scene.send(controller.signal);
  await scene.tokens.received(1);
  const second = scene.send();
  controller.abort();
  await assert.rejects(first, { message: 'context canceled' });
  assert.equal(await second, 200);
});

test('a token that is refused is replaced once', async (t) => {
  const scene = await startScene(t, SECRET, {
    apiAnswer: ({ headers }) => ({ status: headers.authorization === 'Bearer t1' ? 401 : 200 }),
  });
  assert.equal(await scene.send(), 200);
  const refused = await startScene(t, SECRET, { apiAnswer: () => ({ status: 401 }) });
  assert.equal(await refused.send(), 401);
  assert.deepEqual(bearers(refused), ['Bearer t1', 'Bearer t2']);
});

test('a secret in a file that changes fetches another token', async (t) => {
  const file = join(temporaryFolder(t), 'secret');
  await writeFile(file, 'one\n');
  const scene = await startScene(t, `client_id: i, client_secret_file: ${file}`);
  await scene.send();
  await scene.send();
  await writeFile(file, 'two\n');
  await scene.send();
  assert.deepEqual(bearers(scene), ['Bearer t1', 'Bearer t1', 'Bearer t2']);
  assert.equal(scene.tokens.requests[1]?.headers.authorization, `Basic ${btoa('i:two')}`);
});

for (const [status, method] of [
  [301, 'GET'],
  [302, 'GET'],
  [303, 'GET'],
  [307, 'POST'],
  [308, 'POST'],
] as const) {
  test(`a server of tokens that redirects with ${status} is followed, by ${method}, whatever the setting for the API`, async (t) => {
    const scene = await startScene(t, SECRET, {
      tokenAnswer: ({ path }) => (path === '/token' ? { status, headers: { location: '/moved?a=b' } } : grant('t1')),
    });
    await scene.send();
    const [first, second] = scene.tokens.requests;
    assert.deepEqual([second?.method, second?.path], [method, '/moved?a=b']);
    assert.equal(second?.body, method === 'POST' ? first?.body : '');
    assert.equal(second?.headers['content-type'], method === 'POST' ? 'application/x-www-form-urlencoded' : undefined);
    assert.equal(second?.headers.authorization, first?.headers.authorization);
    assert.deepEqual(bearers(scene), ['Bearer t1']);
  });
}

test('in redirects of the token request the header with the secret stays with its host, and loops end', async (t) => {
  const other = await startHttpSink(t, () => grant('t1'));
  const scene = await startScene(t, SECRET, {
    tokenAnswer: () => ({ status: 307, headers: { location: other.url.replace('127.0.0.1', 'localhost') } }),
  });
  await scene.send();
  assert.equal(other.requests[0]?.headers.authorization, undefined);
  const circle = await startScene(t, SECRET, {
    tokenAnswer: () => ({ status: 307, headers: { location: '/token' } }),
  });
  await assert.rejects(circle.send(), { message: 'stopped after 10 redirects' });
});

const lifetimes: [expiresIn: unknown, used: string[]][] = [
  [-5, ['Bearer t1', 'Bearer t2']],
  ['-5', ['Bearer t1', 'Bearer t2']],
  [0, ['Bearer t1', 'Bearer t1']],
  [null, ['Bearer t1', 'Bearer t1']],
  [1e300, ['Bearer t1', 'Bearer t1']],
];
for (const [expiresIn, used] of lifetimes) {
  test(`a token that expires in ${expiresIn} seconds is used ${used[0] === used[1] ? 'again' : 'once'}`, async (t) => {
    const scene = await startScene(t, SECRET, {
      tokenAnswer: (_, index) => grant(`t${index + 1}`, { expires_in: expiresIn }),
    });
    await scene.send();
    await scene.send();
    assert.deepEqual(bearers(scene), used);
  });
}

test('a token in a form is read', async (t) => {
  const scene = await startScene(t, SECRET, {
    tokenAnswer: () => ({
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: 'access_token=form&token_type=MAC',
    }),
  });
  await scene.send();
  assert.deepEqual(bearers(scene), ['MAC form']);
});

const refusals: [name: string, answer: SinkAnswer, message: string][] = [
  ['a status', { status: 503, body: 'secret' }, 'oauth2: cannot fetch token: status 503'],
  [
    'a reason',
    { status: 400, body: '{"error":"invalid_client","error_description":"who?"}' },
    'oauth2: cannot fetch token: status 400: invalid_client: who?',
  ],
  ['a reason with 200', { body: '{"error":"nope"}' }, 'oauth2: cannot fetch token: status 200: nope'],
  ['no token', { body: '{"access":"secret"}' }, 'oauth2: server response missing access_token'],
  ['no JSON', { body: 'secret' }, 'oauth2: cannot fetch token: the answer is neither JSON nor a form'],
  ['a cut', 'reset', 'connection closed by the other side'],
];
for (const [name, answer, message] of refusals) {
  test(`a server of tokens that answers with ${name} is reported`, async (t) => {
    const scene = await startScene(t, SECRET, { tokenAnswer: () => answer });
    await assert.rejects(scene.send(), { message });
    assert.equal(scene.api.requests.length, 0);
  });
}

test('a reason that quotes the request is reported without the secret', async (t) => {
  const scene = await startScene(t, 'client_id: me, client_secret: "s3 cr3t"', {
    tokenAnswer: ({ headers, body }) => ({
      status: 400,
      body: JSON.stringify({ error: 'no', error_description: `${body} ${headers.authorization}` }),
    }),
  });
  await assert.rejects(scene.send(), {
    message:
      'oauth2: cannot fetch token: status 400: no: ' +
      'grant_type=client_credentials&client_id=me&client_secret=<redacted> undefined',
  });
});

test('a parameter of the protocol cannot be replaced, the kind of grant can', async (t) => {
  const other = await startScene(t, `${SECRET}, endpoint_params: {grant_type: own}`);
  await other.send();
  assert.equal(other.tokens.requests[0]?.body, 'grant_type=own');
  const scene = await startScene(t, `${SECRET}, scopes: [a], endpoint_params: {scope: b}`);
  await assert.rejects(scene.send(), { message: 'oauth2: cannot overwrite parameter "scope"' });
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const JWT = 'grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", client_id: me';

test('a signed assertion is exchanged for a token', async (t) => {
  const more = 'client_certificate_key_id: k1, signature_algorithm: RS384, scopes: [a, b], claims: {own: c}';
  const scene = await startScene(t, `${JWT}, client_certificate_key: ${JSON.stringify(privateKey)}, ${more}`);
  await scene.send();
  const form = new URLSearchParams(scene.tokens.requests[0]?.body);
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  assert.equal(form.get('scope'), 'a b');
  const [header = '', claims = '', signature = ''] = form.get('assertion')?.split('.') ?? [];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  assert.deepEqual(read(header), { alg: 'RS384', kid: 'k1', typ: 'JWT' });
  const { jti, ...claimed } = read(claims);
  assert.match(String(jti), /^[\da-f-]{36}$/);
  const iat = scene.clock.now() / 1000;
  const aud = `${scene.tokens.url}/token`;
  assert.deepEqual(claimed, { aud, exp: iat + 600, iat, iss: 'me', sub: 'me', scope: 'a b', own: 'c' });
  const verify = createVerify('RSA-SHA384').update(`${header}.${claims}`);
  assert.ok(verify.verify(publicKey, signature, 'base64url'));
  assert.deepEqual(bearers(scene), ['Bearer t1']);
});

test('issuer and audience of an assertion may be named', async (t) => {
  const key = join(temporaryFolder(t), 'key');
  await writeFile(key, privateKey);
  const scene = await startScene(t, `${JWT}, client_certificate_key_file: ${key}, iss: us, audience: them`);
  await scene.send();
  const assertion = new URLSearchParams(scene.tokens.requests[0]?.body).get('assertion') ?? '';
  const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString());
  assert.deepEqual([claims.iss, claims.aud, claims.sub], ['us', 'them', 'me']);
});

test('an invalid key is reported and not shown', async (t) => {
  const scene = await startScene(t, `${JWT}, client_certificate_key: secret`);
  await assert.rejects(scene.send(), {
    message: 'oauth2: the client certificate key is not a private RSA key in PEM form',
  });
});
