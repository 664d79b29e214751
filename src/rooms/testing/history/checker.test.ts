import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHistory, type ReadRecord, type RoomHistory, type ViolationKind, type WriteRecord } from './checker.ts';

type Draft = {
  writes: WriteRecord[];
  kept: Map<string, { seq: number; id: string }[]>;
  readers: { name: string; rooms: string[]; reads: ReadRecord[] }[];
};

/** Two rooms with twenty messages each of two writers, and two readers, of one and of both rooms; all is well. */
function goodHistory(): Draft {
  const draft: Draft = {
    writes: [],
    kept: new Map([
      ['a', []],
      ['b', []],
    ]),
    readers: [],
  };
  const reads: ReadRecord[] = [];
  for (let i = 0; i < 40; i++) {
    const room = i % 2 === 0 ? 'a' : 'b';
    const kept = draft.kept.get(room) ?? [];
    const id = `m-${i}`;
    const seq = kept.length + 1;
    kept.push({ seq, id });
    // Each overlaps with the one after it.
    draft.writes.push({ id, room, writer: `w${i % 3}`, startedAt: i * 10, answeredAt: i * 10 + 15, seq });
    reads.push({ room, seq, id, pos: i * 3 + 5 });
  }
  draft.readers.push({ name: 'both', rooms: ['a', 'b'], reads });
  draft.readers.push({ name: 'one', rooms: ['b'], reads: reads.filter(({ room }) => room === 'b') });
  return draft;
}

const kindsOf = (history: RoomHistory): readonly ViolationKind[] => [
  ...new Set(checkHistory(history).map(({ kind }) => kind)),
];

/** The element, which is there. */
function at<T>(list: readonly T[] | undefined, index: number): T {
  const found = list?.at(index);
  assert.ok(found !== undefined);
  return found;
}

test('a history without faults is verified', () => {
  assert.deepEqual(checkHistory(goodHistory()), []);
});

test('a message that was never acknowledged may be there or not', () => {
  const there = goodHistory();
  there.writes[39] = { ...at(there.writes, 39), answeredAt: null, seq: null };
  assert.deepEqual(checkHistory(there), []);
  const absent = goodHistory();
  absent.writes.push({ id: 'm-x', room: 'a', writer: 'w0', startedAt: 900, answeredAt: null, seq: null });
  assert.deepEqual(checkHistory(absent), []);
});

test('messages under way together may be in any order', () => {
  const history = goodHistory();
  const [first, second] = [at(history.writes, 0), at(history.writes, 2)];
  history.writes[0] = { ...first, answeredAt: second.startedAt + 1 };
  history.writes[0] = { ...at(history.writes, 0), seq: 2 };
  history.writes[2] = { ...second, seq: 1 };
  const kept = history.kept.get('a') ?? [];
  [at(kept, 0).id, at(kept, 1).id] = ['m-2', 'm-0'];
  const order = checkHistory(history).filter(({ kind }) => kind === 'order');
  assert.deepEqual(order, []);
});

/** Each fault that a server may have, put into a good history, and the kinds by which it must be found. */
const FAULTS: readonly {
  readonly name: string;
  readonly kinds: readonly ViolationKind[];
  readonly names: RegExp;
  readonly spoil: (history: Draft) => void;
}[] = [
  {
    name: 'an acknowledged message that is not there',
    kinds: ['lost', 'reader-wrong'],
    names: /^m-38 of w2 was acknowledged as a#20 and is not there/,
    spoil: ({ kept }) => void kept.get('a')?.pop(),
  },
  {
    name: 'a message that is there twice',
    kinds: ['doubled', 'reader-missed'],
    names: /^m-4 is a#3 and a#21/,
    spoil: ({ kept }) => void kept.get('a')?.push({ seq: 21, id: 'm-4' }),
  },
  {
    name: 'a message that is in two rooms',
    kinds: ['doubled', 'reader-missed'],
    names: /^m-4 is a#3 and b#21/,
    spoil: ({ kept }) => void kept.get('b')?.push({ seq: 21, id: 'm-4' }),
  },
  {
    name: 'a message without a writer',
    kinds: ['invented', 'reader-missed'],
    names: /^m-ghost is b#21/,
    spoil: ({ kept }) => void kept.get('b')?.push({ seq: 21, id: 'm-ghost' }),
  },
  {
    name: 'a number that is left out',
    kinds: ['moved', 'gap', 'reader-wrong', 'reader-missed'],
    names: /m-38 was acknowledged as a#20 and is a#22/,
    spoil: ({ kept }) => {
      kept.get('a')?.splice(19, 1, { seq: 22, id: 'm-38' });
    },
  },
  {
    name: 'an answer that names another number than the message has',
    kinds: ['moved', 'order'],
    names: /m-6 was acknowledged as a#9 and is a#4/,
    spoil: ({ writes }) => {
      writes[6] = { ...at(writes, 6), seq: 9 };
    },
  },
  {
    name: 'a message ahead of one acknowledged before it was sent',
    kinds: ['order'],
    names: /^a: m-8 \(#5\) was acknowledged before m-6 \(#4\) was sent/,
    spoil: ({ writes }) => {
      writes[8] = { ...at(writes, 8), startedAt: 1, answeredAt: 2 };
    },
  },
  {
    name: 'a reader without one message',
    kinds: ['reader-missed'],
    names: /^both never received m-10 \(a#6\)/,
    spoil: ({ readers }) => void at(readers, 0).reads.splice(10, 1),
  },
  {
    name: 'a reader without the end',
    kinds: ['reader-missed'],
    names: /^one never received m-39 \(b#20\)/,
    spoil: ({ readers }) => void at(readers, 1).reads.pop(),
  },
  {
    name: 'a reader that receives one message twice after a reconnect',
    kinds: ['reader-position', 'reader-doubled'],
    names: /m-10 as a#6/,
    spoil: ({ readers }) => void at(readers, 0).reads.splice(11, 0, at(at(readers, 0).reads, 10)),
  },
  {
    name: 'a reader that receives one message twice at another position',
    kinds: ['reader-doubled'],
    names: /m-10 as a#6 twice/,
    spoil: ({ readers }) => {
      const { reads } = at(readers, 0);
      reads.splice(11, 0, { ...at(reads, 10), pos: at(reads, 10).pos + 1 });
    },
  },
  {
    name: 'a reader that receives two in the wrong order',
    kinds: ['reader-position', 'reader-reversed'],
    names: /m-10 as a#6/,
    spoil: ({ readers }) => {
      const { reads } = at(readers, 0);
      const [ten] = reads.splice(10, 1);
      reads.splice(12, 0, at([ten], 0) as ReadRecord);
    },
  },
  {
    name: 'two messages that have changed their places, positions and all',
    kinds: ['reader-reversed', 'position-differs'],
    names: /m-1 as b#1 after #2/,
    spoil: ({ readers }) => {
      const { reads } = at(readers, 1);
      const [first, second] = [at(reads, 0), at(reads, 1)];
      reads[0] = { ...second, pos: first.pos };
      reads[1] = { ...first, pos: second.pos };
    },
  },
  {
    name: 'a reader that receives another message under a number',
    kinds: ['reader-wrong', 'reader-missed', 'position-differs'],
    names: /one received m-999 as b#4, which it is not/,
    spoil: ({ readers }) => {
      const { reads } = at(readers, 1);
      reads[3] = { ...at(reads, 3), id: 'm-999' };
    },
  },
  {
    name: 'a reader that receives a room outside its request',
    kinds: ['reader-wrong'],
    names: /one received m-38 as a#20/,
    spoil: ({ readers }) => void at(readers, 1).reads.push({ room: 'a', seq: 20, id: 'm-38', pos: 900 }),
  },
];

for (const { name, kinds, names, spoil } of FAULTS) {
  test(`${name} is found`, () => {
    const history = goodHistory();
    spoil(history);
    const found = checkHistory(history);
    assert.deepEqual([...kindsOf(history)].sort(), [...kinds].sort(), JSON.stringify(found, null, 1));
    assert.ok(
      found.some(({ text }) => names.test(text)),
      JSON.stringify(found, null, 1),
    );
  });
}
