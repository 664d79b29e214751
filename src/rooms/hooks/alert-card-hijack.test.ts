// Attacks on the alerts of a foreign room, and on a room's belief that all is well.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { cardId } from '../domain/card/alert-notice.ts';
import { copilotUserId } from '../domain/copilot/user.ts';
import type { JsonObject, Message } from '../domain/message/message.ts';
import { decidePost } from '../domain/message/post.ts';
import { SCOPES } from '../domain/token/token.ts';
import { makeUser } from '../domain/user/new-user.ts';
import type { UserRef } from '../domain/user/user.ts';
import type { RoomsAnswer } from '../testing/app.ts';
import { openPeople, type TestPeople } from '../testing/people.ts';

const GROUP = { receiver: 'ops', groupKey: '{}:{alertname="DiskFull"}' };

interface Bridge {
  readonly people: TestPeople;
  readonly clock: FakeClock;
  /** Of the private room that the alerts are for. */
  readonly roomId: string;
  readonly first: string;
  notify(status?: 'firing' | 'resolved', summary?: string): Promise<RoomsAnswer>;
  /** A message stored under an id of a time when clients could choose any. */
  plant(room: string, author: UserRef, message: Partial<Message>): Promise<void>;
  read(id: string, as?: string): Promise<RoomsAnswer>;
  cards(): Promise<{ readonly id: string; readonly body: string; readonly author: UserRef }[]>;
}

/** A private room of ana's with ben in it, with alerts from a hook; mallory is no member, and `robot` is a bot in it. */
async function openBridge(t: Cleanup): Promise<Bridge> {
  const clock = new FakeClock('2030-01-02T08:00:00Z');
  const people = await openPeople(t, ['ana', 'ben', 'mallory', 'bot:robot'], { clock });
  const { send, core } = people;
  const body = { name: 'Ops', visibility: 'private', members: ['ben', 'robot'] };
  const roomId = (await send('POST', '/api/room', { as: 'ana', body })).json.id;
  await send('POST', '/api/room', { as: 'mallory', body: { name: 'Lair' } });
  const hook = { direction: 'incoming', roomId: 'ops', name: 'Alerts' };
  const { path } = (await send('POST', '/api/hook', { as: 'ana', body: hook })).json;
  return {
    people,
    clock,
    roomId,
    first: cardId(roomId, GROUP),
    notify: (status = 'firing', summary = 'the secret disk is full') =>
      send('POST', path, { body: webhook(status, summary) }),
    async plant(room, author, message) {
      const user = { ...makeUser(author.id, 0), ...author };
      const caller = {
        kind: 'user' as const,
        user,
        isAdmin: true,
        scopes: new Set(SCOPES),
        roomIds: null,
        tokenId: null,
        expiresAt: null,
      };
      const defaults = { type: 'text', body: 'planted', format: 'plain', replyTo: null, threadId: null } as const;
      const more = { attachments: [], card: null, silent: false, status: 'complete', run: null } as const;
      const draft = { ...defaults, ...more, id: undefined, ...message, attachments: [], alsoInRoom: false, room };
      const planted = await core.writer.submit({
        decide: (view) =>
          decidePost(view, caller, { ...draft, byServer: true }, new Map(), { maxBodyBytes: 1_000, joinOnPost: false }),
      });
      assert.ok(planted.ok, JSON.stringify(planted));
    },
    read: (id, as = 'ana') => send('GET', `/api/message/${id}`, { as }),
    cards: async () => (await send('GET', '/api/room/ops/message?type=alert', { as: 'ana' })).json.messages,
  };
}

function webhook(status: 'firing' | 'resolved', summary: string): object {
  const alert = { status, labels: { alertname: 'DiskFull' }, annotations: {}, startsAt: '2030-01-02T07:00:00Z' };
  return {
    ...GROUP,
    status,
    groupLabels: { alertname: 'DiskFull' },
    commonLabels: { alertname: 'DiskFull' },
    commonAnnotations: { summary },
    alerts: [alert],
  };
}

const human = (id: string): UserRef => ({ id, name: id, kind: 'human' });
const wellFormed = (group: string): JsonObject =>
  ({
    kind: 'alert',
    state: 'firing',
    group,
    counts: { firing: 1, resolved: 0 },
    alerts: [],
    changes: [],
  }) as JsonObject;

test('a message in another room that has the id of a card receives no alert, and the room gets its card', async (t) => {
  const { first, plant, notify, read, cards } = await openBridge(t);
  await plant('lair', human('mallory'), { id: first });
  const notified = await notify();
  assert.equal(notified.status, 201, notified.text);
  assert.equal((await read(first, 'mallory')).json.body, 'planted');
  const shown = await cards();
  assert.deepEqual([shown.length, shown[0]?.id], [1, notified.json.id]);
  assert.match(shown[0]?.body ?? '', /FIRING/);
  assert.equal(
    (await notify('resolved')).json.id,
    notified.json.id,
    'the card that was posted instead is the card from now on',
  );
  assert.equal((await read(first, 'mallory')).json.body, 'planted');
});

const PLANTED: readonly (readonly [string, UserRef, Partial<Message>])[] = [
  ['the words of a member', human('ben'), {}],
  ['an alert of a bot in the room', { id: 'robot', name: 'robot', kind: 'bot' }, { type: 'alert' }],
  ['an alert of a bridge that is no hook', { id: 'robot', name: 'robot', kind: 'bridge' }, { type: 'alert' }],
  ['words that a hook was sent', { id: 'hook:1', name: 'Alerts', kind: 'bridge' }, { type: 'text' }],
];
for (const [what, author, message] of PLANTED) {
  test(`${what} under the id of a card is not taken for the card`, async (t) => {
    const { first, plant, notify, read, cards } = await openBridge(t);
    await plant('ops', author, { id: first, card: wellFormed(first), ...message });
    const notified = await notify();
    assert.equal(notified.status, 201, notified.text);
    assert.notEqual(notified.json.id, first);
    assert.equal((await read(first)).json.body, 'planted');
    const [card] = (await cards()).filter(({ body }) => body.includes('FIRING'));
    assert.match(card?.author.id ?? '', /^hook:/);
  });
}

test('a card hijacked earlier is left alone, and its group gets a new card', async (t) => {
  const { first, plant, notify, cards } = await openBridge(t);
  await plant('lair', human('mallory'), { id: first, type: 'alert', card: wellFormed(first) });
  const notified = (await notify()).json.id;
  assert.notEqual(notified, first);
  assert.deepEqual(
    (await cards()).map(({ id }) => id),
    [notified],
  );
});

test('the id of a card posted in place of a taken one cannot be predicted', async (t) => {
  const ids = new Set<string>();
  for (const _ of ['one', 'two']) {
    const { first, roomId, plant, notify, clock } = await openBridge(t);
    await plant('lair', human('mallory'), { id: first });
    const { id } = (await notify()).json;
    assert.notEqual(id, cardId(roomId, GROUP, String(clock.now())));
    ids.add(id.slice(-12));
  }
  assert.equal(ids.size, 2);
});

test('a group without its card, after retention, gets another one', async (t) => {
  const { people, first, notify, clock, cards } = await openBridge(t);
  assert.equal((await notify()).json.id, first);
  clock.advance(3 * 86_400_000);
  const put = { name: 'Ops', retention: { days: 1 } };
  assert.equal((await people.send('PUT', '/api/room/ops', { as: 'ana', body: put })).status, 200);
  await people.send('POST', '/api/retention', {});
  clock.advance(3_600_000);
  await eventually('the end of the card', async () => (await cards()).length === 0, { everyMs: 1 });
  const notified = await notify();
  assert.equal(notified.status, 201, notified.text);
  assert.equal((await cards()).length, 1);
});

test('no member, moderator, bot or admin makes a card show that all is well', async (t) => {
  const { people, notify, read } = await openBridge(t);
  const { id } = (await notify()).json;
  const before = (await read(id)).json;
  const edits = [
    { body: 'all fine' },
    { body: 'all fine', card: null },
    { ...before, card: { ...before.card, state: 'resolved' } },
  ];
  for (const as of ['ana', 'ben', 'robot', 'admin'])
    for (const body of edits) {
      const refused = await people.send('PUT', `/api/message/${id}`, { as, body });
      assert.equal(refused.status, 403, `${as}: ${refused.text}`);
    }
  assert.deepEqual((await read(id)).json, before);
  const deleted = await people.send('DELETE', `/api/message/${id}`, { as: 'ana' });
  assert.equal(deleted.status, 200, 'a moderator may delete a card');
});

test('the result of a command is not rewritten by its author', async (t) => {
  const { people, notify, read } = await openBridge(t);
  const { id } = (await notify()).json;
  const said = await people.send('POST', '/api/room/ops/message', { as: 'ben', body: { body: '/ack', threadId: id } });
  assert.equal(said.status, 201, said.text);
  const { json } = await read(said.json.id);
  for (const body of [{ body: 'ana has it' }, { ...json, card: { ...json.card, by: 'ana' } }]) {
    const refused = await people.send('PUT', `/api/message/${said.json.id}`, { as: 'ben', body });
    assert.equal(refused.status, 403, refused.text);
  }
});

test('the end of a run rewrites the message of its copilot alone', async (t) => {
  const { people, plant, read } = await openBridge(t);
  const { finishRun } = await import('../domain/run/change.ts');
  const { newRun } = await import('../testing/store/parts.ts');
  await plant('lair', human('mallory'), { id: 'answer-run-1' });
  await plant('lair', { id: copilotUserId('x'), name: 'x', kind: 'copilot' }, { id: 'answer-run-2' });
  const ops = people.core.state.get('slug', 'ops')?.roomId ?? '';
  const cost = null;
  const end = {
    state: 'complete',
    text: 'secret',
    finishReason: 'stop',
    usage: null,
    error: null,
    saw: [],
    cost,
  } as const;
  for (const id of ['run-1', 'run-2']) {
    const run = newRun({ id, roomId: ops, messageId: `answer-${id}` });
    const ended = await people.core.writer.submit(finishRun(run, end, { maxBodyBytes: 1_000 }));
    assert.ok(ended.ok && ended.value.state === 'complete', 'the run ends all the same');
    assert.equal((await read(`answer-${id}`, 'mallory')).json.body, 'planted');
  }
});
