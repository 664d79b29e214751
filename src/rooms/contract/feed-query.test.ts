import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cursor, readFeedQuery, readLogQuery, refuseSecrets } from './feed-query.ts';

const ask = (query: Readonly<Record<string, string>>, lastEventId?: string) =>
  readFeedQuery((name) => query[name], lastEventId);

test('a cursor is an event id, or 0; anything else is refused', () => {
  const cases: [string, Cursor | string][] = [
    ['0', { epoch: null, pos: 0 }],
    ['k3f9-0', { epoch: 'k3f9', pos: 0 }],
    ['k3f9-104234', { epoch: 'k3f9', pos: 104_234 }],
    ['k3f9-999999999999999', { epoch: 'k3f9', pos: 999_999_999_999_999 }],
    ['', 'invalid_cursor'],
    ['1', 'invalid_cursor'],
    ['-1', 'invalid_cursor'],
    ['k3f9', 'invalid_cursor'],
    ['k3f9-', 'invalid_cursor'],
    ['k3f9--1', 'invalid_cursor'],
    ['K3F9-1', 'invalid_cursor'],
    ['k3f9-1.5', 'invalid_cursor'],
    ['k3f9-1e3', 'invalid_cursor'],
    ['k3f9-1 ', 'invalid_cursor'],
    ['k3f9-1\n', 'invalid_cursor'],
    ['k3f9-1000000000000000', 'invalid_cursor'],
    ['٣-٣', 'invalid_cursor'],
  ];
  for (const [since, expected] of cases) {
    const query = ask({ since });
    assert.deepEqual(query.ok ? query.value.cursor : query.code, expected, JSON.stringify(since));
  }
});

test('without a cursor there is none; Last-Event-ID overrides since, and an empty one does not', () => {
  const cursorOf = (since: string | undefined, lastEventId: string | undefined) => {
    const query = ask(since === undefined ? {} : { since }, lastEventId);
    return query.ok ? query.value.cursor?.pos : query.code;
  };
  assert.equal(cursorOf(undefined, undefined), undefined);
  assert.equal(cursorOf('k3f9-1', 'k3f9-2'), 2);
  assert.equal(cursorOf('k3f9-1', ''), 1);
  assert.equal(cursorOf('k3f9-1', 'x'), 'invalid_cursor');
});

test('rooms and types are lists, and an empty list means everything', () => {
  const query = ask({ rooms: 'a, b,,a', types: 'typing,message.created' });
  assert.ok(query.ok);
  assert.deepEqual(query.value.rooms, ['a', 'b']);
  assert.deepEqual([...(query.value.types ?? [])], ['typing', 'message.created']);
  const empty = ask({ rooms: ',', types: '' });
  assert.ok(empty.ok);
  assert.deepEqual([empty.value.rooms, empty.value.types, empty.value.ephemeral], [null, null, true]);
  const many = ask({ rooms: Array.from({ length: 101 }, (_, index) => `r${index}`).join() });
  assert.equal(many.ok, false);
});

test('the log takes a limit and a time to wait, within bounds', () => {
  const query = readLogQuery((name) => ({ limit: '1000', wait: '60' })[name], undefined);
  assert.ok(query.ok);
  assert.deepEqual([query.value.limit, query.value.waitMs], [1000, 60_000]);
  const plain = readLogQuery(() => undefined, undefined);
  assert.ok(plain.ok);
  assert.deepEqual([plain.value.limit, plain.value.waitMs], [100, 25_000]);
});

test('a probable token in a URL is refused, without repeating it', () => {
  for (const name of ['token', 'access_token', 'accessToken', 'api_key', 'apikey', 'Authorization', 'auth']) {
    const refusal = refuseSecrets({ [name]: 'secret-value' });
    assert.ok(refusal?.reason.startsWith(`${name}: `), name);
    assert.ok(!refusal?.reason.includes('secret-value'));
  }
  assert.ok(refuseSecrets({ rooms: 'odr_abc' }));
  assert.equal(refuseSecrets({ ticket: 'x', since: '0', rooms: 'token' }), undefined);
});
