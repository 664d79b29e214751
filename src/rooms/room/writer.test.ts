import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { Change, ChangeView, Write } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import type { Member } from '../domain/member/member.ts';
import { memberKey } from '../domain/member/member.ts';
import type { StoredMessage } from '../domain/message/message.ts';
import { record } from '../domain/record.ts';
import { type Outcome, refuse } from '../domain/refusal.ts';
import type { Room } from '../domain/room/room.ts';
import {
  BehindError,
  type Commit,
  FencedError,
  type PreparedWrite,
  type RoomStore,
  recordsOf,
  StatementError,
  StorageFullError,
} from '../store/store.ts';
import { newMessage, newRun, START } from '../testing/store/parts.ts';
import { RoomState } from './state.ts';
import { RoomWriter } from './writer.ts';

/** A store that only records its calls, and answers a commit when released. */
class FakeStore {
  readonly commits: (readonly PreparedWrite[])[] = [];
  readonly reads: string[] = [];
  readonly known: StoredMessage[] = [];
  failure: Error | undefined;
  held: Promise<void> = Promise.resolve();
  #pos = 0;
  readonly #seqs = new Map<string, number>();
  version = 0;
  notify: (commit: Commit) => void = () => {};

  follow(follower: (commit: Commit) => void): void {
    this.notify = follower;
  }

  async append(writes: readonly PreparedWrite[]): Promise<readonly (readonly Committed[])[]> {
    this.commits.push(writes);
    await this.held;
    if (this.failure) throw this.failure;
    const committed = writes.map(({ events }) =>
      events.map(({ draft }) => {
        const pos = ++this.#pos;
        if (draft.type !== 'message.created') return { pos, event: draft, data: '' };
        const seq = (this.#seqs.get(draft.roomId) ?? 0) + 1;
        this.#seqs.set(draft.roomId, seq);
        return { pos, event: { ...draft, message: { ...draft.message, seq } }, data: '' };
      }),
    );
    this.notify({ isOwn: true, events: committed.flat(), records: recordsOf(writes) });
    return committed;
  }

  async checkRoom(): Promise<void> {
    if (this.failure) throw this.failure;
  }

  async messages(ids: readonly string[]): Promise<readonly StoredMessage[]> {
    this.reads.push(`messages ${ids}`);
    return this.known.filter(({ message }) => ids.includes(message.id));
  }

  async forgotten(ids: readonly string[]): Promise<readonly string[]> {
    this.reads.push(`forgotten ${ids}`);
    return ids.filter((id) => id.startsWith('gone'));
  }

  async reacted(): Promise<readonly never[]> {
    return [];
  }
}

function openWriter({ readOnly = false } = {}) {
  const store = new FakeStore();
  const state = new RoomState([], new Map());
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const clock = new FakeClock(START);
  const log = createLog({ level: 'info', format: 'logfmt', clock, write });
  const failures: unknown[] = [];
  let ids = 0;
  const writer = new RoomWriter(
    {
      state,
      store: store as unknown as RoomStore,
      clock,
      log,
      newId: () => `new-${++ids}`,
      readOnly,
      failed: (error) => void failures.push(error),
    },
    0,
  );
  return { store, state, writer, clock, failures, logged: () => logged };
}

/** Lets the event loop turn, so that pending work is done. */
const turn = () => new Promise<void>((done) => setImmediate(() => setImmediate(done)));

const change = <T>(decide: (view: ChangeView) => T | Write): Change<T> => ({
  decide(view) {
    const result = decide(view);
    if (result !== null && typeof result === 'object')
      return { ok: true, write: result as Write, answer: () => result as T };
    return { ok: true, write: null, answer: () => result as T };
  },
});

const posting = (body: string, roomId = 'a'): Change<string> => ({
  decide: () => {
    const message = newMessage(roomId, { body });
    return {
      ok: true,
      write: { events: [{ type: 'message.created', roomId, message, contentHash: '' }] },
      answer: (committed) => committed.map(({ pos }) => `${body} at ${pos}`).join(),
    };
  },
});

const outcomeOf = <T>(outcome: Outcome<T>): T | string => (outcome.ok ? outcome.value : outcome.code);

test('changes of one turn are one commit, changes made meanwhile the next', async () => {
  const { store, writer } = openWriter();
  let release = () => {};
  store.held = new Promise((done) => {
    release = done;
  });
  const first = ['a', 'b', 'c'].map((body) => writer.submit(posting(body)));
  await turn();
  const second = ['d', 'e'].map((body) => writer.submit(posting(body)));
  await turn();
  assert.deepEqual(
    store.commits.map(({ length }) => length),
    [3],
  );
  release();
  const outcomes = await Promise.all([...first, ...second]);
  assert.deepEqual(outcomes.map(outcomeOf), ['a at 1', 'b at 2', 'c at 3', 'd at 4', 'e at 5']);
  assert.deepEqual(
    store.commits.map(({ length }) => length),
    [3, 2],
  );
  assert.equal(writer.pos, 5);
});

test('a commit takes at most 500 changes, in their order', async () => {
  const { store, writer } = openWriter();
  const outcomes = await Promise.all(Array.from({ length: 1201 }, (_, index) => writer.submit(posting(`${index}`))));
  assert.deepEqual(
    store.commits.map(({ length }) => length),
    [500, 500, 201],
  );
  assert.deepEqual(
    outcomes.map(outcomeOf),
    Array.from({ length: 1201 }, (_, index) => `${index} at ${index + 1}`),
  );
});

test('a commit ends with the change by which its texts reach a million characters', async () => {
  const { store, writer } = openWriter();
  const bodies = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(400_000));
  const outcomes = await Promise.all(
    [...bodies, 'f'.repeat(2_000_000), 'g'].map((body) => writer.submit(posting(body))),
  );
  assert.deepEqual(
    store.commits.map(({ length }) => length),
    [3, 3, 1],
  );
  assert.deepEqual(
    outcomes.map((outcome) => outcomeOf(outcome).replace(/(.)\1+/, '$1')),
    ['a at 1', 'b at 2', 'c at 3', 'd at 4', 'e at 5', 'f at 6', 'g at 7'],
  );
});

test('nothing is announced before the commit is done, and listeners are called before answers', async () => {
  const { store, state, writer } = openWriter();
  const calls: string[] = [];
  let release = () => {};
  store.held = new Promise((done) => {
    release = done;
  });
  const note = (name: string) => () => void calls.push(`${name} with ${state.head('a').lastSeq} at ${writer.pos}`);
  writer.onCommit(note('first'));
  writer.onCommit(note('second'));
  const done = writer.submit(posting('x')).then(note('answer'));
  await turn();
  assert.deepEqual(calls, []);
  assert.deepEqual([state.head('a').lastSeq, writer.pos], [0, 0]);
  release();
  await done;
  assert.deepEqual(calls, ['first with 1 at 1', 'second with 1 at 1', 'answer with 1 at 1']);
});

test('a decision sees earlier decisions of the same commit', async () => {
  const { store, state, writer } = openWriter();
  const room = { id: 'a', slug: 'ops' } as Room;
  const member = (userId: string) => ({ roomId: 'a', userId }) as Member;
  const seen: unknown[] = [];
  const look = (view: ChangeView) =>
    seen.push([
      view.get('room', 'a')?.slug,
      [...view.membersOf('a')].map(({ userId }) => userId),
      view.memberCount('a'),
      [...view.roomIdsOf('ana')],
      view.nextSeq('a'),
      view.message('client-id')?.message.body,
    ]);
  const looking = (write: Write) =>
    change((view) => {
      look(view);
      return write;
    });
  const message = newMessage('a', { id: 'client-id', body: 'hello' });
  const all = [
    looking({ records: [record('room', 'a', room)] }),
    change(() => ({ records: ['ana', 'ben'].map((id) => record('member', memberKey('a', id), member(id))) })),
    looking({ records: [record('member', memberKey('a', 'ben'), null)] }),
    change(() => ({ events: [{ type: 'message.created', roomId: 'a', message, contentHash: 'hash' }] })),
    looking({}),
  ];
  await Promise.all(all.map((one) => writer.submit({ ...one, messages: ['client-id'] })));
  assert.equal(store.commits.length, 1);
  assert.deepEqual(seen, [
    [undefined, [], 0, [], 1, undefined],
    ['ops', ['ana', 'ben'], 2, ['a'], 1, undefined],
    ['ops', ['ana'], 1, ['a'], 2, 'hello'],
  ]);
  assert.deepEqual(
    [...state.membersOf('a')].map(({ userId }) => userId),
    ['ana'],
  );
  assert.deepEqual([state.memberCount('a'), state.get('room', 'a')?.slug], [1, 'ops']);
});

test('a commit reads each value needed by its decisions once', async () => {
  const { store, writer } = openWriter();
  const asking = (messages: readonly string[], seen: boolean[]): Change<null> => ({
    messages,
    decide: (view) => {
      seen.push(...messages.map((id) => view.isForgotten(id)));
      return { ok: true, write: null, answer: () => null };
    },
  });
  const seen: boolean[] = [];
  await Promise.all([writer.submit(asking(['one', 'gone-1'], seen)), writer.submit(asking(['one'], seen))]);
  assert.deepEqual(store.reads, ['messages one,gone-1', 'forgotten one,gone-1']);
  assert.deepEqual(seen, [false, true, false]);
  assert.equal(store.commits.length, 0, 'nothing was to be written');
});

test('a refused change and a throwing one leave the others of their commit alone', async () => {
  const { store, writer } = openWriter();
  const broken: Change<string> = {
    decide() {
      throw new Error('a decision that is wrong');
    },
  };
  const refused: Change<string> = { decide: () => refuse('archived', 'it is archived') };
  const badAnswer: Change<string> = {
    decide: () => ({
      ok: true,
      write: { records: [record('setting', 'x', { value: 'y' })] },
      answer() {
        throw new Error('an answer that is wrong');
      },
    }),
  };
  const outcomes = await Promise.allSettled(
    [posting('x'), broken, refused, badAnswer, posting('y')].map((one) => writer.submit(one)),
  );
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcomeOf(outcome.value) : outcome.reason.message)),
    ['x at 1', 'a decision that is wrong', 'archived', 'an answer that is wrong', 'y at 2'],
  );
  assert.deepEqual(
    store.commits.map(({ length }) => length),
    [3],
  );
});

test('a change with an unprintable event is not written, and shows to no other decision', async () => {
  const { store, state, writer } = openWriter();
  const broken = change(() => ({
    records: [record('setting', 'x', { value: 'y' })],
    events: [{ type: 'run.started' as const, roomId: 'a', run: newRun({ queuedAt: Number.NaN }) }],
  }));
  const seen: unknown[] = [];
  const looking = change((view) => {
    seen.push(view.get('setting', 'x'));
    return 'looked';
  });
  const outcomes = await Promise.allSettled(
    [posting('before'), broken, looking, posting('after')].map((one) => writer.submit<unknown>(one)),
  );
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcomeOf(outcome.value) : outcome.reason.name)),
    ['before at 1', 'RangeError', 'looked', 'after at 2'],
  );
  assert.deepEqual([seen, state.get('setting', 'x'), store.commits.length], [[undefined], undefined, 2]);
});

test('a full disk refuses the whole commit, and the next one may go through', async () => {
  const { store, state, writer, failures } = openWriter();
  const reading = change(() => 7);
  store.failure = new StorageFullError('no room');
  const outcomes = await Promise.all([posting('x'), reading, posting('y')].map((one) => writer.submit<unknown>(one)));
  assert.deepEqual(outcomes.map(outcomeOf), ['storage_full', 'storage_full', 'storage_full']);
  assert.equal(writer.trouble?.code, 'storage_full');
  assert.equal(state.head('a').lastSeq, 0);
  store.failure = undefined;
  assert.equal(outcomeOf(await writer.submit(posting('z'))), 'z at 1');
  assert.equal(writer.trouble, undefined);
  assert.deepEqual(failures, []);
});

test('a disk that has room again is writable, also without writes', async () => {
  const { store, writer, clock } = openWriter();
  store.failure = new StorageFullError('no room');
  await writer.submit(posting('x'));
  const troubleAfter = async (ms: number) => {
    clock.advance(ms);
    await turn();
    return writer.trouble?.code;
  };
  assert.equal(await troubleAfter(5_000), 'storage_full');
  store.failure = undefined;
  assert.equal(await troubleAfter(999), 'storage_full');
  assert.equal(await troubleAfter(1), undefined);
  store.failure = new StorageFullError('no room');
  await writer.submit(posting('y'));
  await writer.close();
  store.failure = undefined;
  assert.equal(await troubleAfter(60_000), 'shutting_down');
});

test('a failed store receives no more calls, and every waiting caller is answered', async () => {
  const { store, writer, failures, logged } = openWriter();
  const failure = new Error('the disk is gone');
  let release = () => {};
  store.held = new Promise((done) => {
    release = done;
  });
  store.failure = failure;
  const first = writer.submit(posting('x'));
  await turn();
  const waiting = writer.submit(posting('y'));
  release();
  assert.equal(outcomeOf(await first), 'storage_unavailable');
  assert.equal(outcomeOf(await waiting), 'storage_unavailable');
  assert.equal(outcomeOf(await writer.submit(posting('z'))), 'storage_unavailable');
  assert.deepEqual(failures, [failure]);
  assert.equal(store.commits.length, 1);
  assert.match(logged(), /the storage failed.*the disk is gone/);
  await writer.close();
});

test('a close commits waiting changes, and refuses later ones', async () => {
  const { store, writer } = openWriter();
  const before = writer.submit(posting('x'));
  const closing = writer.close();
  const after = writer.submit(posting('y'));
  await closing;
  assert.equal(outcomeOf(await before), 'x at 1');
  assert.equal(outcomeOf(await after), 'shutting_down');
  assert.equal(store.commits.length, 1);
  await writer.close();
});

test('a read-only server writes nothing', async () => {
  const { store, writer } = openWriter({ readOnly: true });
  assert.equal(outcomeOf(await writer.submit(posting('x'))), 'read_only');
  assert.equal(writer.trouble?.code, 'read_only');
  assert.equal(store.commits.length, 0);
});

test('a listener that throws hides no commit from the others', async () => {
  const { writer, logged } = openWriter();
  const heard: number[] = [];
  writer.onCommit(() => {
    throw new Error('a listener that is wrong');
  });
  writer.onCommit((committed) => void heard.push(...committed.map(({ pos }) => pos)));
  assert.equal(outcomeOf(await writer.submit(posting('x'))), 'x at 1');
  assert.deepEqual(heard, [1]);
  assert.match(logged(), /a listener to commits failed.*a listener that is wrong/);
});

test('a change submitted by an answer or a listener is a separate commit', async () => {
  const { store, writer } = openWriter();
  let fromListener: Promise<Outcome<string>> | undefined;
  writer.onCommit(() => {
    fromListener ??= writer.submit(posting('from a listener'));
  });
  assert.equal(outcomeOf(await writer.submit(posting('x'))), 'x at 1');
  assert.equal(fromListener && outcomeOf(await fromListener), 'from a listener at 2');
  assert.equal(store.commits.length, 2);
});

test('a change is decided again when another node has changed the state', async () => {
  const { store, state, writer } = openWriter();
  const heard: unknown[] = [];
  writer.onCommit((events, { isOwn }) => heard.push([isOwn, events.map(({ pos }) => pos)]));
  const { append } = store;
  store.append = async () => {
    store.append = append;
    store.notify({ isOwn: false, events: [], records: [record('setting', 'name', { value: 'new' })] });
    throw new BehindError();
  };
  const rename = change(
    (view) => ({ records: [record('setting', 'name', { value: `${view.get('setting', 'name')?.value}!` })] }) as Write,
  );
  assert.ok((await writer.submit(rename)).ok);
  assert.equal(state.get('setting', 'name')?.value, 'new!');
  assert.deepEqual(heard, [
    [false, []],
    [true, []],
  ]);
});

test('a change under a lost lease is refused, and those committed with it are decided again', async () => {
  const { store, writer } = openWriter();
  const lost = { id: 'run/a', fence: 7 };
  const fences: unknown[] = [];
  const append = store.append.bind(store);
  store.append = async (...args: unknown[]) => {
    fences.push(args[2]);
    if (fences.length === 1) throw new FencedError(['run/a']);
    return append(args[0] as readonly PreparedWrite[]);
  };
  const held = { id: 'run/b', fence: 8 };
  const under = (id: string, fence: typeof lost) => writer.submit({ ...posting(id), fences: [fence] });
  const [first, second, third, fourth] = await Promise.all([
    under('a', lost),
    under('b', held),
    writer.submit(posting('c')),
    under('d', held),
  ]);
  assert.equal(!first.ok && first.code, 'lease_lost');
  assert.deepEqual([second, third, fourth].map(outcomeOf), ['b at 1', 'c at 2', 'd at 3']);
  assert.deepEqual(fences, [[lost, held], [held]]);
  assert.equal(store.commits.length, 1);
});

test('without PostgreSQL a change is refused, and the writer goes on', async () => {
  const { store, writer } = openWriter();
  store.failure = new StorageAwayError('no answer within 2 s', { isUncertain: true });
  const refused = await writer.submit(posting('a'));
  assert.ok(!refused.ok);
  assert.equal(refused.code, 'storage_unavailable');
  assert.match(refused.reason, /^PostgreSQL is away \(no answer within 2 s\); the change may have been written/);
  store.failure = undefined;
  assert.equal(outcomeOf(await writer.submit(posting('b'))), 'b at 1');
});

test('a change that PostgreSQL refuses does not end the server', async () => {
  const { store, writer, failures } = openWriter();
  store.failure = new StatementError('value too long');
  const refused = await writer.submit(posting('hello'));
  assert.equal(!refused.ok && refused.code, 'storage_unavailable');
  store.failure = undefined;
  assert.equal((await writer.submit(posting('again'))).ok, true);
  assert.deepEqual(failures, []);
});
