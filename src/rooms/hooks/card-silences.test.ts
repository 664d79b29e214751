import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { accepted } from '../domain/refusal.ts';
import { MessageWriter } from '../messages/writer.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';
import { AlertCards } from './alert-cards.ts';
import { CardSilences } from './card-silences.ts';

const NOW = '2030-01-02T08:00:00.000Z';
const MINUTE = 60_000;

interface Silence {
  readonly id: string;
  readonly endsAt: string;
  readonly value?: string;
}

interface Fixture {
  readonly rooms: TestRooms;
  readonly clock: FakeClock;
  /** The alert server's state. */
  readonly server: { isAway: boolean; silences: Silence[]; fingerprints: string[] };
  /** The requests for silences so far. */
  looks(): number;
  /** Shows an alert of an instance, in a group of its own. */
  notify(instance: string, status?: 'firing' | 'resolved'): Promise<string>;
  card(id: string): Promise<{ readonly state: string; readonly silence: Silence | null }>;
  /** Lets the next look at the alert server begin and end. */
  look(): Promise<void>;
}

async function openCards(t: Cleanup): Promise<Fixture> {
  const server: Fixture['server'] = { isAway: false, silences: [], fingerprints: [] };
  const alertmanager = await startFakeAlertmanager(t, ({ method, path }) => {
    if (server.isAway) return 'cut';
    const found = server.silences.find(({ id }) => path.endsWith(`/${id}`));
    if (method === 'DELETE') server.silences = server.silences.filter((silence) => silence !== found);
    if (found) return { json: wireSilence(found) };
    return { json: path.endsWith('/silences') ? server.silences.map(wireSilence) : server.fingerprints.map(wireAlert) };
  });
  const clock = new FakeClock(NOW);
  const rooms = await openTestRooms(t, { clock, options: { alertsUrl: alertmanager.url } });
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'Ops' } });
  const hook = { direction: 'incoming', roomId: 'ops', name: 'Alerts' };
  const { path } = (await rooms.send('POST', '/api/hook', { as: 'ana', body: hook })).json;
  const looks = () => alertmanager.requests.filter((request) => request.path.endsWith('/silences')).length;
  return {
    rooms,
    clock,
    server,
    looks,
    notify: async (instance, status = 'firing') =>
      (await rooms.send('POST', path, { body: webhook(instance, status) })).json.id,
    card: async (id) => (await rooms.send('GET', `/api/message/${id}`, { as: 'ana' })).json.card,
    async look() {
      const before = looks();
      clock.advance(2 * MINUTE);
      await eventually('the alert server is asked', () => looks() > before);
    },
  };
}

const wireSilence = ({ id, endsAt, value = 'DiskFull' }: Silence) => ({
  id,
  matchers: [{ name: 'alertname', value, isRegex: false, isEqual: true }],
  startsAt: NOW,
  endsAt,
  createdBy: 'ana',
  comment: '',
  updatedAt: NOW,
  status: { state: 'active' },
});

const wireAlert = (fingerprint: string) => ({
  fingerprint,
  labels: { alertname: 'DiskFull' },
  annotations: {},
  startsAt: NOW,
  status: { state: 'suppressed', silencedBy: ['s'] },
});

function webhook(instance: string, status: string): object {
  const labels = { alertname: 'DiskFull', instance };
  const alert = { status, labels, annotations: {}, startsAt: NOW, fingerprint: `of-${instance}` };
  const group = { groupKey: instance, receiver: 'ops', groupLabels: labels, commonLabels: labels };
  return { ...group, status, alerts: [alert] };
}

const at = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

test('a silence made and ended on the alert server is on all cards that it holds, and goes from all of them', async (t) => {
  const { server, notify, card, look } = await openCards(t);
  const ids = [await notify('web1'), await notify('web2')];
  server.silences = [{ id: 's', endsAt: at(60 * MINUTE) }];
  await look();
  const until = (endsAt: string | undefined) => async () => {
    const cards = await Promise.all(ids.map(card));
    return cards.every(({ silence }) => silence?.endsAt === endsAt);
  };
  await eventually('both are silenced', until(at(60 * MINUTE)));
  server.silences = [{ id: 's', endsAt: at(90 * MINUTE) }];
  await look();
  await eventually('both have the new end', until(at(90 * MINUTE)));
  await notify('web2', 'resolved');
  server.silences = [{ id: 'other', endsAt: at(90 * MINUTE), value: 'Other' }];
  await look();
  await eventually('neither is silenced', until(undefined));
});

test('a silence that a command ends goes from all cards at once', async (t) => {
  const { rooms, server, notify, card, look, clock } = await openCards(t);
  const ids = [await notify('web1'), await notify('web2')];
  const silenced = async () => (await Promise.all(ids.map(card))).filter(({ silence }) => silence !== null).length;
  server.silences = [{ id: 'silence-1', endsAt: at(60 * MINUTE) }];
  await look();
  await eventually('both are silenced', async () => (await silenced()) === 2);
  const body = { body: '/unsilence silence-1', threadId: ids[0] };
  const said = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body });
  assert.equal(said.status, 201, said.text);
  clock.advance(1_000);
  await eventually('neither is silenced', async () => (await silenced()) === 0);
});

test('a silence ends with its time while the alert server is away', async (t) => {
  const { server, notify, card, look, clock } = await openCards(t);
  const id = await notify('web1');
  server.silences = [{ id: 's', endsAt: at(5 * MINUTE) }];
  await look();
  await eventually('it is silenced', async () => (await card(id)).silence !== null);
  server.isAway = true;
  await look();
  assert.notEqual((await card(id)).silence, null);
  clock.advance(5 * MINUTE);
  await eventually('it is silenced no longer', async () => (await card(id)).silence === null);
});

test('an alert that ends while it is silenced ends on its card and in its room', async (t) => {
  const { rooms, server, notify, card, look } = await openCards(t);
  const id = await notify('web1');
  server.silences = [{ id: 's', endsAt: at(60 * MINUTE) }];
  server.fingerprints = ['of-web1'];
  await look();
  await eventually('it is silenced', async () => (await card(id)).silence !== null);
  server.fingerprints = [];
  await look();
  await eventually('it is resolved', async () => (await card(id)).state === 'resolved');
  assert.equal((await rooms.send('GET', '/api/room/ops', { as: 'ana' })).json.firingAlerts, 0);
});

test('looks of several nodes write what one writes', async (t) => {
  const { rooms, notify, clock } = await openCards(t);
  const id = await notify('web1');
  const { core } = rooms;
  const files = { hold: () => Promise.reject(new Error('cards have no files')) };
  const rules = { maxBodyBytes: 65_536, joinOnPost: true, editWindowMs: 0, keepEditHistory: true };
  const cards = new AlertCards({ ...core, messages: new MessageWriter({ ...core, files, rules }) });
  const matchers = [{ name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true }];
  const known = {
    id: 's',
    matchers,
    startsAt: clock.now(),
    endsAt: clock.now() + MINUTE,
    createdBy: 'ana',
    comment: '',
  };
  const alerts = {
    liveSilences: async () => accepted([{ ...known, state: 'active' as const }]),
    alerts: async () => accepted([]),
  };
  const nodes = [1, 2].map(() => new CardSilences({ ...core, cards, alerts }));
  t.after(() => Promise.all(nodes.map((node) => node.close())));
  const before = core.writer.pos;
  for (const _ of [1, 2]) await Promise.all(nodes.map((node) => node.runOnce()));
  assert.equal(core.writer.pos, before + 1);
  assert.equal(core.state.get('card', id)?.isWatched, true);
});
