import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { run } from '../cli.ts';
import { systemClock } from '../kernel/clock.ts';
import { FakeTerminal } from '../testing/fake/terminal.ts';
import { startEveryServer } from './testing/every-server.ts';

/** Clears the screen, changes the title, turns the direction, and once more in the one-byte form of C1. */
const HOSTILE = 'x\x1b[2J\x1b]0;owned\x07\u202ey\x9b31m\x7f\u2028z\r\x08\x85';
const JSON_HOSTILE = JSON.stringify(HOSTILE);
/** All control characters, except the end of a line. */
const OBEYED = /[^\P{Cc}\n]|[\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

type Urls = Readonly<Record<'alerts' | 'relay' | 'dashboard' | 'rooms', string>> & { readonly sdkKey?: string };

async function say(urls: Urls, args: readonly string[], files: Readonly<Record<string, string>> = {}) {
  const terminal = Object.assign(new FakeTerminal(), { clock: systemClock as unknown as FakeTerminal['clock'] });
  terminal.isSeen = true;
  terminal.env = {
    HOME: '/nowhere',
    ALERTMANAGER_URL: urls.alerts,
    OPSDECK_ALERTS_URL: urls.alerts,
    OPSDECK_RELAY_URL: urls.relay,
    OPSDECK_RELAY_SDK_KEY: urls.sdkKey,
    OPSDECK_ROOMS_URL: urls.rooms,
    OPSDECK_ROOMS_USER: 'ana',
    OPSDECK_DASHBOARD_URL: urls.dashboard,
  };
  for (const [name, text] of Object.entries(files)) terminal.files.set(name, text);
  const code = await run(args, terminal);
  return { code, text: terminal.stdout + terminal.stderr };
}

/** The commands that print data written by others. */
const COMMANDS: readonly string[] = [
  'alerts query',
  'alerts query -o extended',
  'alerts query -o json',
  'alerts groups',
  'alerts groups -o json',
  'alerts status',
  'alerts status -o json',
  'alerts silence query',
  'alerts silence query -o extended',
  'alerts silence query -o json',
  'alerts history',
  'alerts history -o json',
  'alerts explain alertname=Hostile',
  'alerts explain alertname=Hostile -o json',
  'relay flags',
  'relay flags --json',
  'relay status',
  'relay status --json',
  'relay eval hostile -c {"key":"a"}',
  'relay eval hostile -c {"key":"a"} --explain',
  'relay eval hostile -c {"key":"a"} --json',
  'rooms ls',
  'rooms ls --json',
  'rooms tail hostile',
  'rooms tail hostile --json',
  'rooms search words',
  'rooms search words --json',
  'rooms show hostile-message',
  'rooms show hostile-message --json',
  'rooms export hostile',
  'rooms hook ls',
  'rooms token ls',
  'dashboard mark list',
  'dashboard mark list --json',
];

test('text written by others reaches no terminal as a command to it', async (t) => {
  const { rooms, urlOf, sdkKey } = await startEveryServer(t, {
    flags: {
      flags: {
        hostile: {
          key: 'hostile',
          version: 1,
          on: true,
          salt: '',
          variations: [HOSTILE],
          fallthrough: { variation: 0 },
        },
      },
    },
  });
  const names = {
    alerts: urlOf('alerts'),
    relay: urlOf('relay'),
    dashboard: urlOf('dashboard'),
    rooms: urlOf('rooms'),
  };
  const urls = { ...names, sdkKey };
  const post = async (url: string, method: string, body: string) => {
    const answer = await fetch(url, { method, body, headers: { 'content-type': 'application/json' } });
    assert.ok(answer.ok, `${url}: ${await answer.text()}`);
  };
  await post(
    `${urls.alerts}/api/v2/alerts`,
    'POST',
    `[{"labels":{"alertname":"Hostile",${JSON_HOSTILE}:${JSON_HOSTILE}},"annotations":{"summary":${JSON_HOSTILE}}}]`,
  );
  await post(
    `${urls.alerts}/api/v2/silences`,
    'POST',
    `{"matchers":[{"name":"alertname","value":${JSON_HOSTILE},"isRegex":false}],"startsAt":"2030-01-01T00:00:00Z","endsAt":"2039-01-02T00:00:00Z","createdBy":${JSON_HOSTILE},"comment":${JSON_HOSTILE}}`,
  );
  await post(
    `${urls.dashboard}/api/markers`,
    'PUT',
    `{"version":1,"markers":[{"id":"m1","name":"x\\u009b\\u202e","category":"y\\u007f","startAt":"2030-01-01T00:00:00Z","endAt":"2030-01-02T00:00:00Z"}]}`,
  ).catch(() => {});
  const room = await rooms.send('POST', '/api/room', {
    as: 'ana',
    body: { name: 'Hostile' },
  });
  assert.equal(room.status, 201, room.text);
  for (const body of [
    { id: 'hostile-message', body: `words ${HOSTILE}` },
    { body: `words ${HOSTILE}`, card: { title: HOSTILE, [HOSTILE]: HOSTILE }, type: 'alert' },
  ])
    assert.equal((await rooms.send('POST', '/api/room/hostile/message', { as: 'ana', body })).status, 201);
  const wrong: string[] = [];
  for (const command of COMMANDS) {
    const { code, text } = await say(urls, command.split(' '));
    if (OBEYED.test(text) || code !== 0 || text === '')
      wrong.push(`${command}: ${code} ${JSON.stringify(text).slice(0, 600)}`);
  }
  assert.deepEqual(wrong, []);
});

/** A server with hostile bytes in every answer. */
async function startHostile(t: TestContext, answer: (response: ServerResponse, path: string) => void): Promise<Urls> {
  const server = createServer((request, response) => answer(response, request.url ?? ''));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { alerts: url, relay: url, dashboard: url, rooms: url };
}

const CHANGES: readonly string[] = [
  'alerts add alertname=x',
  'alerts silence add alertname=x --duration 1h --comment x',
  'alerts silence expire 00000000-0000-4000-8000-000000000001',
  'rooms say ops words --retry 0s',
  'rooms new Name',
  'rooms rm message-1',
  'rooms pin message-1',
  'rooms invite ops',
  'rooms join ops',
  'dashboard mark add x --start 2030-01-01T00:00:00Z --end 2030-01-02T00:00:00Z',
];

test('a hostile server reaches no terminal of its clients', async (t) => {
  const hostile: Readonly<Record<string, unknown>> = {
    id: HOSTILE,
    silenceID: HOSTILE,
    name: HOSTILE,
    error: HOSTILE,
    code: HOSTILE,
    message: HOSTILE,
    status: { state: HOSTILE },
    slug: HOSTILE,
  };
  const answers: readonly ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end(HOSTILE),
    (response) => response.writeHead(400, { 'content-type': 'application/json' }).end(JSON_HOSTILE),
    (response) =>
      response
        .writeHead(404, { 'content-type': 'application/json', 'x-error-code': 'room_not_found' })
        .end(JSON_HOSTILE),
    (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(hostile)),
    (response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([hostile, HOSTILE])),
    (response) => response.writeHead(201, { 'content-type': 'application/json' }).end(JSON_HOSTILE),
    (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${HOSTILE}`),
    (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/%1b[2J' }).end(HOSTILE),
    (response) => response.socket?.end(`HTTP/1.1 418 I\x9b31m am\x7f\r\nContent-Length: 0\r\n\r\n`, 'latin1'),
  ];
  let answer = answers[0];
  const urls = await startHostile(t, (response) => answer?.(response));
  const wrong: string[] = [];
  for (const [index, one] of answers.entries()) {
    answer = one;
    for (const command of [...COMMANDS, ...CHANGES]) {
      const { text } = await say(urls, command.split(' ')).catch((error: Error) => ({
        text: `\x1b thrown ${error.stack}`,
      }));
      if (OBEYED.test(text)) wrong.push(`${index} ${command}: ${JSON.stringify(text).slice(0, 300)}`);
    }
  }
  assert.deepEqual(wrong, []);
});
