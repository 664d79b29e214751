import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { newMessage } from '../testing/store/parts.ts';
import { SearchIndex } from './sqlite/search.ts';

const BATCH_MS = 12;
const turn = () => new Promise<void>((done) => setImmediate(done));

/** A database in which each batch takes its time, and a log that grows by as much as a batch takes. */
function createIndex() {
  const clock = new FakeClock();
  let worked = 0;
  const database = new (class extends FakeDatabase {
    override writeNow(...given: Parameters<FakeDatabase['writeNow']>): Promise<void> {
      worked += BATCH_MS;
      clock.advance(BATCH_MS);
      return super.writeNow(...given);
    }
  })();
  const rows = {
    query: async () => [],
    removeTexts: () => [],
    numberOf: () => 1,
    idOf: () => 'a',
    roomCount: () => 1,
  };
  const log = createLog({ level: 'error', format: 'logfmt', clock, write: () => {} });
  const index = new SearchIndex({ rows, database, clock, log });
  let pos = 0;
  const grow = () => {
    const said = Array.from({ length: 64 }, () => {
      const message = { ...newMessage('a', { body: 'word' }), seq: ++pos };
      return { pos, room: 1, message, isNew: true };
    });
    index.follow(said, pos);
  };
  return { clock, index, grow, worked: () => worked };
}

test('while messages arrive faster than they can be indexed, the index takes a fifth of the time', async () => {
  const { clock, index, grow, worked } = createIndex();
  await index.start(0, 0);
  grow();
  clock.advance(200);
  const from = clock.now();
  while (clock.now() < from + 2_000) {
    grow();
    for (let count = 0; count < 4; count++) await turn();
    clock.advance(1);
  }
  const share = worked() / (clock.now() - from);
  assert.ok(share > 0.1 && share <= 0.21, `${share} of the time`);
  await index.close();
});

test('after the last message the index does the rest without a pause', async () => {
  const { clock, index, grow, worked } = createIndex();
  await index.start(0, 0);
  for (let count = 0; count < 160; count++) grow();
  const from = clock.now();
  clock.advance(200);
  for (let count = 0; count < 2_000; count++) await turn();
  assert.ok(worked() > 10 * BATCH_MS);
  assert.equal(clock.now() - from, 200 + worked());
  await index.close();
});
