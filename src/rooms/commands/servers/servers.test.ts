import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeAnswer, type RecordedRequest, startFakeAlertmanager } from '../../../testing/fake/alertmanager.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import type { RoomsAnswer } from '../../testing/app.ts';
import { openPeople } from '../../testing/people.ts';

const NOW = '2030-01-02T08:00:00Z';
const KEY = 'sdk-a-secret-key';
const FLAG = {
  key: 'checkout',
  version: 7,
  on: true,
  variations: [true, false],
  offVariation: 1,
  fallthrough: {
    rollout: {
      variations: [
        { variation: 0, weight: 25_000 },
        { variation: 1, weight: 75_000 },
      ],
    },
  },
  targets: [{ values: ['ana', 'ben'], variation: 0 }],
  rules: [{ id: 'r' }],
};
const EVENTS = [
  { model: 'claude-5', chargedCents: 120.4, tokenUsage: { inputTokens: 1_000_000, outputTokens: '500000' } },
  { model: 'gpt-7', tokenUsage: { totalCents: 30 } },
  { model: 'claude-5' },
];

interface Fixture {
  readonly asked: readonly RecordedRequest[];
  say(as: string, room: string, body: string): Promise<RoomsAnswer>;
}

function answerAsServers({ path, headers }: RecordedRequest): FakeAnswer {
  if (path.startsWith('/sdk/') && headers.authorization !== KEY) return { status: 401, text: 'no' };
  if (path === '/sdk/flags/checkout') return { json: FLAG };
  if (path === '/sdk/flags/old') return { json: { ...FLAG, key: 'old', on: false } };
  if (path === '/api/users')
    return {
      json: {
        users: [
          { id: 'info', hasToken: true },
          { id: 'slope', hasToken: false },
        ],
      },
    };
  if (path === '/api/events') return { json: { user: 'info', events: EVENTS } };
  return { status: 404, text: '' };
}

/** ana owns `ops`, whose members may use the servers, and `other`; ben is in both. */
async function openServers(t: Cleanup, options: object | undefined = undefined): Promise<Fixture> {
  const { url, requests } = await startFakeAlertmanager(t, answerAsServers);
  const usual = { relayUrl: url, relayKey: KEY, dashboardUrl: url, alertsRooms: ['ops'] };
  const { send } = await openPeople(t, ['ana', 'ben', 'gus'], {
    clock: new FakeClock(NOW),
    options: { ...usual, ...options },
  });
  await send('POST', '/api/room', { body: { name: 'Ops', members: ['ana', 'ben'] } });
  await send('PUT', '/api/room/ops/member/gus', { body: { role: 'guest' } });
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Other', members: ['ben'] } });
  return {
    asked: requests,
    say: (as, room, body) => send('POST', `/api/room/${room}/message`, { as, body: { body } }),
  };
}

test('/flag shows the state of a flag of the relay', async (t) => {
  const { say } = await openServers(t);
  const on = await say('ben', 'ops', '/flag checkout');
  assert.equal(on.status, 201, on.text);
  assert.deepEqual(on.json.body.split('\n'), [
    '`checkout` is **on** (version 7)',
    '- after 2 targets and 1 rule, everyone else gets 25 % `true`, 75 % `false`',
    '- when off: `false`',
  ]);
  assert.equal(
    (await say('ben', 'ops', '/flag old')).json.body,
    '`old` is **off** (version 7)\n- everyone gets `false`',
  );
  const unknown = await say('ben', 'ops', '/flag gone');
  assert.deepEqual([unknown.status, unknown.json], [404, 'the relay knows no flag gone']);
});

test('/usage sums up what the dashboard knows of each user', async (t) => {
  const { say, asked } = await openServers(t);
  const today = await say('ben', 'ops', '/usage');
  assert.deepEqual(today.json.body.split('\n'), [
    'usage today',
    '- **info**: $1.50, 3 calls, 1.5 M tokens; `claude-5` $1.20; `gpt-7` $0.30',
    '- **slope**: the dashboard holds no session token',
  ]);
  const query = asked.find(({ path }) => path === '/api/events')?.query;
  assert.deepEqual(
    [query?.get('startDate'), query?.get('endDate')],
    [String(Date.parse('2030-01-02T00:00:00Z')), String(Date.parse(NOW))],
  );
  assert.match((await say('ben', 'ops', '/usage 7d nobody')).json, /knows no user nobody; there are info, slope/);
});

for (const line of ['/flag checkout', '/usage'])
  test(`${line} asks nothing for guests, and for members only where an admin allows it`, async (t) => {
    const { say, asked } = await openServers(t);
    assert.match((await say('gus', 'ops', line)).text, /guests/);
    const elsewhere = await say('ana', 'other', line);
    assert.deepEqual([elsewhere.status, elsewhere.headers.get('x-error-code')], [403, 'forbidden']);
    assert.deepEqual(asked, []);
    assert.equal((await say('admin', 'other', line)).status, 201);
  });

test('without these servers the refusals name the flags, and a refused key is not repeated', async (t) => {
  const none = await openServers(t, { relayUrl: undefined, dashboardUrl: undefined });
  assert.match((await none.say('ana', 'ops', '/flag a')).json, /knows no relay; start it with --relay URL/);
  assert.match((await none.say('ana', 'ops', '/usage')).json, /knows no dashboard; start it with --dashboard URL/);
  const wrong = await openServers(t, { relayKey: 'sdk-wrong' });
  const refused = await wrong.say('ana', 'ops', '/flag checkout');
  assert.deepEqual([refused.status, refused.json], [502, 'the relay refuses the credentials of this server']);
});
