import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import { systemClock } from '../clock.ts';
import { type HttpEnv, mountPaths } from './app.ts';
import { type Asset, servePage } from './assets.ts';
import { listen } from './server.ts';

const HTML = `<!doctype html><title>grün</title>${'<p>again</p>'.repeat(100)}`;
const SCRIPT = 'export const answer = 42;\n'.repeat(50);

function asset(type: string, text: string, etag: string): Asset {
  const bytes = Buffer.from(text);
  return { type, etag, size: bytes.length, brotli: brotliCompressSync(bytes).toString('base64') };
}

function pageApp(): Hono<HttpEnv> {
  const page = servePage({
    'index.html': asset('text/html; charset=utf-8', HTML, '"abc"'),
    'assets/main-0a1b2c3d.js': asset('text/javascript; charset=utf-8', SCRIPT, '"def"'),
  });
  const app = new Hono<HttpEnv>();
  const index = (c: Parameters<typeof page>[0]) => page(c, 'index.html') ?? c.text('none', 404);
  mountPaths(app, { '/': { GET: index, HEAD: index } }, (c) => c.text('', 405));
  app.notFound((c) => page(c, c.req.path.slice(1)) ?? c.text('none', 404));
  return app;
}

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  pageApp().request(path, { method, headers });

const PLAIN = (bytes: Buffer) => bytes;
const codings: readonly (readonly [accepted: string | undefined, coding: string | null])[] = [
  [undefined, null],
  ['', null],
  ['identity', null],
  ['deflate, zstd', null],
  ['br', 'br'],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'br'],
  ['gzip;q=0.001', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.0 , gzip;q=0', null],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['*;q=0', null],
  ['gzip, *;q=0', 'gzip'],
  ['brotli, x-gzip-old', null],
];

describe('a file is sent in the best coding that its client accepts', () => {
  const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [accepted, coding] of codings) {
    test(`accept-encoding ${accepted}: ${coding ?? 'as it is'}`, async () => {
      const response = await get('/', accepted === undefined ? {} : { 'accept-encoding': accepted });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get('content-encoding'), coding);
      assert.equal(response.headers.get('vary'), 'Accept-Encoding');
      const bytes = Buffer.from(await response.arrayBuffer());
      assert.equal(response.headers.get('content-length'), String(bytes.length));
      assert.equal((decoders[coding ?? ''] ?? PLAIN)(bytes).toString(), HTML);
    });
  }

  test('again and again the same', async () => {
    const app = pageApp();
    for (const coding of ['br', 'gzip', 'identity', 'br', 'identity', 'gzip']) {
      const response = await app.request('/', { headers: { 'accept-encoding': coding } });
      const decode = decoders[coding] ?? PLAIN;
      assert.equal(decode(Buffer.from(await response.arrayBuffer())).toString(), HTML);
    }
  });
});

const validators: readonly (readonly [ifNoneMatch: string, status: number])[] = [
  ['"abc"', 304],
  ['W/"abc"', 304],
  ['"old", "abc"', 304],
  ['"old",W/"abc" ,"older"', 304],
  ['*', 304],
  ['"ab"', 200],
  ['abc', 200],
  ['"abc" "old"', 200],
  ['', 200],
];

describe('a file that its client has already is not sent again', () => {
  for (const [ifNoneMatch, status] of validators) {
    test(`if-none-match ${ifNoneMatch}: ${status}`, async () => {
      const response = await get('/', { 'if-none-match': ifNoneMatch });
      assert.equal(response.status, status);
      assert.equal(response.headers.get('etag'), '"abc"');
      assert.equal(response.headers.get('cache-control'), 'no-cache');
      assert.equal(await response.text(), status === 304 ? '' : HTML);
    });
  }
});

test('a page is revalidated each time; a file with a hash in its name is cached for ever', async () => {
  assert.equal((await get('/')).headers.get('cache-control'), 'no-cache');
  const script = await get('/assets/main-0a1b2c3d.js');
  assert.equal(script.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.equal(await script.text(), SCRIPT);
});

test('a page may load nothing from other origins, run nothing inline and be in no frame', async () => {
  for (const headers of [{}, { 'if-none-match': '"abc"' }] as Record<string, string>[]) {
    const response = await get('/', headers);
    const policy = response.headers.get('content-security-policy') ?? '';
    const directives = new Map(policy.split('; ').map((directive) => directive.split(' ', 2) as [string, string]));
    for (const name of ['default-src', 'base-uri', 'form-action', 'frame-ancestors'])
      assert.equal(directives.get(name), "'none'", name);
    for (const name of ['script-src', 'style-src', 'connect-src']) assert.equal(directives.get(name), "'self'", name);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
  }
});

test('an unknown file is left to later handlers', async () => {
  for (const path of ['/none.js', '/assets/', '/toString', '/__proto__', '/constructor', '/assets/../index.html.'])
    assert.equal((await get(path)).status, 404, path);
});

test('HEAD returns the headers of GET, over a connection that serves the next request', async (t: TestContext) => {
  const app = pageApp();
  const listener = await listen({ fetch: app.fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock: systemClock });
  t.after(() => listener.close(0));
  const connection = await RawConnection.open(listener.url, { keepBodies: true });
  t.after(() => connection.close());
  for (const coding of ['br', 'gzip', 'identity']) {
    const ask = (method: string) =>
      connection.exchange(method, `${method} / HTTP/1.1\r\nhost: a\r\naccept-encoding: ${coding}\r\n\r\n`);
    const [head, whole] = [await ask('HEAD'), await ask('GET')];
    const withoutDate = (text: string) =>
      text
        .replace(/^date: .*\n/im, '')
        .split('\n')
        .sort();
    assert.deepEqual(withoutDate(head.head), withoutDate(whole.head));
    assert.deepEqual([head.bodyBytes, head.status], [0, 200]);
    assert.match(whole.head, new RegExp(`^content-length: ${whole.bodyBytes}$`, 'im'));
  }
});

test('the compressed size of an answer is recorded for the metrics', async () => {
  const sizes = async (headers: Record<string, string>, method = 'GET') => {
    const noted: { answerBytes?: number } = {};
    const answer = await pageApp().request('/', { method, headers }, noted);
    return [noted.answerBytes, (await answer.arrayBuffer()).byteLength];
  };
  const plain = Buffer.byteLength(HTML);
  assert.deepEqual(await sizes({}), [plain, plain]);
  const [noted = 0, sent] = await sizes({ 'accept-encoding': 'br' });
  assert.ok(noted === sent && noted < plain);
  assert.deepEqual(await sizes({}, 'HEAD'), [undefined, 0]);
});
