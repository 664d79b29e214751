import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeAnswer, type RecordedRequest, startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type RoomsAnswer } from '../testing/app.ts';

const NOW = '2030-01-02T08:00:00Z';
const ALERTS = ['critical', 'warning', 'strange'].map((severity) => ({
  fingerprint: severity,
  labels: { alertname: 'DiskFull', severity },
  annotations: { summary: '/var is full' },
  startsAt: NOW,
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
}));

interface Silence {
  readonly id: string;
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

/** An alert server that keeps silences. */
function fakeSilences(): (request: RecordedRequest) => FakeAnswer {
  const silences = new Map<string, Silence>();
  return ({ method, path, body }) => {
    if (path === '/api/v2/alerts') return { json: ALERTS };
    if (path === '/api/v2/silences' && method === 'POST') {
      const posted = body as Partial<Silence>;
      const id = posted.id ?? `silence-000${silences.size + 1}`;
      silences.set(id, { ...(posted as Silence), id, status: { state: 'active' } });
      return { json: { silenceID: id } };
    }
    if (path === '/api/v2/silences') return { json: [...silences.values()] };
    const silence = silences.get(path.split('/').at(-1) ?? '');
    if (!silence) return { status: 404, text: '' };
    if (method === 'DELETE') silences.set(silence.id, { ...silence, endsAt: NOW, status: { state: 'expired' } });
    return { json: silence };
  };
}

interface Fixture {
  readonly alertsUrl: string;
  say(body: string, fields?: object): Promise<RoomsAnswer>;
  press(id: string, action: string): Promise<RoomsAnswer>;
  // biome-ignore lint/suspicious/noExplicitAny: a message of any command
  messageOf(id: string): Promise<any>;
}

async function openOps(t: Cleanup, answer = fakeSilences()): Promise<Fixture> {
  const alerts = await startFakeAlertmanager(t, answer);
  const { send } = await openTestRooms(t, { clock: new FakeClock(NOW), options: { alertsUrl: alerts.url } });
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  return {
    alertsUrl: alerts.url,
    say: (body, fields = {}) => send('POST', '/api/room/ops/message', { as: 'ana', body: { body, ...fields } }),
    press: (id, action) => send('POST', `/api/message/${id}/action/${action}`, { as: 'ben' }),
    messageOf: async (id) => (await send('GET', `/api/message/${id}`, { as: 'ana' })).json,
  };
}

test('the card of a silence has buttons that extend and end it, and then shows so', async (t) => {
  const ops = await openOps(t);
  const { id } = (await ops.say('/silence 2h alertname=DiskFull -- disks')).json;
  const extended = await ops.press(id, 'extend');
  assert.equal(extended.status, 201, extended.text);
  assert.deepEqual(
    [extended.json.body, extended.json.threadId, extended.json.author.id],
    ['extended the silence of alertname="DiskFull" until 2030-01-02 11:00 UTC', id, 'ben'],
  );
  assert.equal((await ops.messageOf(id)).card.silence.endsAt, '2030-01-02T11:00:00.000Z');
  assert.equal((await ops.press(id, 'end')).status, 201);
  const { body, card } = await ops.messageOf(id);
  assert.match(body, /until 2030-01-02 11:00 UTC: disks\nmatches 3 active alerts; ended by ben$/);
  assert.deepEqual([card.silence.endedBy, card.actions], ['ben', []]);
  assert.equal((await ops.press(id, 'extend')).status, 404);
});

test('a command in the thread of a silence needs no id, and one with an id changes the same card', async (t) => {
  const ops = await openOps(t);
  const { id } = (await ops.say('/silence 2h alertname=DiskFull')).json;
  assert.equal((await ops.say('/extend until 12:00', { threadId: id })).status, 201);
  assert.equal((await ops.messageOf(id)).card.silence.endsAt, '2030-01-02T12:00:00.000Z');
  const shorter = await ops.say('/extend until 11:00', { threadId: id });
  assert.match(shorter.json, /already lasts until 2030-01-02 12:00 UTC/);
  assert.equal((await ops.say('/unsilence silence-0001')).status, 201);
  assert.equal((await ops.messageOf(id)).card.silence.endedBy, 'ana');
  assert.match((await ops.say('/extend 1h silence-0001')).json, /has ended already/);
  assert.match((await ops.say('/extend 1h')).json, /the id of the silence is missing/);
});

for (const action of ['end', 'extend'])
  test(`the button ${action} of a silence that was ended elsewhere is refused, and its card shows the end`, async (t) => {
    const ops = await openOps(t);
    const { id } = (await ops.say('/silence 2h alertname=DiskFull')).json;
    await fetch(`${ops.alertsUrl}/api/v2/silence/silence-0001`, { method: 'DELETE' });
    assert.match((await ops.press(id, action)).json, /has ended already/);
    const { card } = await ops.messageOf(id);
    assert.deepEqual(
      [card.silence.endsAt, card.actions[0].until],
      ['2030-01-02T08:00:00.000Z', '2030-01-02T08:00:00.000Z'],
    );
  });

test('a comment that names a message of another silence changes nothing there', async (t) => {
  const ops = await openOps(t);
  const first = (await ops.say('/silence 2h alertname=A')).json.id;
  const forged = `-- http://x/r/ops/m/${first}`;
  const second = (await ops.say(`/silence 2h alertname=B ${forged}`)).json;
  await ops.say(`/unsilence ${second.card.silence.id}`);
  assert.equal((await ops.messageOf(first)).card.silence.endedBy, undefined);
  assert.equal((await ops.messageOf(second.id)).card.silence.endedBy, 'ana');
});

test('/status counts alerts by severity, silences, and names the user on call', async (t) => {
  const ops = await openOps(t);
  await ops.say('/silence 2h alertname=DiskFull');
  await ops.say('/oncall @ana');
  const { body, card } = (await ops.say('/status')).json;
  assert.deepEqual(body.split('\n'), [
    '3 active alerts: 1 critical, 1 warning, 1 other; 0 silenced or inhibited',
    '- silences: 1, the next one ends 2030-01-02 10:00 UTC',
    '- on call: `@ana`',
  ]);
  assert.equal(card.liveUntil, '2030-01-02T08:05:00.000Z');
});

test('/handover lists open alerts, live silences, and threads without a tick', async (t) => {
  const ops = await openOps(t);
  await ops.say('/silence 2h alertname=DiskFull');
  const open = (await ops.say('who looks at @all of `it`?')).json.id;
  await ops.say('me', { threadId: open });
  const { body } = (await ops.say('/handover')).json;
  assert.match(body, /^\*\*On call\*\*: nobody\n\n\*\*Alerts\*\*: 3 active alerts\n- \*\*DiskFull\*\*/);
  assert.match(body, /\*\*Silences\*\*: 1\n- `alertname="DiskFull"` until 2030-01-02 10:00 UTC, by `ana`/);
  assert.ok(
    body.endsWith(
      `**Open threads**: 1\n- \`who looks at @all of 'it'?\`: [1 reply](http://127.0.0.1:8065/r/ops/m/${open})`,
    ),
  );
});

test('/handover without an alert server says so, and a ticked thread is closed', async (t) => {
  const { send } = await openTestRooms(t, { clock: new FakeClock(NOW) });
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const say = (body: string, fields: object = {}) =>
    send('POST', '/api/room/ops/message', { as: 'ana', body: { body, ...fields } });
  const { id } = (await say('who looks?')).json;
  await say('me', { threadId: id });
  await send('PUT', `/api/message/${id}/reaction/${encodeURIComponent('✅')}`, { as: 'ana' });
  const { body } = (await say('/handover')).json;
  assert.match(body, /\*\*Alerts\*\*: not shown: this server knows no alert server; start it with --alerts URL/);
  assert.match(body, /\*\*Open threads\*\*: none$/);
});
