// Rooms beside an alert server, with users with and without the right to use it.
import assert from 'node:assert/strict';
import { type FakeAlertmanager, type FakeAnswer, startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import type { RoomsOptions } from '../config/rooms-options.ts';
import type { RoomsAnswer } from './app.ts';
import { openPeople, type TestPeople } from './people.ts';

const NOW = '2030-01-02T08:00:00Z';
const LABELS = { alertname: 'DiskFull', instance: 'web1' };

export interface AlertRoom extends TestPeople {
  readonly clock: FakeClock;
  /** The requests to the alert server. */
  readonly asked: FakeAlertmanager['requests'];
  /** The id of the card in `ops`. */
  readonly card: string;
  /** The firing alerts: the number of web servers with a full disk. */
  readonly firing: { count: number };
  say(as: string, room: string, body: string, fields?: object): Promise<RoomsAnswer>;
  /** The secret of a new token of a user. */
  tokenOf(userId: string, fields: object): Promise<string>;
  cardNow(): Promise<{ readonly acked: unknown; readonly silence: unknown }>;
}

export const bearer = (secret: string): { readonly authorization: string } => ({ authorization: `Bearer ${secret}` });

/**
 * `ops` is a private room of ana's: ben is a member, gus a guest, and it holds a card. `lair` is a private room of
 * mallory's, and mallory is not in `ops`. `admin` is an admin of the server, in neither.
 */
export async function openAlertRoom(t: Cleanup, options: Partial<RoomsOptions> = {}): Promise<AlertRoom> {
  const firing = { count: 1 };
  const alerts = await startFakeAlertmanager(t, (request) => answerAlerts(request, firing.count));
  const clock = new FakeClock(NOW);
  const all = { alertsUrl: alerts.url, ...options };
  const people = await openPeople(t, ['ana', 'ben', 'gus', 'mallory'], { clock, options: all });
  const { send } = people;
  const must = async (as: string, method: string, path: string, body: object) => {
    const answer = await send(method, path, { as, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer.json;
  };
  await must('admin', 'POST', '/api/room', { name: 'Ops', visibility: 'private', members: ['ana', 'ben'] });
  await must('admin', 'PUT', '/api/room/ops/member/ana', { role: 'owner' });
  await send('DELETE', '/api/room/ops/me', { as: 'admin' });
  await must('ana', 'PUT', '/api/room/ops/member/gus', { role: 'guest' });
  await must('admin', 'POST', '/api/room', { name: 'Lair', visibility: 'private', members: ['mallory'] });
  await must('admin', 'PUT', '/api/room/lair/member/mallory', { role: 'owner' });
  await send('DELETE', '/api/room/lair/me', { as: 'admin' });
  const { path } = await must('ana', 'POST', '/api/hook', { direction: 'incoming', roomId: 'ops', name: 'Alerts' });
  const alert = { status: 'firing', labels: LABELS, annotations: {}, startsAt: NOW };
  const group = { groupKey: 'g', receiver: 'ops', groupLabels: { alertname: 'DiskFull' }, commonLabels: LABELS };
  const { id: card } = await must('ana', 'POST', path, { ...group, status: 'firing', alerts: [alert] });
  return {
    ...people,
    clock,
    asked: alerts.requests,
    card,
    firing,
    say: (as, room, body, fields = {}) => send('POST', `/api/room/${room}/message`, { as, body: { body, ...fields } }),
    tokenOf: async (userId, fields) =>
      (await must('admin', 'POST', '/api/token', { name: 'x', userId, ...fields })).secret,
    cardNow: async () => (await send('GET', `/api/message/${card}`, { as: 'ana' })).json.card,
  };
}

function answerAlerts({ method, path }: { readonly method: string; readonly path: string }, count: number): FakeAnswer {
  const alert = (index: number) => ({
    fingerprint: `fingerprint-${index}`,
    labels: { ...LABELS, instance: `web${index}` },
    annotations: { summary: '/var is full' },
    startsAt: NOW,
    status: { state: 'active', silencedBy: [], inhibitedBy: [] },
  });
  if (path === '/api/v2/alerts') return { json: Array.from({ length: count }, (_, index) => alert(index + 1)) };
  if (path === '/api/v2/silences') return { json: method === 'POST' ? { silenceID: 'a-silence-1' } : [] };
  return { json: { endsAt: NOW, status: { state: 'active' } } };
}
