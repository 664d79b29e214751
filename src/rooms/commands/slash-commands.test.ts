import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakeAnswer, startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type RoomsAnswer, type TestRooms } from '../testing/app.ts';

const NOW = '2030-01-02T08:00:00Z';
const ALERT = {
  fingerprint: '0123456789abcdef',
  labels: { alertname: 'DiskFull', instance: 'web1' },
  annotations: { summary: '/var is full' },
  startsAt: '2030-01-02T07:00:00.000Z',
  status: { state: 'active', silencedBy: [], inhibitedBy: [] },
};

interface Fixture {
  readonly rooms: TestRooms;
  readonly asked: readonly { method: string; path: string; query: URLSearchParams; body: unknown }[];
  say(body: string, fields?: object): Promise<RoomsAnswer>;
}

const answerAlerts = ({ method, path }: { method: string; path: string }): FakeAnswer => {
  if (path === '/api/v2/alerts') return { json: [ALERT] };
  if (path === '/api/v2/silences') return method === 'POST' ? { json: { silenceID: 'a-silence-1' } } : { json: [] };
  return { json: { endsAt: NOW, status: { state: path.endsWith('ended-silence') ? 'expired' : 'active' } } };
};

async function openRoom(t: Cleanup, answer: typeof answerAlerts | 'cut' | 'none' = answerAlerts): Promise<Fixture> {
  const alerts = await startFakeAlertmanager(t, (request) => (typeof answer === 'string' ? 'cut' : answer(request)));
  const clock = new FakeClock(NOW);
  const alertsUrl = answer === 'none' ? undefined : alerts.url;
  const rooms = await openTestRooms(t, { clock, options: { alertsUrl } });
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const say = (body: string, fields: object = {}) =>
    rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body, ...fields } });
  return { rooms, asked: alerts.requests, say };
}

const messages = async ({ rooms }: Fixture) =>
  (await rooms.send('GET', '/api/room/ops/message', { as: 'ana' })).json.messages;
const silencesOf = ({ asked }: Fixture) =>
  asked.filter(({ method }) => method === 'POST').map(({ body }) => body as Record<string, unknown>);

test('/silence silences its matches, in the name of its author, and names the place of the command', async (t) => {
  const room = await openRoom(t);
  const said = await room.say('/silence 2h alertname=DiskFull instance=~"web.*" -- new disks');
  assert.equal(said.status, 201, said.text);
  assert.equal(said.json.type, 'command');
  const [silence] = silencesOf(room);
  assert.deepEqual(silence?.matchers, [
    { name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true },
    { name: 'instance', value: 'web.*', isRegex: true, isEqual: true },
  ]);
  assert.deepEqual(
    [silence?.createdBy, silence?.startsAt, silence?.endsAt],
    ['ana', '2030-01-02T08:00:00.000Z', '2030-01-02T10:00:00.000Z'],
  );
  assert.equal(silence?.comment, `new disks http://127.0.0.1:8065/r/ops/m/${said.json.id}`);
  assert.match(said.json.body, /until 2030-01-02 10:00 UTC: new disks\nmatches 1 active alert;/);
  assert.equal(said.json.card.silence.id, 'a-silence-1');
});

test('a preview uses the same matchers, does nothing and is seen by its author alone', async (t) => {
  const room = await openRoom(t);
  const said = await room.say('/silence? 2h alertname=DiskFull');
  assert.equal(said.status, 200);
  assert.match(
    said.json.notice,
    /would silence alertname="DiskFull" until 2030-01-02 10:00 UTC; matches 1 active alert/,
  );
  assert.equal(said.json.card.alerts.count, 1);
  assert.deepEqual(
    room.asked.map(({ method, query }) => [method, query.getAll('filter')]),
    [['GET', ['alertname="DiskFull"']]],
  );
  assert.deepEqual(await messages(room), []);
});

test('the same line with the same id is done once', async (t) => {
  const room = await openRoom(t);
  const first = await room.say('/silence 2h a=b', { id: 'silence-4711' });
  const again = await room.say('/silence 2h a=b', { id: 'silence-4711' });
  assert.deepEqual([first.status, again.status], [201, 200]);
  assert.equal(again.headers.get('idempotent-replay'), 'true');
  assert.equal(silencesOf(room).length, 1);
});

test('a silence made before its message was stored is not made again', async (t) => {
  const comment = 'silenced from ops http://127.0.0.1:8065/r/ops/m/silence-4711';
  const kept = [{ id: 'a-silence-0', comment, status: { state: 'active' } }];
  const room = await openRoom(t, (request) =>
    request.method === 'GET' && request.path === '/api/v2/silences' ? { json: kept } : answerAlerts(request),
  );
  const said = await room.say('/silence 2h a=b', { id: 'silence-4711' });
  assert.equal(said.json.card.silence.id, 'a-silence-0');
  assert.deepEqual(silencesOf(room), []);
});

test('/alerts lists firing alerts and keeps the list up to date', async (t) => {
  const room = await openRoom(t);
  const said = await room.say('/alerts alertname=DiskFull');
  assert.equal(said.status, 201);
  assert.match(said.json.body, /^1 active alert\n- \*\*DiskFull\*\* instance=web1: \/var is full$/);
});

test('/unsilence ends a silence; an ended silence is refused', async (t) => {
  const room = await openRoom(t);
  assert.equal((await room.say('/unsilence live-silence')).status, 201);
  assert.ok(room.asked.some(({ method, path }) => method === 'DELETE' && path === '/api/v2/silence/live-silence'));
  const refused = await room.say('/unsilence ended-silence');
  assert.deepEqual([refused.status, refused.json], [400, 'the silence ended-silence has ended already']);
});

const REFUSED: readonly (readonly [string, number, RegExp])[] = [
  ['/silence 2h', 400, /no matchers/],
  ['/silence 2h a=~".*"', 400, /--force/],
  ['/silense 2h a=b', 400, /did you mean \/silence/],
  ['/ack', 400, /in the thread of an alert/],
];
for (const [line, status, reason] of REFUSED) {
  test(`${line} posts nothing and gives the reason`, async (t) => {
    const room = await openRoom(t);
    const said = await room.say(line);
    assert.equal(said.status, status);
    assert.match(said.json, reason);
    assert.deepEqual(await messages(room), []);
  });
}

test('a line that begins with two slashes, or with a path, is posted', async (t) => {
  const room = await openRoom(t);
  assert.equal((await room.say('//silence is golden')).json.body, '/silence is golden');
  assert.equal((await room.say('/usr/bin/false failed')).json.body, '/usr/bin/false failed');
});

test('/help answers its caller alone', async (t) => {
  const room = await openRoom(t);
  assert.match((await room.say('/help')).json.notice, /\/silence 2h/);
  assert.deepEqual(await messages(room), []);
});

test('without an alert server the refusal names the flag', async (t) => {
  assert.match((await (await openRoom(t, 'none')).say('/alerts')).json, /--alerts URL/);
});

test('an alert server that cannot be reached is a refusal, and nothing is posted', async (t) => {
  const room = await openRoom(t, 'cut');
  const said = await room.say('/silence 2h a=b');
  assert.deepEqual([said.status, said.headers.get('x-error-code')], [502, 'upstream_failed']);
  assert.deepEqual(await messages(room), []);
});

async function postAlert({ rooms }: Fixture): Promise<string> {
  const hook = await rooms.send('POST', '/api/hook', {
    as: 'ana',
    body: { direction: 'incoming', roomId: 'ops', name: 'Alerts' },
  });
  const alert = { status: 'firing', labels: ALERT.labels, annotations: {}, startsAt: NOW };
  const body = {
    groupKey: 'g',
    status: 'firing',
    receiver: 'ops',
    groupLabels: { alertname: 'DiskFull' },
    commonLabels: ALERT.labels,
    alerts: [alert],
  };
  return (await rooms.send('POST', hook.json.path, { body })).json.id;
}
const cardOf = async ({ rooms }: Fixture, id: string) =>
  (await rooms.send('GET', `/api/message/${id}`, { as: 'ana' })).json.card;

test('/ack in the thread of an alert marks its card, and /unack takes it back', async (t) => {
  const room = await openRoom(t);
  const id = await postAlert(room);
  const said = await room.say('/ack looking', { threadId: id });
  assert.equal(said.json.body, 'has it: looking');
  const { by, note } = (await cardOf(room, id)).acked;
  assert.deepEqual([by, note], ['ana', 'looking']);
  await room.say('/unack', { threadId: id });
  assert.equal((await cardOf(room, id)).acked, null);
});

test('/silence in the thread of an alert takes its matchers from the group', async (t) => {
  const room = await openRoom(t);
  const id = await postAlert(room);
  assert.equal((await room.say('/silence 1h', { threadId: id })).status, 201);
  assert.deepEqual(
    silencesOf(room).flatMap(({ matchers }) => (matchers as { name: string }[]).map(({ name }) => name)),
    ['alertname'],
  );
  assert.equal((await cardOf(room, id)).silence.id, 'a-silence-1');
});

test("a card's buttons do what their lines do", async (t) => {
  const room = await openRoom(t);
  const id = await postAlert(room);
  const press = (name: string, key?: string) =>
    room.rooms.send('POST', `/api/message/${id}/action/${name}`, {
      as: 'ben',
      headers: key ? { 'idempotency-key': key } : {},
    });
  assert.equal((await press('ack')).status, 201);
  assert.equal((await cardOf(room, id)).acked.by, 'ben');
  assert.equal((await press('silence-1h', 'click-1')).status, 201);
  await press('silence-1h', 'click-1');
  assert.equal(silencesOf(room).length, 1);
  assert.equal((await press('explode')).status, 404);
});

test('/silence says how many alerts it newly silences', async (t) => {
  const silenced = { ...ALERT, status: { state: 'suppressed', silencedBy: ['other'], inhibitedBy: [] } };
  const inhibited = { ...ALERT, status: { state: 'suppressed', silencedBy: [], inhibitedBy: ['x'] } };
  const room = await openRoom(t, (request) =>
    request.path === '/api/v2/alerts' ? { json: [ALERT, silenced, inhibited] } : answerAlerts(request),
  );
  const { json } = await room.say('/silence 2h alertname=DiskFull');
  assert.match(json.body, /matches 3 active alerts; newly silences 2;/);
  assert.deepEqual([json.card.alerts.count, json.card.alerts.newlySilenced], [3, 2]);
  assert.match((await room.say('/silence? 2h a=b')).json.notice, /matches 3 active alerts; newly silences 2/);
});
