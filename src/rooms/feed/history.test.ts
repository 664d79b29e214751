import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openSse } from '../../testing/http/sse-client.ts';
import { Random } from '../../testing/random.ts';
import { EPOCH, FeedKit, positionsOf } from '../testing/feed/parts.ts';

const ROOMS = ['r1', 'r2', 'r3'];
/** All users are in it, so that every reader receives the end. */
const HALL = 'hall';
/** Always in all rooms, and always in the first. */
const STEADY: Readonly<Record<string, readonly string[]>> = { ana: ROOMS, ben: ['r1'] };
const MOVERS = ['kim', 'lea', 'max'];
const OPERATIONS = 250;

/** One reader over all its connections: each resumes after the last id of the one before. */
class Reader {
  readonly history: number[] = [];
  readonly #kit: FeedKit;
  readonly #user: string;
  readonly #random: Random;

  constructor(kit: FeedKit, user: string, random: Random) {
    this.#kit = kit;
    this.#user = user;
    this.#random = random;
  }

  async readUntil(isLast: (data: string) => boolean): Promise<void> {
    let lastEventId = `${EPOCH}-0`;
    for (;;) {
      const headers = { 'x-opsdeck-user': this.#user, 'last-event-id': lastEventId };
      const stream = await openSse(`${this.#kit.url}/api/event?ephemeral=0`, { headers });
      try {
        for (let left = this.#random.int(1, 60); left > 0; left--) {
          const event = await stream.next();
          if (!event || event.event === 'hello') continue;
          assert.notEqual(event.event, 'reset');
          this.history.push((JSON.parse(event.data) as { pos: number }).pos);
          lastEventId = event.id;
          if (isLast(event.data)) return;
        }
      } finally {
        stream.close();
      }
    }
  }
}

async function operate(kit: FeedKit, random: Random): Promise<void> {
  await random.weighted<() => Promise<void>>([
    [10, async () => void (await kit.post(random.pick([...ROOMS, HALL])))],
    [3, () => kit.postMany(random.pick(ROOMS), random.int(2, 40))],
    [2, () => kit.changeRoom(random.pick(ROOMS), { topic: `t${random.int(0, 99)}` })],
    [3, () => move(kit, random)],
    [1, async () => kit.feed.forgetLog()],
    [2, () => new Promise((resolve) => setTimeout(resolve, 1))],
  ])();
}

async function move(kit: FeedKit, random: Random): Promise<void> {
  const [user, room] = [random.pick(MOVERS), random.pick(ROOMS)];
  if (kit.state.get('member', `${room}/${user}`)) await kit.leave(room, user);
  else await kit.join(room, user);
}

interface Stay {
  readonly room: string;
  readonly from: number;
  /** `undefined`: still a member. */
  readonly to: number | undefined;
}

/** The memberships of a user, by positions. */
function staysOf(kit: FeedKit, user: string): readonly Stay[] {
  const stays: { room: string; from: number; to: number | undefined }[] = [];
  for (const { pos, type, roomId, data } of kit.log.events) {
    if (type !== 'member.joined' && type !== 'member.left') continue;
    if ((JSON.parse(data) as { member: { userId: string } }).member.userId !== user) continue;
    if (type === 'member.joined') stays.push({ room: roomId ?? '', from: pos, to: undefined });
    else for (const stay of stays) if (stay.room === roomId) stay.to ??= pos;
  }
  return stays;
}

/** The expected events of a reader after a cursor: events of current rooms, and the departures from others. */
function dueNow(kit: FeedKit, user: string, after: number): readonly number[] {
  const stays = staysOf(kit, user);
  const rooms = new Set(stays.flatMap(({ room, to }) => (to === undefined ? room : [])));
  const partings = new Set(stays.map(({ to }) => to));
  return kit.log.events
    .filter(({ pos, roomId }) => pos > after && (rooms.has(roomId ?? '') || partings.has(pos)))
    .map(({ pos }) => pos);
}

function checkMover(kit: FeedKit, user: string, history: readonly number[]): void {
  const seen = new Set(history);
  const stays = staysOf(kit, user);
  for (const { pos, roomId } of kit.log.events) {
    const ofRoom = stays.filter(({ room }) => room === roomId);
    const last = ofRoom.at(-1);
    if (last && last.to === undefined && pos >= last.from) assert.ok(seen.has(pos), `${user} lacks ${pos}`);
    if (!last || (last.to !== undefined && pos > last.to)) assert.ok(!seen.has(pos), `${user} must not see ${pos}`);
  }
}

async function checkFreshRead(t: TestContext, kit: FeedKit, user: string, after: number): Promise<void> {
  const due = dueNow(kit, user, after);
  const stream = await kit.ask(t, { as: user, query: '?ephemeral=0', lastEventId: `${EPOCH}-${after}` });
  await stream.next();
  for (let left = due.length; left > 0; left--) await stream.next();
  assert.deepEqual(positionsOf(stream), due, `${user} after ${after}`);
  stream.close();
}

for (const seed of [1, 2, 3, 4]) {
  test(`the history of a reader holds exactly the visible events, once and in order, over any reconnects (${seed})`, async (t) => {
    const random = new Random(seed);
    const kit = await new FeedKit().listens(t);
    const users = [...Object.keys(STEADY), ...MOVERS];
    for (const user of users) await kit.addUser(user);
    await kit.addRoom(HALL, users);
    for (const room of ROOMS)
      await kit.addRoom(
        room,
        Object.keys(STEADY).filter((user) => STEADY[user]?.includes(room)),
      );
    kit.log.beforeAnswer = () => new Promise((resolve) => setTimeout(resolve, random.int(0, 2)));
    const readers = users.map((user, index) => new Reader(kit, user, new Random(seed * 100 + index)));
    const reading = readers.map((reader) => reader.readUntil((data) => data.includes('"the end"')));
    for (let left = OPERATIONS; left > 0; left--) await operate(kit, random);
    await kit.post(HALL, 'the end');
    await Promise.all(reading);
    for (const [index, user] of users.entries()) {
      const history = readers[index]?.history ?? [];
      assert.deepEqual(
        history,
        [...new Set(history)].sort((a, b) => a - b),
        `${user}: once, and in order`,
      );
      if (STEADY[user]) assert.deepEqual(history, dueNow(kit, user, 0), `${user}: all of it`);
      else checkMover(kit, user, history);
      await checkFreshRead(t, kit, user, random.int(0, kit.log.events.length - 1));
    }
  });
}
