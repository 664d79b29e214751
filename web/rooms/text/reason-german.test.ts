import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms } from '../../../src/rooms/testing/app.ts';
import { FakeClock } from '../../../src/testing/fake/clock.ts';
import { unsaidPatterns } from '../../../src/testing/sentences.ts';
import { FAULTS, germanReason, REASONS } from './reason-german.ts';
import { COMMANDS } from './server-german.ts';

test('every reason with German is one of the server', () =>
  assert.deepEqual(
    unsaidPatterns(
      [...REASONS, ...FAULTS].map(([english]) => english),
      'src/rooms',
    ),
    [],
  ));

test('what varies stays in the German reason, and unknown reasons have none', () => {
  assert.equal(germanReason('name: must have 1 to 80 characters'), 'Name: 1 bis 80 Zeichen');
  assert.equal(germanReason('labels: must have 1 to 80 characters'), 'labels: 1 bis 80 Zeichen');
  assert.match(germanReason('"$&" is no matcher; write name=value') ?? '', /^"\$&" ist kein Matcher; /);
  assert.match(
    germanReason('the question is missing. /ask <question> — asks', COMMANDS) ?? '',
    /^Die Frage fehlt\. \/ask <Frage> — /,
  );
  assert.equal(germanReason('the question is missing. /constructor', COMMANDS), undefined);
  assert.equal(germanReason('you cannot ban $&'), undefined);
});

/** Requests of a member that are refused. */
const REFUSED: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ...['/nothing', '/sience 2h a=b', '/silence a=b', '/silence 2h', '/silence 2h a~b', '/silence 2h alertname!=""'],
  ...[
    '/extend 1h',
    '/unsilence',
    '/ack',
    '/unack',
    '/oncall ana',
    '/poll',
    '/poll "Where?" one',
    '/poll end',
    '/vote 1',
  ],
  ...[
    '/vote',
    '/remind',
    '/remind x',
    '/remind at 2020-01-01',
    '/flag',
    '/flag a',
    '/usage',
    '/usage x',
    '/alerts',
    '/status',
  ],
  ...['/summary x', '/catchup x', '/ask', '/ask what?', '/incident end', '/incident start'],
].map((item) => ['POST', '/api/room/ops/message', { body: item }] as const);

test('a refused command has its German', async (t) => {
  const { send } = await openTestRooms(t, { clock: new FakeClock('2030-01-02T08:00:00Z') });
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const requests: typeof REFUSED = [
    ...REFUSED,
    ['POST', '/api/room/ops/message', { body: '' }],
    ['POST', '/api/room/ops/message', { body: 'x'.repeat(200_000) }],
    ['POST', '/api/room', { name: '' }],
    ['POST', '/api/room', { name: 'x'.repeat(81) }],
    ['POST', '/api/room', { name: 'Ops', slug: 'ops' }],
    ['GET', '/api/search?q=from%3A'],
    ['GET', '/api/search?q=has%3Ax'],
    ['GET', '/api/search?q=after%3Ax'],
    ['GET', '/api/search?q='],
    ['PUT', '/api/room/ops/member/nobody-here', { role: 'member' }],
    ['DELETE', '/api/room/ops/me'],
  ];
  const english: string[] = [];
  for (const [method, path, body] of requests) {
    const { status, json: reason } = await send(method, path, { as: 'ana', ...(body !== undefined && { body }) });
    if (status < 400) continue;
    if (germanReason(reason, COMMANDS) === undefined)
      english.push(`${method} ${path} ${JSON.stringify(body)?.slice(0, 60)}: ${reason}`);
  }
  assert.deepEqual(english, []);
});
