// One room with all kinds of objects and callers, for tests of rights.
import assert from 'node:assert/strict';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type RequestParts, type RoomsAnswer, type TestRooms } from './app.ts';

/** `elsewhere` is the member with a token for another room; `gone` and `late` were members. */
export const CALLERS = [
  'nobody',
  'outsider',
  'guest',
  'member',
  'bot',
  'moderator',
  'owner',
  'server',
  'elsewhere',
  'gone',
  'late',
] as const;
export type CallerName = (typeof CALLERS)[number];

const SCOPES = ['read', 'write', 'react', 'manage', 'copilot', 'hook', 'admin', 'export'];
const PEOPLE = ['outsider', 'guest', 'member', 'bot', 'moderator', 'owner', 'gone', 'late', 'other'];
const UNLIMITED = { perUserPerHour: 0, perRoomPerHour: 0, tokensPerDay: 0 };
const FIRING = {
  version: '4',
  groupKey: '{}:{alertname="DiskFull"}',
  truncatedAlerts: 0,
  status: 'firing',
  receiver: 'ops',
  groupLabels: { alertname: 'DiskFull' },
  commonLabels: { alertname: 'DiskFull' },
  commonAnnotations: {},
  externalURL: 'http://alerts.example.com',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'DiskFull' },
      annotations: {},
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: '',
      fingerprint: '0123456789abcdef',
    },
  ],
};
const HOUR_MS = 3_600_000;

/** Ids of existing objects. */
export interface World {
  readonly room: string;
  readonly slug: string;
  /** By `member`, with a file. */
  readonly message: string;
  /** By `bot`, of type alert. */
  readonly card: string;
  /** Of an alert that fires, by a hook. */
  readonly alert: string;
  readonly file: string;
  /** Incoming, into the room. */
  readonly hook: string;
  readonly hookSecret: string;
  readonly invite: string;
  /** Of the room's copilot, asked by `member`; it is over. */
  readonly run: string;
  /** Of `member`. */
  readonly token: string;
}

export interface TestWorlds {
  readonly rooms: TestRooms;
  readonly clock: FakeClock;
  send(method: string, path: string, parts?: RequestParts & { readonly by?: CallerName }): Promise<RoomsAnswer>;
  /** A token of a user that lacks one scope. */
  lacking(user: CallerName, scope: string): Promise<string>;
  make(): Promise<World>;
}

export async function openWorlds(t: Cleanup): Promise<TestWorlds> {
  const clock = new FakeClock();
  const rooms = await openTestRooms(t, { clock, options: { auth: 'token', durability: 'off' } });
  const secrets = new Map<string, string>([['server', rooms.rooms.firstToken ?? '']]);
  const send: TestWorlds['send'] = async (method, path, { by = 'server', headers, ...parts } = {}) => {
    const secret = secrets.get(by);
    const authorization: Record<string, string> = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
    return rooms.send(method, path, { ...parts, headers: { ...authorization, ...headers } });
  };
  const must = mustOf(send);
  for (const id of PEOPLE) {
    await must('POST', '/api/user', { id, kind: id === 'bot' ? 'bot' : 'human' });
    secrets.set(id, (await must('POST', '/api/token', { name: id, userId: id })).secret);
  }
  const lobby = await must('POST', '/api/room', { name: 'Lobby' });
  const bound = { name: 'elsewhere', userId: 'member', roomIds: [lobby.id] };
  secrets.set('elsewhere', (await must('POST', '/api/token', bound)).secret);
  const expiresAt = new Date(clock.now() + HOUR_MS).toISOString();
  secrets.set('late', (await must('POST', '/api/token', { name: 'late', userId: 'late', expiresAt })).secret);
  const made = new Map<string, string>();
  let count = 0;
  const make = () => makeWorld(send, must, clock, `w${++count}`);
  await make();
  clock.advance(HOUR_MS + 1);
  await must('DELETE', '/api/user/gone', undefined);
  return {
    rooms,
    clock,
    send,
    make,
    async lacking(user, scope) {
      const name = `${user} without ${scope}`;
      const known = made.get(name);
      if (known !== undefined) return known;
      const scopes = SCOPES.filter((other) => other !== scope);
      // An admin's own token, so that only the scope is missing.
      const userId = user === 'server' ? (await must('GET', '/api/me', undefined)).id : user;
      const { secret } = await must('POST', '/api/token', { name, userId, scopes });
      made.set(name, secret);
      return secret;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
type Must = (method: string, path: string, body: unknown, by?: CallerName) => Promise<any>;

const mustOf =
  (send: TestWorlds['send']): Must =>
  async (method, path, body, by = 'server') => {
    const answer = await send(method, path, { by, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };

async function makeWorld(send: TestWorlds['send'], must: Must, clock: FakeClock, slug: string): Promise<World> {
  const room = await must('POST', '/api/room', { name: slug, slug, visibility: 'private' }, 'owner');
  const join = (userId: string, role: string) =>
    must('PUT', `/api/room/${room.id}/member/${userId}`, { role }, 'owner').catch((error) => {
      // Later worlds are made after this user was disabled.
      if (userId !== 'gone') throw error;
    });
  for (const userId of ['member', 'bot', 'other', 'late', 'gone']) await join(userId, 'member');
  await join('guest', 'guest');
  await join('moderator', 'admin');
  const upload = await send('POST', '/api/file', {
    by: 'member',
    body: `words of ${slug}`,
    headers: { 'x-file-name': 'a.txt' },
  });
  assert.equal(upload.status, 201, upload.text);
  const file = upload.json.id;
  const words = { roomId: room.id, body: `marmalade ${slug}`, attachments: [file] };
  const message = await must('POST', '/api/message', words, 'member');
  const burning = { roomId: room.id, type: 'alert', body: 'it burns', card: { state: 'firing' } };
  const card = await must('POST', '/api/message', burning, 'bot');
  const hook = await must('POST', '/api/hook', { direction: 'incoming', roomId: room.id, name: 'ci' }, 'owner');
  const alert = await must('POST', hook.path, FIRING, 'nobody');
  const invite = await must('POST', `/api/room/${room.id}/invite`, {}, 'owner');
  await must(
    'PUT',
    `/api/room/${room.id}/copilot`,
    { provider: 'echo', trigger: 'manual', limits: UNLIMITED },
    'owner',
  );
  const run = await must('POST', `/api/room/${room.id}/copilot/run`, { prompt: 'say marmalade' }, 'member');
  await eventually(
    'the copilot has answered',
    async () => {
      clock.advance(1);
      const { json } = await send('GET', `/api/run/${run.id}`, { by: 'member' });
      return json.state === 'complete';
    },
    { everyMs: 2 },
  );
  const own = await must('POST', '/api/token', { name: `of ${slug}` }, 'member');
  return {
    room: room.id,
    slug,
    message: message.id,
    card: card.id,
    alert: alert.id,
    file,
    hook: hook.id,
    hookSecret: hook.secret,
    invite: invite.code,
    run: run.id,
    token: own.token.id,
  };
}
