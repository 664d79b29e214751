import { mutateBytes, mutateJson, mutateText } from '../../testing/mutation.ts';
import type { Random } from '../../testing/random.ts';

/** A well-framed request that must be answered, whatever its content. */
export interface RoomsRequest {
  readonly method: string;
  readonly target: string;
  readonly bytes: Buffer;
}

/** Ids of existing objects, by the name of their parameter. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

const ODD_SEGMENTS = [
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  '..%5c..%5cwindows',
  '%00',
  'ops%00',
  'ops%2fmessage',
  '%2F',
  '%',
  '%zz',
  '%ff%fe',
  '%ED%A0%80',
  '%D0%BEps',
  'OPS',
  'ops%20',
  '%F0%9F%91%8D',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  '0',
  '-1',
  '1e9',
  'null',
  '*',
  "'%20OR%201=1--",
  '%22%3E%3Cscript%3E',
  '%1b%5b31m',
  '%0d%0aSet-Cookie:%20a=b',
  '%E2%80%AE',
  'a'.repeat(3000),
  '%41'.repeat(1000),
];

const QUERIES: Readonly<Record<string, readonly string[]>> = {
  before: ['3', '0', '-1', '2030-01-01', '2030-01-01T00:00:00Z', '99999999999999999999'],
  after: ['1', '0', '2020-01-01', '1e3'],
  around: ['1', '999999', 'no-such-message'],
  limit: ['1', '200', '201', '0', '-1', '1e3', 'NaN', ''],
  thread: ['no-such-message', '__proto__'],
  type: ['text', 'alert', 'nonsense'],
  author: ['ana', '%', '*'],
  q: [
    'words',
    '"words of',
    '-words',
    'wor*',
    '*',
    '"',
    'from:ana in:ops has:file before:2030-01-01',
    'from:',
    'NEAR(a b)',
    'a AND OR NOT',
    'body:x',
    '^a',
    '{a b}:c',
    `${'('.repeat(2000)}`,
    `${'a '.repeat(1000)}`,
    `${'"a" '.repeat(500)}`,
    '\u0000',
    '日本語 ß İ',
    "'; DROP TABLE message; --",
  ],
  room: ['ops', 'nowhere', ''],
  from: ['ana', '1', '0', '-1'],
  to: ['1', 'x'],
  next: ['', 'AAAA', '!!!', 'e30', 'eyJhIjpbXX0', '_'],
  label: ['team=payments', '=', 'team', '__proto__=x'],
  joined: ['true', '1', 'maybe'],
  archived: ['any', 'true', 'x'],
  messages: ['50', '0', '201', 'x'],
  since: ['0', 'x-1', '-', '1', 'a-99999999999999999999'],
  rooms: ['ops', ',', 'ops,nowhere', ''],
  types: ['message.created', 'message.*', '*', 'x'],
  ephemeral: ['0', '1', '2'],
  ban: ['true', 'x'],
  purge: ['later'],
  reason: ['spam', '\u001b[31m', 'x'.repeat(600)],
  format: ['jsonl', 'markdown', 'html', 'exe'],
  dryRun: ['1'],
  user: ['ana'],
  __proto__: ['x'],
  constructor: ['x'],
};
const NAMES = Object.keys(QUERIES).concat('__proto__');

const OTHER_HEADERS = [
  'If-Match: "m1"',
  'If-Match: *',
  'If-Match: W/"r1", , "x',
  'If-None-Match: *',
  'If-None-Match: "r1"',
  'Accept: application/problem+json',
  'Accept: text/html;q=0',
  'Range: bytes=0-1,-5',
  'Range: bytes=5-1',
  'Last-Event-ID: x',
  'Last-Event-ID: 0',
  'Idempotency-Key: one',
  'Idempotency-Key: ',
  'X-Opsdeck-User: ben',
  'X-Opsdeck-User: __proto__',
  'X-Opsdeck-User: \u00ff\u00fe',
  'X-Request-Id: a b\tc',
  'X-File-Name: %ff..%2f..%2fx',
  'X-Message-Id: no',
  'X-Thread-Id: __proto__',
  'Cookie: opsdeck_session=; __proto__=c',
  'Authorization: Basic !!!',
  'Authorization: Bearer odr_',
  'Content-Encoding: gzip',
  'Expect: 100-continue',
  'X-HTTP-Method-Override: DELETE',
];

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-ndjson',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=b',
  'multipart/form-data; boundary=""',
  '',
  '/',
];

/** Generates requests for each operation: valid ones, some with spoiled parts. */
export class RoomsFuzzer {
  readonly #random: Random;
  /** By method and path template. */
  readonly #bodies: Readonly<Record<string, readonly unknown[]>>;

  constructor(random: Random, bodies: Readonly<Record<string, readonly unknown[]>>) {
    this.#random = random;
    this.#bodies = bodies;
  }

  /** `template`: such as `/api/room/{id}/member/{userId}`. */
  next(method: string, template: string, ids: KnownIds): RoomsRequest {
    const target = this.#path(template, ids) + this.#query(template);
    const body = this.#body(`${method} ${template}`, ids);
    return { method, target, bytes: this.#frame(method, target, body) };
  }

  #path(template: string, ids: KnownIds): string {
    const random = this.#random;
    return template.replace(/([^/]+)\/\{(\w+)\}/g, (_, before: string, name: string) => {
      const known = ids[`${before}/${name}`] ?? ids[name] ?? ['x'];
      const good = encodeURIComponent(random.pick(known));
      if (random.chance(0.75)) return `${before}/${good}`;
      return `${before}/${random.chance(0.8) ? random.pick(ODD_SEGMENTS) : escapeQuery(mutateText(random, good) || '-')}`;
    });
  }

  #query(template: string): string {
    const random = this.#random;
    const pairs = template === '/api/event/log' ? ['wait=0'] : [];
    for (let left = random.int(0, random.chance(0.02) ? 300 : 3); left > 0; left--) {
      const name = random.pick(NAMES);
      const value = random.pick(QUERIES[name] ?? ['']);
      pairs.push(`${name}=${escapeQuery(random.chance(0.3) ? mutateText(random, value) : value)}`);
    }
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }

  #body(operation: string, ids: KnownIds): { readonly bytes: Buffer; readonly isJson: boolean } | undefined {
    const random = this.#random;
    const samples = this.#bodies[operation];
    if (!samples) return random.chance(0.1) ? { bytes: Buffer.from('{"a":1}'), isJson: true } : undefined;
    const sample = random.pick(samples);
    if (typeof sample === 'string')
      return {
        bytes: random.chance(0.5) ? Buffer.from(sample) : mutateBytes(random, Buffer.from(sample)),
        isJson: false,
      };
    const text = JSON.stringify(sample).replace(/"<([\w/]+)>"/g, (_, name: string) =>
      JSON.stringify(random.pick(ids[name] ?? ['x'])),
    );
    if (random.chance(0.25)) return { bytes: Buffer.from(text), isJson: true };
    if (random.chance(0.2)) return { bytes: mutateBytes(random, Buffer.from(text)), isJson: true };
    return { bytes: Buffer.from(mutateJson(random, JSON.parse(text))), isJson: true };
  }

  #frame(
    method: string,
    target: string,
    body: { readonly bytes: Buffer; readonly isJson: boolean } | undefined,
  ): Buffer {
    const random = this.#random;
    const lines = [`${method} ${target} HTTP/1.1`, 'Host: 127.0.0.1'];
    const others = random.chance(0.3) ? random.some(OTHER_HEADERS, 3) : [];
    lines.push(...others);
    if (!others.some((line) => line.startsWith('X-Opsdeck-User'))) lines.push('X-Opsdeck-User: ana');
    if (!body) return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    const usual = body.isJson ? 'application/json' : 'text/plain';
    lines.push(`Content-Type: ${random.chance(0.1) ? random.pick(CONTENT_TYPES) : usual}`);
    lines.push(`Content-Length: ${body.bytes.length}`);
    return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body.bytes]);
  }
}

const escapeQuery = (text: string): string => encodeURIComponent(text.toWellFormed());
