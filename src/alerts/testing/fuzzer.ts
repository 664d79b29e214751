import { mutateBytes, mutateJson, mutateText } from '../../testing/mutation.ts';
import type { Random } from '../../testing/random.ts';
import { BROKEN_FILTERS, GOOD_FILTERS, ODD_FILTERS, ODD_SILENCE_IDS } from './samples.ts';
import { AlertScript, type Step } from './script.ts';

/** A request as bytes. Framed correctly: it must be answered, and the connection may continue, whatever its content. */
export interface FuzzedRequest {
  readonly method: string;
  readonly bytes: Buffer;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];

const PATHS = [
  '/',
  '/metrics',
  '/-/healthy',
  '/-/ready',
  '/-/reload',
  '/alerts',
  '/silences',
  '/status',
  '/receivers',
  '/api/v1/alerts',
  '/api/v1/silence/1',
  '/api/v2',
  '/api/v2/',
  '/api/v2//alerts',
  '//api/v2/alerts',
  '/api/v2/alerts/../silences',
  '/api/v2/silence/../status',
  '/api/v2/silence/%2e%2e',
  '/api/v2/silence/%2F%2F',
  '/api/v2/silence/%',
  '/api/v2/silence/%zz',
  '/api/v2/silence/%ff%fe',
  '/api/v2/silence/%00',
  '/api/v2/alerts%20',
  '/api/v2/ALERTS',
  '/api/v2/alerts;x=1',
  '/__proto__',
  '/constructor',
  '/api/v2/__proto__',
  '/api/v2/constructor',
  '/assets/../../../../etc/passwd',
  '/assets/%2e%2e/%2e%2e/etc/passwd',
  '/assets/__proto__',
  '/favicon.ico',
  '*',
  'http://other.example/api/v2/alerts',
  `/api/v2/${'a'.repeat(4000)}`,
  `/${'%41'.repeat(1000)}`,
  '/é'.normalize('NFD'),
];

const FILTERS = [
  ...GOOD_FILTERS,
  ...ODD_FILTERS,
  ...BROKEN_FILTERS,
  'msg=~"(a+)+$"',
  'msg=~"(.*)*(.*)*(.*)*x"',
  'msg=~"(x{100}){100}"',
  'msg=~"((a{0,100}){0,100}){0,100}"',
  `msg=~"${'('.repeat(1500)}${')'.repeat(1500)}"`,
  `msg=~"${'a|'.repeat(2000)}"`,
  'msg=~"\\\\p{Greek}[^\\\\x00-\\\\x{10FFFF}]"',
  'é="ü"',
  '"a b"="c"',
  '{a="b",c="d"}',
  '__proto__="x"',
];

const PARAMETERS = [
  'active',
  'silenced',
  'inhibited',
  'unprocessed',
  'muted',
  'expired',
  'pending',
  'receiver',
  'receiver_matchers',
  'filter',
  'filter[]',
  'filter[0]',
  '__proto__',
  'constructor',
  '',
];

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=utf-16',
  'application/json;;;',
  'APPLICATION/JSON',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=',
  'text/plain',
  'application/jsonx',
  '/',
  ';',
  '__proto__',
  '',
];

const ACCEPTS = [
  '*/*',
  'application/*',
  'text/html',
  'application/json;q=0',
  'application/json;q=abc',
  ';;;,,,',
  'a/b/c',
  `${'text/plain,'.repeat(500)}*/*;q=0.1`,
];

const OTHER_HEADERS = [
  'Origin: http://page.example',
  'Origin: null',
  'Access-Control-Request-Method: DELETE',
  'Access-Control-Request-Method: GET',
  'Access-Control-Request-Headers: x-a, , content-type',
  'Content-Encoding: gzip',
  'Content-Encoding: nonsense',
  'Accept-Encoding: gzip, br;q=0, zstd',
  'If-None-Match: *',
  'If-Modified-Since: yesterday',
  'Range: bytes=0-1,-5',
  'Authorization: Basic !!!',
  'Cookie: a=b; __proto__=c',
  '__proto__: x',
  'constructor: x',
  'X-Forwarded-For: \u00ff\u00fe',
  'Expect: 100-continue',
  'Expect: the unexpected',
  'Upgrade: websocket',
  'Connection: Upgrade, keep-alive',
  'X-HTTP-Method-Override: DELETE',
  'Referer: ::::',
];

/** As a query holds it, now and then spoiled: a percent sign alone, a surrogate, a raw bracket. */
function escapeSpoiled(random: Random, text: string): string {
  if (random.chance(0.1)) return text.replace(/[^!-~]/g, '+').replaceAll('#', '');
  const escaped = encodeURIComponent(text.toWellFormed());
  return random.chance(0.05)
    ? escaped + random.pick(['%', '%z', '%ED%A0%80', '%FF', '%00', '+', ';a=b', '&&&', '='])
    : escaped;
}

function fuzzQuery(random: Random): string {
  const pairs: string[] = [];
  const many = random.chance(0.01) ? 500 : 4;
  for (let left = random.int(0, many); left > 0; left--) {
    const name = random.chance(0.5) ? 'filter' : random.pick(PARAMETERS);
    const sample = random.pick(name === 'filter' ? FILTERS : ['true', 'false', '', 'default', '(', '.*', ...FILTERS]);
    pairs.push(`${name}=${escapeSpoiled(random, random.chance(0.4) ? mutateText(random, sample) : sample)}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const MARKS = /\{\{[^}]*\}\}/g;

/** Writes random requests: valid ones of {@link AlertScript} with one or several of their parts spoiled. */
export class Fuzzer {
  readonly #random: Random;
  readonly #script: AlertScript;
  /** Ids for a request to name; unknown ones until the server has given some. */
  readonly #ids = [...ODD_SILENCE_IDS];

  constructor(random: Random) {
    this.#random = random;
    this.#script = new AlertScript(random);
  }

  next(): FuzzedRequest {
    const random = this.#random;
    const step = this.#script.next();
    const method = random.chance(0.1) ? random.pick(METHODS) : step.method;
    const bytes = this.#frame(method, this.#path(step), this.#headers(step), this.#body(step));
    return { method, bytes };
  }

  /** Reports an id from the server, for use in later requests. */
  learnId(id: string): void {
    if (this.#ids.length < 200) this.#ids.push(id);
  }

  #path(step: Step): string {
    const random = this.#random;
    const path = step.path.replace(MARKS, () => random.pick(this.#ids));
    const base = random.chance(0.1) ? random.pick(PATHS) : path;
    const [route = '/'] = base.split('?');
    if (random.chance(0.5)) return route + fuzzQuery(random);
    if (random.chance(0.05))
      return mutateText(random, base).replace(/[^!-~]/g, (sign) => encodeURIComponent(sign.toWellFormed())) || '/';
    return base;
  }

  #headers(step: Step): string[] {
    const random = this.#random;
    const headers = Object.entries(step.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    if (random.chance(0.05)) headers.length = 0;
    if (random.chance(0.1)) headers.push(`Content-Type: ${random.pick(CONTENT_TYPES)}`);
    if (random.chance(0.1)) headers.push(`Accept: ${random.pick(ACCEPTS)}`);
    if (random.chance(0.2)) headers.push(...random.some(OTHER_HEADERS, 3));
    return headers;
  }

  #body(step: Step): Buffer | undefined {
    const random = this.#random;
    if (step.body === undefined && !random.chance(0.03)) return undefined;
    const text = String(step.body ?? '[{"labels":{"a":"b"}}]').replace(MARKS, () => random.pick(this.#ids));
    if (random.chance(0.3)) return Buffer.from(text);
    if (random.chance(0.3)) return mutateBytes(random, Buffer.from(text));
    try {
      return Buffer.from(mutateJson(random, JSON.parse(text)));
    } catch {
      return mutateBytes(random, Buffer.from(text));
    }
  }

  #frame(method: string, path: string, headers: readonly string[], body: Buffer | undefined): Buffer {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers];
    if (!body) return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    if (this.#random.chance(0.8)) {
      return Buffer.concat([
        Buffer.from(`${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`, 'latin1'),
        body,
      ]);
    }
    const cut = this.#random.int(0, body.length);
    const chunks = [body.subarray(0, cut), body.subarray(cut)].filter((chunk) => chunk.length > 0);
    return Buffer.concat([
      Buffer.from(`${lines.join('\r\n')}\r\nTransfer-Encoding: chunked\r\n\r\n`, 'latin1'),
      ...chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
      Buffer.from('0\r\n\r\n'),
    ]);
  }

  /** Bytes whose framing itself is wrong or unfinished: it must be ended, but need not be answered. */
  nextBroken(): Buffer {
    const random = this.#random;
    const whole = this.next().bytes;
    return random.pick([
      () => mutateBytes(random, whole),
      () => whole.subarray(0, random.int(0, whole.length)),
      () => Buffer.concat([whole, whole, this.next().bytes]),
      () => Buffer.from(whole.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
      () => Buffer.from(random.pick(BROKEN_FRAMES), 'latin1'),
    ])();
  }
}

const POST = 'POST /api/v2/alerts HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

const BROKEN_FRAMES = [
  `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]]`,
  `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
  `${POST}Content-Length: -2\r\n\r\n[]`,
  `${POST}Content-Length: 99999999999999999999\r\n\r\n[]`,
  `${POST}Content-Length: 5\r\n\r\n[]`,
  `${POST}Content-Length: 1\r\n\r\n[]GET / HTTP/1.1\r\n\r\n`,
  `${POST}Content-Length: 0x2\r\n\r\n[]`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n[]`,
  `${POST}Transfer-Encoding: chunked\r\n\r\n2;${'e'.repeat(20_000)}\r\n[]\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n`,
  `${POST}Transfer-Encoding: identity\r\n\r\n[]`,
  'GET /api/v2/alerts HTTP/1.1\r\n\r\n',
  'GET /api/v2/alerts HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
  'GET /api/v2/alerts HTTP/1.1\r\nHost: a\r\nNo colon\r\n\r\n',
  'GET /api/v2/alerts HTTP/1.1\r\nHost: a\r\nX: a\r\n folded\r\n\r\n',
  'GET /api/v2/alerts HTTP/1.1\r\nHost: a\r\nX: \u0000\r\n\r\n',
  'GET /api/v2/alerts HTTP/1.1\r\nHost: a\r\n: empty\r\n\r\n',
  'GET /api/v2/alerts HTTP/9.9\r\nHost: a\r\n\r\n',
  'GET /api/v2/alerts\r\n',
  'GET  /api/v2/alerts  HTTP/1.1\r\n\r\n',
  'get /api/v2/alerts HTTP/1.1\r\nHost: a\r\n\r\n',
  'NONSENSE /api/v2/alerts HTTP/1.1\r\nHost: a\r\n\r\n',
  'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'GET /api/v2/alerts HTTP/1.0\r\n\r\n',
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  '\r\n\r\n\r\n',
  '\u0000'.repeat(1000),
];
