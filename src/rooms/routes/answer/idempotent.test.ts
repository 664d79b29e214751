import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { AnswerStore } from '../../idempotent-answers.ts';
import { openTestRooms, type RequestParts } from '../../testing/app.ts';

const ana = (key: string, body: object = { id: 'kim', name: 'Kim' }): RequestParts => ({
  as: 'ana',
  headers: { 'idempotency-key': key },
  body,
});

describe('a POST with an Idempotency-Key', () => {
  test('is done once, and answered the same again', async (t) => {
    const rooms = await openTestRooms(t);
    const first = await rooms.send('POST', '/api/user', ana('k-1'));
    const again = await rooms.send('POST', '/api/user', ana('k-1'));
    assert.deepEqual([first.status, again.status], [201, 201]);
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get('location'), '/api/user/kim');
    assert.equal(again.headers.get('idempotent-replay'), 'true');
    assert.equal(first.headers.get('idempotent-replay'), null);
  });

  test('is answered the same after a restart, and done anew after a day', async (t) => {
    const clock = new FakeClock();
    const rooms = await openTestRooms(t, { clock });
    const first = await rooms.send('POST', '/api/user', ana('k-1'));
    const restarted = await rooms.restart();
    assert.equal((await restarted.send('POST', '/api/user', ana('k-1'))).text, first.text);
    clock.advance(24 * 3_600_000 + 1);
    assert.equal((await restarted.send('POST', '/api/user', ana('k-1'))).status, 409);
    await restarted.core.writer.submit({ decide: () => ({ ok: true, write: null, answer: () => null }) });
    assert.equal(restarted.core.state.all('answer').size, 0);
  });

  test('with another payload is refused', async (t) => {
    const rooms = await openTestRooms(t);
    await rooms.send('POST', '/api/user', ana('k-1'));
    const other = await rooms.send('POST', '/api/user', ana('k-1', { id: 'ben' }));
    assert.equal(other.status, 422);
    assert.equal(other.headers.get('x-error-code'), 'key_reused');
  });

  test('is another one for another caller', async (t) => {
    const rooms = await openTestRooms(t);
    await rooms.send('POST', '/api/user', ana('k-1'));
    const ben = await rooms.send('POST', '/api/user', { ...ana('k-1', { id: 'lee' }), as: 'ben' });
    assert.equal(ben.status, 201);
  });

  test('a refused request may be repeated', async (t) => {
    const rooms = await openTestRooms(t);
    assert.equal((await rooms.send('POST', '/api/user', ana('k-1', { id: 'Bad' }))).status, 400);
    assert.equal((await rooms.send('POST', '/api/user', ana('k-1'))).status, 201);
  });

  test('that is under way is not begun again', async (t) => {
    const rooms = await openTestRooms(t);
    await rooms.send('GET', '/api/me', { as: 'ana' });
    const answers = await Promise.all(Array.from({ length: 10 }, () => rooms.send('POST', '/api/user', ana('k-1'))));
    const codes = answers.map(({ status, headers }) => (status === 201 ? 'done' : headers.get('x-error-code'))).sort();
    assert.deepEqual(codes, ['done', ...Array.from({ length: 9 }, () => 'request_in_progress')]);
  });

  test('a request with an unknown end is not done twice', async (t) => {
    const rooms = await openTestRooms(t);
    await rooms.send('GET', '/api/me', { as: 'ana' });
    const { state, writer } = rooms.core;
    const user = state.get('user', 'ana');
    assert.ok(user);
    const caller = {
      kind: 'user' as const,
      user,
      isAdmin: true,
      scopes: new Set<never>(),
      roomIds: null,
      tokenId: null,
      expiresAt: null,
    };
    const answers = new AnswerStore(state, writer, new FakeClock());
    assert.ok((await answers.enter(caller, 'cut', 'hash')).ok);
    answers.close();
    const next = new AnswerStore(state, writer, new FakeClock());
    const again = await next.enter(caller, 'cut', 'hash');
    assert.equal(again.ok ? '' : again.code, 'request_in_progress');
    assert.match(again.ok ? '' : again.reason, /was stopped/);
    next.close();
  });

  test('an answer with a secret is repeated from memory alone', async (t) => {
    const rooms = await openTestRooms(t);
    const asked = { headers: { 'idempotency-key': 'k-1' }, body: { name: 'ci' } };
    const first = await rooms.send('POST', '/api/token', asked);
    assert.match(first.json.secret, /^odr_/);
    assert.equal((await rooms.send('POST', '/api/token', asked)).text, first.text);
    assert.ok(!JSON.stringify([...rooms.core.state.all('answer')]).includes(first.json.secret));
    const again = await (await rooms.restart()).send('POST', '/api/token', asked);
    assert.equal(again.status, 409);
    assert.match(again.json, /held a secret/);
  });

  test('needs a printable key', async (t) => {
    const rooms = await openTestRooms(t);
    for (const key of ['', 'x'.repeat(256), 'ä'])
      assert.equal((await rooms.send('POST', '/api/user', ana(key))).status, 400, key.slice(0, 9));
  });
});
