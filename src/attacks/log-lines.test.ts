import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AttackedServer, rawClient, startEveryServer } from './testing/every-server.ts';

/** Characters that end a line, command a terminal, or turn the direction of the text after them. */
const ESCAPES = [
  '\r\n',
  '\n',
  '\r',
  '\x1b[2J\x1b[31m',
  '\x1b]0;owned\x07',
  '\x9b31m',
  '\x08\x08',
  '\x7f',
  '\u2028',
  '\u202e',
  '\x00',
  '\x85',
];
const FORGED = 'time=2030-01-01T00:00:00.000Z level=ERROR msg="FORGED"';

type Request = readonly [method: string, path: string, body?: string | undefined, type?: string];

/** Requests that make a server write to its log. */
const REQUESTS: Readonly<Record<AttackedServer['name'], (encoded: string, json: string) => readonly Request[]>> = {
  alerts: (encoded, json) => [
    ['GET', `/${encoded}`],
    ['GET', `/api/v2/${encoded}`],
    ['GET', `/api/v2/silence/${encoded}`],
    ['GET', `/api/v1/alerts?${encoded}`],
    ['GET', `/api/v2/alerts?filter=${encoded}`],
    ['POST', '/api/v2/alerts', `[{"labels":{"alertname":${json}},"generatorURL":${json}}]`],
    ['POST', '/api/v2/alerts', `[{"labels":{${json}:"x"}}]`],
    ['POST', '/api/v2/alerts', json],
    [
      'POST',
      '/api/v2/silences',
      `{"matchers":[{"name":"a","value":${json},"isRegex":false}],"startsAt":"2030-01-01T00:00:00Z","endsAt":"2030-01-02T00:00:00Z","createdBy":${json},"comment":${json}}`,
    ],
    ['POST', '/-/reload'],
  ],
  relay: (encoded, json) => [
    ['GET', `/${encoded}`],
    ['GET', `/sdk/flags/${encoded}`],
    ['GET', `/sdk/flags?filter=${encoded}`],
    ['GET', `/sdk/evalx/${encoded}/contexts/${encoded}`],
    ['POST', '/bulk', json],
    ['POST', '/bulk', `[{"kind":${json},"creationDate":1,"key":${json}}]`],
    ['POST', '/diagnostic', json],
    ['REPORT', '/sdk/evalx/context', `{"kind":"user","key":${json}}`],
    ['POST', '/ofrep/v1/evaluate/flags/x', `{"context":{"targetingKey":${json}}}`],
  ],
  dashboard: (encoded, json) => [
    ['GET', `/${encoded}`],
    ['GET', `/sample/${encoded}`],
    ['GET', `/api/events?user=${encoded}`],
    ['POST', '/api/events', `{"user":${json}}`],
    ['PUT', '/api/markers', json],
    ['PUT', '/api/markers', `{"version":1,"markers":[{"id":${json},"name":${json}}]}`],
  ],
  rooms: (encoded, json) => [
    ['GET', `/${encoded}`],
    ['GET', `/api/room/${encoded}`],
    ['POST', `/api/hook/${encoded}/${encoded}`, json],
    ['POST', '/api/room', `{"name":${json}}`],
    ['POST', '/api/room', `{"name":"x","topic":${json},"labels":{${json}:${json}}}`],
    ['POST', '/api/room/lobby/message', `{"body":${json}}`],
    ['POST', '/api/room/lobby/message', `/ack ${encoded}`, 'text/plain'],
    ['POST', '/api/user', `{"id":${json},"name":${json}}`],
    ['POST', '/api/provider', `{"name":${json},"kind":"openai","baseUrl":${json}}`],
    ['POST', '/api/hook', `{"direction":"outgoing","name":${json},"url":${json}}`],
    ['POST', '/api/import', json, 'application/x-ndjson'],
    ['POST', '/api/message', json],
  ],
  hub: (encoded) => [
    ['GET', `/${encoded}`],
    ['GET', `/servers.json?${encoded}`],
  ],
};

const LOGFMT =
  /^time=\S+ level=(DEBUG|INFO|WARN|ERROR) msg=("(?:[^"\\]|\\.)*"|\S+)( [A-Za-z_]\w*=("(?:[^"\\]|\\.)*"|[^\s"=]+))*$/;

for (const logFormat of ['logfmt', 'json'] as const)
  test(`no input makes a line of the log, or reaches a terminal through it: ${logFormat}`, async (t) => {
    const { servers, rooms, sdkKey } = await startEveryServer(t, { logFormat, alerts: { logSilences: true } });
    await rooms.send('POST', '/api/room', { body: { name: 'Lobby' } });
    for (const { name, url, log } of servers) {
      const exchange = rawClient(t, url);
      for (const sign of ESCAPES) {
        const hostile = `a${sign}${FORGED}`;
        const raw = Buffer.from(`b${sign}${FORGED.replaceAll(' ', '_')}`, 'latin1').toString('latin1');
        for (const [method, path, body = '', type = 'application/json'] of REQUESTS[name](
          encodeURIComponent(hostile),
          JSON.stringify(hostile),
        )) {
          const head = [
            `${method} ${path} HTTP/1.1`,
            'Host: 127.0.0.1',
            `User-Agent: ${encodeURIComponent(hostile)}`,
            `X-Request-Id: ${encodeURIComponent(hostile)}`,
            `X-Opsdeck-User: local`,
            `Authorization: ${name === 'relay' ? sdkKey : 'x'}`,
            ...(body === '' ? [] : [`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(body)}`]),
          ];
          await exchange(method, `${head.join('\r\n')}\r\n\r\n${body}`);
        }
        // As they are: a parser of HTTP refuses most of these.
        const line = `GET /${raw} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
        const fields = [
          'User-Agent',
          'Referer',
          'Origin',
          'X-Request-Id',
          'Authorization',
          'Cookie',
          'X-LaunchDarkly-Tags',
        ].map((field) => `GET /nowhere HTTP/1.1\r\nHost: 127.0.0.1\r\n${field}: ${raw}\r\n\r\n`);
        for (const bytes of [line, ...fields]) await exchange('GET', Buffer.from(bytes, 'latin1'));
      }
      const lines = log().split('\n');
      assert.equal(lines.pop(), '');
      if (name !== 'hub') assert.ok(lines.length > 20, `${name} logs: ${lines.length}`);
      for (const line of lines) {
        assert.doesNotMatch(
          line,
          /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u,
          `${name}: ${JSON.stringify(line)}`,
        );
        if (logFormat === 'logfmt') assert.match(line, LOGFMT, name);
        else assert.equal(typeof JSON.parse(line).msg, 'string', name);
        assert.doesNotMatch(line, /^[^"]*level=ERROR msg="FORGED"/, name);
      }
    }
  });
