import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRooms } from '../testing/app.ts';

/** A sequence of numbers below 1 that is the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

test('after any writes, changes, deletions and reads the unread count equals a count from the start', async (t) => {
  const { send, core } = await openTestRooms(t);
  const random = randomFrom(11);
  await send('POST', '/api/room', { as: 'ana', body: { name: 'Ops', members: ['ben'] } });
  const roomId = core.state.get('slug', 'ops')?.roomId ?? '';
  for (let step = 1; step <= 150; step++) {
    const kind = random();
    const other = `message-${1 + Math.floor(random() * step)}`;
    if (kind < 0.6) {
      const body = { id: `message-${step}`, body: random() < 0.3 ? 'to @ben' : 'x', silent: random() < 0.2 };
      await send('POST', '/api/room/ops/message', { as: random() < 0.7 ? 'ana' : 'ben', body });
    } else if (kind < 0.75) await send('PUT', `/api/message/${other}`, { as: 'ana', body: { body: 'now @ben' } });
    else if (kind < 0.85) await send('DELETE', `/api/message/${other}`, { as: 'ana' });
    else if (kind < 0.9) {
      const seq = Math.floor(random() * (core.state.head(roomId).lastSeq + 1));
      await send('PUT', '/api/room/ops/read', { as: 'ben', body: { seq } });
    }
    const me = (await send('GET', '/api/room/ops/me', { as: 'ben' })).json;
    const counted = await core.store.unread({ roomId, userId: 'ben', afterSeq: me.lastReadSeq, limit: 1000 });
    assert.deepEqual([me.unread, me.unreadMentions], [counted.unread, counted.mentions], `step ${step}`);
  }
});
