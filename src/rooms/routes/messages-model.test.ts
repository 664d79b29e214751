import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { openTestRooms, type RoomsAnswer, type TestRooms } from '../testing/app.ts';

const PEOPLE = ['ana', 'ben', 'kim'];
const EMOJI = ['👀', '✅', ':x:'];

interface Model {
  readonly id: string;
  readonly author: string;
  body: string;
  deleted: boolean;
  pinned: boolean;
  replies: number;
  readonly root: string | null;
  /** The reactions, as `<emoji> <user>`. */
  readonly reacted: Set<string>;
}

/** Actions of people, on the server and in a model of the rules alone. */
class Script {
  readonly #rooms: TestRooms;
  readonly #random: Random;
  readonly messages: Model[] = [];

  constructor(rooms: TestRooms, random: Random) {
    this.#rooms = rooms;
    this.#random = random;
  }

  async step(n: number): Promise<void> {
    const random = this.#random;
    if (this.messages.length < 3) return this.#post(n, null);
    const message = random.pick(this.messages);
    await random.weighted<() => Promise<void>>([
      [6, () => this.#post(n, null)],
      [4, () => this.#post(n, message.root === null ? message : null)],
      [4, () => this.#edit(message, `edited ${random.int(1, 3)}`)],
      [2, () => this.#remove(message)],
      [6, () => this.#react(message, random.pick(PEOPLE), random.pick(EMOJI), random.chance(0.6))],
      [3, () => this.#pin(message, random.chance(0.6))],
    ])();
  }

  async #post(n: number, root: Model | null): Promise<void> {
    const author = this.#random.pick(PEOPLE);
    const id = `message-${n}`;
    const body = { id, body: `body ${n}`, threadId: root?.id ?? null };
    const answer = await this.#rooms.send('POST', '/api/room/ops/message', { as: author, body });
    assert.equal(answer.status, 201, answer.text);
    if (root) root.replies += 1;
    const fresh = { id, author, body: body.body, deleted: false, pinned: false, replies: 0, root: root?.id ?? null };
    this.messages.push({ ...fresh, reacted: new Set() });
  }

  async #edit(message: Model, body: string): Promise<void> {
    const by = this.#random.pick(PEOPLE);
    const answer = await this.#rooms.send('PUT', `/api/message/${message.id}`, { as: by, body: { body } });
    const expected = by !== message.author ? 403 : message.deleted ? 409 : 200;
    assert.equal(answer.status, expected, answer.text);
    if (expected === 200) message.body = body;
  }

  async #remove(message: Model): Promise<void> {
    const answer = await this.#rooms.send('DELETE', `/api/message/${message.id}`, { as: message.author });
    assert.equal(answer.status, 200);
    if (message.deleted) return;
    Object.assign(message, { deleted: true, body: '', pinned: false });
    message.reacted.clear();
    const root = this.messages.find(({ id }) => id === message.root);
    if (root) root.replies -= 1;
  }

  async #react(message: Model, by: string, emoji: string, reacts: boolean): Promise<void> {
    const path = `/api/message/${message.id}/reaction/${encodeURIComponent(emoji)}`;
    const answer = await this.#rooms.send(reacts ? 'PUT' : 'DELETE', path, { as: by });
    assert.equal(answer.status, message.deleted ? 409 : 200, answer.text);
    if (message.deleted) return;
    if (reacts) message.reacted.add(`${emoji} ${by}`);
    else message.reacted.delete(`${emoji} ${by}`);
  }

  async #pin(message: Model, pinned: boolean): Promise<void> {
    const method = pinned ? 'PUT' : 'DELETE';
    const answer = await this.#rooms.send(method, `/api/message/${message.id}/pin`, { as: 'ana' });
    assert.equal(answer.status, message.deleted ? 409 : 200, answer.text);
    if (!message.deleted) message.pinned = pinned;
  }
}

interface Reaction {
  readonly emoji: string;
  readonly count: number;
  readonly userIds: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: a message of the wire
type Wire = any;

function modelOf(wire: Wire): Omit<Model, 'reacted'> & { readonly reacted: readonly string[] } {
  const { id, author, body, deleted, pinned, thread, threadId, reactions } = wire;
  for (const { count, userIds } of reactions as Reaction[]) assert.equal(count, userIds.length);
  const reacted = (reactions as Reaction[]).flatMap(({ emoji, userIds }) => userIds.map((user) => `${emoji} ${user}`));
  return {
    id,
    author: author.id,
    body,
    deleted,
    pinned,
    replies: thread?.replies ?? 0,
    root: threadId,
    reacted: reacted.sort(),
  };
}

const readPage = async (rooms: TestRooms): Promise<Wire[]> =>
  (await rooms.send('GET', '/api/room/ops/message?limit=200&after=0', { as: 'nobody' })).json.messages;

/** Applies the log as a client does: an event counts if its message is newer than the known one. */
function replay(log: RoomsAnswer): Wire[] {
  const held = new Map<string, Wire>();
  for (const { data } of log.json.events) {
    const { message } = data;
    if (message && message.version > (held.get(message.id)?.version ?? 0)) held.set(message.id, message);
  }
  return [...held.values()].sort((a, b) => a.seq - b.seq);
}

const withoutMe = (message: Wire): Wire => ({
  ...message,
  reactions: message.reactions.map(({ me: _, ...reaction }: { me?: boolean }) => reaction),
});

for (const seed of [1, 2, 3]) {
  test(`after any actions, pages, the log and a restart agree (${seed})`, async (t) => {
    const rooms = await openTestRooms(t);
    await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops' } });
    const script = new Script(rooms, new Random(seed));
    for (let n = 0; n < 200; n++) await script.step(n);
    const expected = script.messages.map((message) => ({ ...message, reacted: [...message.reacted].sort() }));
    const page = await readPage(rooms);
    assert.deepEqual(page.map(modelOf), expected);
    assert.deepEqual(
      page.map(({ seq }) => seq),
      page.map((_, index) => index + 1),
    );
    const room = (await rooms.send('GET', '/api/room/ops', { as: 'ana' })).json;
    assert.deepEqual(
      [...room.pinned].sort(),
      expected
        .filter(({ pinned }) => pinned)
        .map(({ id }) => id)
        .sort(),
    );
    const log = await rooms.send('GET', '/api/event/log?since=0&wait=0&limit=1000', { as: 'ana' });
    assert.deepEqual(replay(log), page.map(withoutMe));
    assert.deepEqual(await readPage(await rooms.restart()), page);
  });
}
