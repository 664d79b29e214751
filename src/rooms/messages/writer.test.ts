import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Cleanup } from '../../testing/processes.ts';
import type { Caller } from '../domain/caller.ts';
import type { Message } from '../domain/message/message.ts';
import type { RewriteTarget } from '../domain/message/rewrite.ts';
import { SCOPES } from '../domain/token/token.ts';
import { makeUser } from '../domain/user/new-user.ts';
import type { UserKind } from '../domain/user/user.ts';
import { FolderContents } from '../files/contents/folder.ts';
import { FileStore } from '../files/file-store.ts';
import { openTestRooms, type TestRooms } from '../testing/app.ts';
import type { Post, Posted } from './messages.ts';
import { MessageWriter } from './writer.ts';

const RULES = { maxBodyBytes: 1_000, joinOnPost: false, editWindowMs: null, keepEditHistory: true };

function callerOf(id: string, kind: UserKind): Caller {
  const user = { ...makeUser(id, 0), kind };
  return { kind: 'user', user, isAdmin: true, scopes: new Set(SCOPES), roomIds: null, tokenId: null, expiresAt: null };
}

async function open(t: Cleanup): Promise<{
  rooms: TestRooms;
  messages: MessageWriter;
  post: (caller: Caller, post: Partial<Post>) => Promise<Posted>;
}> {
  const rooms = await openTestRooms(t);
  await rooms.send('POST', '/api/room', { as: 'ana', body: { name: 'ops', copilot: { provider: 'echo' } } });
  const { state, store, writer, newId } = rooms.core;
  const files = new FileStore({ contents: new FolderContents(rooms.folder), state, store, writer, newId, maxBytes: 1 });
  const messages = new MessageWriter({ state, store, writer, files, rules: RULES });
  const post = async (caller: Caller, fields: Partial<Post>) => {
    const posted = await messages.post(caller, { room: 'ops', body: 'x', ...fields });
    assert.ok(posted.ok, JSON.stringify(posted));
    return posted.value;
  };
  return { rooms, messages, post };
}

const targetOf = ({ id, roomId, type, author }: Message): RewriteTarget => ({ id, roomId, type, authorId: author.id });

const types = async ({ core }: TestRooms): Promise<string[]> =>
  (await core.store.readEvents({ after: 0, upTo: core.writer.pos, limit: 100 })).map(({ type }) => type);

test('a copilot’s message has its place before its words, and mentions no one', async (t) => {
  const { rooms, messages, post } = await open(t);
  const copilot = callerOf('copilot', 'copilot');
  const { stored } = await post(copilot, { body: '', status: 'streaming' });
  assert.deepEqual([stored.message.seq, stored.message.body, stored.message.status], [1, '', 'streaming']);
  const done = await messages.rewrite(targetOf(stored.message), { body: 'ask @ana and @all', status: 'complete' });
  assert.ok(done.ok);
  const { message, json } = done.value;
  assert.deepEqual(
    [message.body, message.status, message.version, message.edited],
    ['ask @ana and @all', 'complete', 2, null],
  );
  assert.deepEqual(message.mentions, { users: [], room: false, copilot: false });
  assert.deepEqual(JSON.parse(json), (await rooms.send('GET', `/api/message/${message.id}`, { as: 'ana' })).json);
  assert.deepEqual((await post(copilot, { body: '@ana' })).stored.message.mentions.users, []);
  assert.deepEqual(await rooms.core.store.edits(message.id), []);
});

test('an equal rewrite changes nothing, a rewrite of an alert is announced as such', async (t) => {
  const { rooms, messages, post } = await open(t);
  const { stored } = await post(callerOf('bridge', 'bridge'), { type: 'alert', card: { firing: 3 } });
  const target = targetOf(stored.message);
  const { pos } = rooms.core.writer;
  const same = await messages.rewrite(target, { card: { firing: 3 }, isAlert: true });
  assert.ok(same.ok && same.value.message.version === 1);
  assert.equal(rooms.core.writer.pos, pos);
  const other = await messages.rewrite(target, { card: { firing: 2 }, isAlert: true });
  assert.ok(other.ok && other.value.message.version === 2);
  assert.deepEqual((await types(rooms)).slice(-2), ['message.created', 'alert.updated']);
});

test('a deleted or unknown message is not rewritten, and words over the limit are not kept', async (t) => {
  const { messages, post } = await open(t);
  const bot = callerOf('bot', 'bot');
  const { stored } = await post(bot, {});
  const target = targetOf(stored.message);
  const { id } = target;
  const refusals = [
    await messages.rewrite({ ...target, id: 'no-such-message' }, { body: 'y' }),
    await messages.rewrite(target, { body: 'y'.repeat(1_001) }),
  ];
  await messages.remove(bot, id, {});
  refusals.push(await messages.rewrite(target, { body: 'y' }));
  assert.deepEqual(
    refusals.map((outcome) => !outcome.ok && outcome.code),
    ['message_not_found', 'too_large', 'deleted'],
  );
});

test('a part of the server posts any type in any name', async (t) => {
  const { messages, post } = await open(t);
  const ana: Caller = { ...callerOf('ana', 'human'), isAdmin: false };
  const system = { room: 'ops', body: 'x', type: 'system' } as const;
  const refused = await messages.post(ana, system);
  assert.ok(!refused.ok && refused.code === 'forbidden');
  const { stored } = await post(ana, { ...system, byServer: true, card: { a: 1 }, body: '' });
  assert.deepEqual([stored.message.type, stored.message.card, stored.message.author.id], ['system', { a: 1 }, 'ana']);
});

test('a message that is deleted while it is written is cancelled', async (t) => {
  const { messages, post } = await open(t);
  const copilot = callerOf('copilot', 'copilot');
  const { stored } = await post(copilot, { body: 'so far', status: 'streaming' });
  const removed = await messages.remove(copilot, stored.message.id, {});
  assert.ok(removed.ok);
  assert.deepEqual([removed.value.message.status, removed.value.message.body], ['cancelled', '']);
});

test('the copilot of a room is called by its handle, unless it is off', async (t) => {
  const { rooms, post } = await open(t);
  const ana = callerOf('ana', 'human');
  assert.equal((await post(ana, { body: '@copilot why?' })).stored.message.mentions.copilot, true);
  await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { copilot: { provider: 'echo', name: 'Night Watch' } } });
  assert.equal((await post(ana, { body: '@copilot why?' })).stored.message.mentions.copilot, false);
  assert.equal((await post(ana, { body: '@night-watch why?' })).stored.message.mentions.copilot, true);
  await rooms.send('PUT', '/api/room/ops', { as: 'ana', body: { copilot: { provider: 'echo', enabled: false } } });
  assert.equal((await post(ana, { body: '@copilot why?' })).stored.message.mentions.copilot, false);
});

test('a message is rewritten only if it is the intended one of its id', async (t) => {
  const { messages, post } = await open(t);
  const { stored } = await post(callerOf('bot', 'bot'), {});
  const target = targetOf(stored.message);
  for (const other of [{ roomId: 'another' }, { type: 'alert' }, { authorId: 'ana' }] as const) {
    const rewritten = await messages.rewrite({ ...target, ...other }, { body: 'y' });
    assert.ok(!rewritten.ok && rewritten.code === 'message_not_found', JSON.stringify(other));
  }
  assert.ok((await messages.rewrite(target, { body: 'y' })).ok);
});
