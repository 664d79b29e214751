import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { strictLog } from '../testing/nodes.ts';
import { openRoomDatabase } from '../testing/store/postgres-room-store.ts';
import { SharedSignals, type Signal } from './signals.ts';

interface Node {
  readonly signals: SharedSignals;
  /** It polls only when this moves. */
  readonly clock: FakeClock;
  readonly heard: Signal[];
  readonly log: { version: number; refreshes: number };
}

/** Listens when this resolves. */
async function openNode(t: TestContext, postgres: Postgres): Promise<Node> {
  const clock = new FakeClock();
  const signals = new SharedSignals({ postgres, incarnation: randomUUID(), clock, log: strictLog });
  const heard: Signal[] = [];
  signals.listen((signal) => void heard.push(signal));
  const log = {
    version: 0,
    refreshes: 0,
    async refresh() {
      log.refreshes++;
    },
    reach: () => log.refresh(),
  };
  t.after(() => signals.close());
  signals.start(log);
  await eventually('it listens', () => log.refreshes > 0);
  return { signals, clock, heard, log };
}

const eventOf = (data: string): Signal => ({ type: 'event', event: { type: 'typing', roomId: 'room', data } });

test('signals of nodes', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openRoomDatabase(t);
  const [a, b] = [await openNode(t, postgres), await openNode(t, postgres)];

  await t.test('a node that starts greets the others', async () => {
    await eventually('the greeting', () => a.heard.some(({ type }) => type === 'hello'));
  });

  await t.test('a signal is heard by the other nodes, in order, unless it is too long', async () => {
    a.heard.length = 0;
    const words = ['ä\u0000\ud800\n"', 'x'.repeat(8_000), 'last'];
    for (const data of words) b.signals.send(eventOf(data));
    await eventually('the last', () => a.heard.length === 2);
    assert.deepEqual(a.heard, [eventOf(words[0] ?? ''), eventOf('last')]);
    assert.deepEqual(
      b.heard.filter(({ type }) => type === 'event'),
      [],
    );
  });

  await t.test('a commit wakes the nodes that do not know it; many in a row are one notification', async () => {
    const before = [a.log.refreshes, b.log.refreshes];
    b.log.version = 7;
    b.signals.announce();
    await eventually('a is woken', () => a.log.refreshes > (before[0] ?? 0));
    a.log.version = 7;
    const woken = a.log.refreshes;
    for (b.log.version = 8; b.log.version < 20; b.log.version++) b.signals.announce();
    b.clock.advance(5);
    b.signals.send(eventOf('after them'));
    await eventually('all is heard', () => JSON.stringify(a.heard).includes('after them'));
    assert.deepEqual([a.log.refreshes - woken, b.log.refreshes], [1, before[1]]);
  });

  await t.test('without notifications a node polls each second', async () => {
    const before = a.log.refreshes;
    a.clock.advance(3_000);
    assert.equal(a.log.refreshes - before, 3);
  });
});
