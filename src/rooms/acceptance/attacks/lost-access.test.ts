import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { listen } from '../../../kernel/http/server.ts';
import { eventually, HANG_MS } from '../../../testing/eventually.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { openSse, type SseStream } from '../../../testing/http/sse-client.ts';
import { openAiStream, startFakeModel } from '../../testing/copilot/fake-model.ts';
import { openPeople } from '../../testing/people.ts';

const SCOPES = ['read', 'write', 'react', 'manage', 'copilot', 'hook', 'export', 'admin'];
const [, FIRST = '', SECRET_WORD = ''] = openAiStream(['one ', 'SECRET']);

/** A private room with a member about to lose access, and a lobby that stays open to all. */
async function open(t: TestContext) {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const model = await startFakeModel(t);
  const people = await openPeople(t, ['owner', 'other'], { clock, options: { durability: 'off' } });
  const { app, endStreams } = people.rooms;
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: app.fetch, addresses, clock: systemClock, endStreams });
  t.after(() => listener.close(0));
  const { url } = listener;
  const must = async (method: string, path: string, body?: unknown, as = 'owner') => {
    const answer = await people.send(method, path, { as, ...(body === undefined ? {} : { body }) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const provider = { name: 'fake', kind: 'openai', baseUrl: model.url, model: 'test-1', allowPrivate: true };
  await must('POST', '/api/provider', provider, 'admin');
  await must('POST', '/api/room', { name: 'Lobby' });
  let count = 0;
  /** A new user in a new room. `role`: in the room; `server`: no member, but an admin of the server. */
  const join = async (role: 'member' | 'admin' | 'server') => {
    const id = `victim-${++count}`;
    const limits = { perUserPerHour: 0, perRoomPerHour: 0, tokensPerDay: 0, concurrent: 10 };
    const copilot = { provider: 'fake', trigger: 'manual', limits };
    const room = await must('POST', '/api/room', { name: `Room ${count}`, visibility: 'private', copilot });
    await must('POST', '/api/user', { id, ...(role === 'server' ? { role: 'admin' } : {}) }, 'admin');
    if (role !== 'server') await must('PUT', `/api/room/${room.id}/member/${id}`, { role });
    await must('PUT', `/api/room/lobby/member/${id}`, { role: 'member' });
    const { secret, token } = await must('POST', '/api/token', { name: id, userId: id, scopes: SCOPES }, 'admin');
    const authorization = { authorization: `Bearer ${secret}` };
    const ask = (method: string, path: string) => people.send(method, path, { headers: authorization });
    return { id, room: room.id as string, token: token.id as string, authorization, ask };
  };
  return { ...people, clock, model, url, must, join };
}
type World = Awaited<ReturnType<typeof open>>;
type Victim = Awaited<ReturnType<World['join']>>;

interface Loss {
  readonly name: string;
  readonly role?: 'admin' | 'server';
  /** The person has no access at all any more; otherwise the rest of the server stays open to them. */
  readonly isOut?: boolean;
  lose(world: World, victim: Victim): Promise<unknown>;
}

const LOSSES: readonly Loss[] = [
  { name: 'is removed', lose: ({ must }, { id, room }) => must('DELETE', `/api/room/${room}/member/${id}`) },
  { name: 'is banned', lose: ({ must }, { id, room }) => must('DELETE', `/api/room/${room}/member/${id}?ban=1`) },
  { name: 'leaves', lose: (_, { room, ask }) => ask('DELETE', `/api/room/${room}/me`) },
  {
    name: 'was a moderator and is removed',
    role: 'admin',
    lose: ({ must }, { id, room }) => must('DELETE', `/api/room/${room}/member/${id}`),
  },
  {
    name: 'is disabled',
    isOut: true,
    lose: ({ must }, { id }) => must('DELETE', `/api/user/${id}`, undefined, 'admin'),
  },
  {
    name: 'is disabled by a PUT',
    isOut: true,
    lose: ({ must }, { id }) => must('PUT', `/api/user/${id}`, { name: 'x', disabled: true }, 'admin'),
  },
  {
    name: 'loses the token',
    isOut: true,
    lose: ({ must }, { token }) => must('DELETE', `/api/token/${token}`, undefined, 'admin'),
  },
  {
    name: 'is an admin of the server no more',
    role: 'server',
    lose: ({ must }, { id }) => must('PUT', `/api/user/${id}`, { name: 'x' }, 'admin'),
  },
  {
    name: 'was an admin of the server and is disabled',
    role: 'server',
    isOut: true,
    lose: ({ must }, { id }) => must('DELETE', `/api/user/${id}`, undefined, 'admin'),
  },
];

async function untilFence(stream: SseStream): Promise<void> {
  for (;;) {
    const event = await stream.next();
    assert.ok(event, 'the stream continues');
    if (event.data.includes('fence')) return;
  }
}

for (const { name, role = 'member', isOut = false, lose } of LOSSES)
  test(`a reader who ${name} receives nothing more of the room, on any stream`, { timeout: HANG_MS }, async (t) => {
    const world = await open(t);
    const { must, model, url } = world;
    const victim = await world.join(role);
    const { room, authorization, ask } = victim;
    await must('POST', '/api/message', { roomId: room, body: 'seen' });
    model.play({ stream: [FIRST], ending: 'hang' });
    const run = await must('POST', `/api/room/${room}/copilot/run`, { prompt: 'go' });
    await eventually(
      'the run has begun',
      async () => (await ask('GET', `/api/run/${run.id}`)).json.state === 'running',
      {
        everyMs: 5,
      },
    );
    const { cursor } = (await ask('GET', '/api/event/log?since=0&wait=0')).json;
    const ticket = async () => {
      const { json } = await world.send('POST', '/api/event/ticket', { headers: authorization });
      return encodeURIComponent(json.ticket);
    };
    const stream = (path: string, headers: Record<string, string> = authorization) =>
      openSse(`${url}${path}`, { headers });
    const ofRoom: readonly SseStream[] = [
      await stream(`/api/room/${room}/event`),
      await stream(`/api/room/${room}/event?since=${cursor}`),
      await stream(`/api/event?rooms=${room}`),
      await stream(`/api/event?rooms=${room}&ticket=${await ticket()}`, {}),
      await stream(`/api/run/${run.id}/stream`),
    ];
    const ofMore: readonly SseStream[] = [
      await stream('/api/event'),
      await stream(`/api/event?rooms=${room},lobby`),
      await stream(`/api/event?ticket=${await ticket()}`, {}),
      await stream('/api/event?types=message.created,message.delta,message.snapshot'),
    ];
    for (const one of [...ofRoom, ...ofMore]) {
      assert.equal(one.status, 200);
      await one.next();
    }
    const unused = await ticket();
    const polled = ['', `&rooms=${room}`, `&rooms=${room},lobby`].map((more) => {
      const path = `/api/event/log?since=${(cursor as string).replace(/\d+$/, (pos) => String(Number(pos)))}&wait=25${more}`;
      return fetch(`${url}${path}`, { headers: authorization }).then((answer) => answer.text());
    });
    await eventually('the polls wait', () => world.core.feed.size === ofRoom.length + ofMore.length + polled.length, {
      everyMs: 5,
    });
    await lose(world, victim);
    model.write(SECRET_WORD);
    await must('POST', '/api/message', { roomId: room, body: 'SECRET' });
    await must('POST', `/api/room/${room}/typing`);
    await must('POST', '/api/message', { roomId: 'lobby', body: 'fence' });
    await eventually(
      'the model has said it',
      async () => {
        world.clock.advance(10);
        const { json } = await world.send('GET', `/api/run/${run.id}`, { as: 'owner' });
        return /SECRET/.test(json.text);
      },
      { everyMs: 5 },
    );
    // A stream is not notified of a lost role: it ends within a second, and receives nothing until then.
    if (role === 'server') world.clock.advance(1001);
    const ended = isOut || role === 'server' ? [...ofRoom, ...ofMore] : ofRoom;
    for (const one of ended) assert.equal(await one.over, 'ended');
    for (const one of ofMore) if (!ended.includes(one)) await untilFence(one);
    for (const [index, one] of [...ofRoom, ...ofMore].entries())
      assert.doesNotMatch(one.text(), /SECRET/, `stream ${index}`);
    world.clock.advance(26_000);
    for (const text of polled) assert.doesNotMatch(await text, /SECRET/);
    // Events from before and since: neither is sent again.
    for (const [method, path] of [
      ['GET', `/api/room/${room}/event?since=${cursor}`],
      ['GET', `/api/event?rooms=${room}&since=0`],
      ['GET', `/api/event/log?since=0&wait=0&rooms=${room}`],
      ['GET', `/api/event?rooms=${room}&ticket=${unused}`],
      ['GET', `/api/run/${run.id}/stream`],
      ['GET', `/api/run/${run.id}`],
    ] as const)
      assert.equal(
        (await ask(method, path)).status,
        isOut || (path.includes('ticket=') && role === 'server') ? 401 : 404,
        path,
      );
    if (isOut) return;
    const log = await ask('GET', '/api/event/log?since=0&wait=0&limit=500');
    assert.doesNotMatch(log.text, /SECRET|"seen"/);
    const resumed = await stream('/api/event', { ...authorization, 'last-event-id': cursor });
    await untilFence(resumed);
    assert.doesNotMatch(resumed.text(), /SECRET/);
    resumed.close();
  });
