import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../testing/bench.ts';
import { Random } from '../../testing/random.ts';
import type { Change } from '../domain/change.ts';
import type { NewMessage } from '../domain/message/message.ts';
import { createIdMaker } from '../id-maker.ts';
import { RoomState } from '../room/state.ts';
import { RoomWriter } from '../room/writer.ts';
import { created, newMessage, write } from '../testing/store/parts.ts';
import { openRoomStore } from './open.ts';
import type { RoomStore, SearchQuery } from './store.ts';

const ROOMS = Array.from({ length: 8 }, (_, index) => `0190a000-0000-7000-8000-00000000000${index}`);
const BATCH = 64;
const ROUNDS = 3;
const MESSAGES = 10_000;
const MANY = 1_000_000;
const MISSED = 10_000;

const log = createLog({
  level: 'warn',
  format: 'logfmt',
  clock: systemClock,
  write: (line) => process.stderr.write(line),
});
const newId = createIdMaker(systemClock, randomBytes);
const random = new Random(5);
/** Few words are frequent, many rare. */
const word = () => `word${Math.floor(20_000 * (random.int(1, 1000) / 1000) ** 4)}`;

function nextMessage(index: number): NewMessage {
  const words = Array.from({ length: 12 }, word);
  const now = systemClock.now();
  return newMessage(ROOMS[index % ROOMS.length] ?? '', {
    id: newId(),
    body: `always ${words.join(' ')} number${index}${index % 1000 === 0 ? ' rarely' : ''}`,
    author: { id: `user-${index % 50}`, name: 'A user', kind: 'human' },
    createdAt: now,
    updatedAt: now,
  });
}

async function withStore(
  durability: 'full' | 'off',
  run: (store: RoomStore, reopen: () => Promise<RoomStore>) => Promise<void>,
) {
  const path = mkdtempSync(join(tmpdir(), 'opsdeck-store-bench-'));
  const open = () => openRoomStore({ directory: { path, release() {} }, clock: systemClock, durability, log });
  let store = await open();
  try {
    await run(store, async () => {
      await store.close();
      store = await open();
      return store;
    });
  } finally {
    await store.close();
    rmSync(path, { recursive: true });
  }
}

interface Cost {
  readonly perSecond: number;
  /** Processor time per message, in microseconds. */
  readonly cpuUs: number;
}

async function measure(count: number, action: () => Promise<void>): Promise<Cost> {
  const from = performance.now();
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return { perSecond: (count / (performance.now() - from)) * 1000, cpuUs: (user + system) / count };
}

async function appendAll(store: RoomStore, messages: readonly NewMessage[]): Promise<void> {
  for (let start = 0; start < messages.length; start += BATCH) {
    await store.append(messages.slice(start, start + BATCH).map((message) => write(created(message))));
  }
}

async function writeAll(store: RoomStore, messages: readonly NewMessage[]): Promise<void> {
  const { records, heads, pos } = await store.load();
  const state = new RoomState(records, heads);
  const parts = { state, store, clock: systemClock, log, newId, readOnly: false, failed() {} };
  const writer = new RoomWriter(parts, pos);
  const posting = (message: NewMessage): Change<number> => ({
    messages: [message.id],
    decide: (view) => ({
      ok: true,
      write: view.message(message.id)
        ? null
        : { events: [{ type: 'message.created', roomId: message.roomId, message, contentHash: 'ab'.repeat(32) }] },
      answer: (committed) => committed[0]?.pos ?? 0,
    }),
  });
  for (let start = 0; start < messages.length; start += BATCH) {
    await Promise.all(messages.slice(start, start + BATCH).map((message) => writer.submit(posting(message))));
  }
  await writer.close();
}

async function runAppends(): Promise<void> {
  const rows: string[][] = [];
  for (const [name, run] of [
    ['append', appendAll],
    ['through the writer', writeAll],
  ] as const) {
    for (const durability of ['full', 'off'] as const) {
      await withStore(durability, async (store) => {
        const costs: Cost[] = [];
        for (let round = 0; round <= ROUNDS; round++) {
          const messages = Array.from({ length: MESSAGES }, (_, index) => nextMessage(index));
          const cost = await measure(MESSAGES, async () => {
            await run(store, messages);
            // Reads wait for the tables, which have a thread of their own in the executable.
            await store.run('none');
          });
          // The first round warms up.
          if (round > 0) costs.push(cost);
          await store.indexed();
        }
        const spread = (pick: (cost: Cost) => number) => printSpread(spreadOf(costs.map(pick)));
        rows.push([name, durability, spread(({ perSecond }) => perSecond), spread(({ cpuUs }) => cpuUs)]);
      });
    }
  }
  console.log(
    `\n${printTable([`${BATCH} messages a commit`, 'durability', 'messages/s', 'µs of processor a message'], rows)}`,
  );
}

const search = (words: readonly string[], parts: Partial<SearchQuery> = {}): SearchQuery => ({
  rooms: ROOMS.map((roomId) => ({ roomId, afterSeq: 0 })),
  terms: words.map((text) => ({ words: [text.replace('*', '')], prefix: text.endsWith('*'), not: false })),
  limit: 20,
  ...parts,
});

const SEARCHES: readonly (readonly [string, () => SearchQuery])[] = [
  ['one message', () => search([`number${random.int(1, MANY)}`])],
  ['a word', () => search([word()])],
  ['two words', () => search([word(), word()])],
  ['a word that every message says', () => search(['always'])],
  ['that in one room', () => search(['always'], { rooms: [{ roomId: ROOMS[3] ?? '', afterSeq: 0 }] })],
  ['that of one author', () => search(['always'], { authorId: 'user-7' })],
  ['a thousandth, and that', () => search(['always', 'rarely'])],
  ['two letters of a word', () => search(['al*'])],
  ['four letters of all words', () => search(['word*'])],
  ['six letters', () => search([`word1${random.int(1, 9)}*`])],
  [
    'that without a word',
    () => ({
      ...search([]),
      terms: [
        { words: ['always'], prefix: false, not: false },
        { words: ['word0'], prefix: false, not: true },
      ],
    }),
  ],
];

async function timeOf(count: number, action: (index: number) => Promise<unknown>): Promise<readonly string[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const from = performance.now();
    await action(index);
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  return [0.5, 0.95, 1].map((part) => printNumber(times[Math.ceil(times.length * part) - 1] ?? Number.NaN));
}

async function runMany(): Promise<void> {
  await withStore('off', async (store, reopen) => {
    const cost = await measure(MANY, async () => {
      for (let start = 0; start < MANY; start += MESSAGES) {
        await appendAll(
          store,
          Array.from({ length: MESSAGES }, (_, index) => nextMessage(start + index)),
        );
      }
      await store.indexed();
    });
    console.log(
      `\n${printNumber(MANY)} messages, written and indexed: ${printNumber(cost.perSecond)}/s, ${printNumber(cost.cpuUs)} µs of processor each`,
    );
    let current = store;
    const rows: (readonly string[])[] = [];
    rows.push([
      'open and load',
      ...(await timeOf(3, async () => {
        current = await reopen();
        await current.load();
      })),
    ]);
    const room = (index: number) => ROOMS[index % ROOMS.length] ?? '';
    rows.push([
      'the last 50 of a room',
      ...(await timeOf(200, async (index) => {
        const { messages } = await current.page({ roomId: room(index), limit: 50 });
        return messages.map(({ json }) => json);
      })),
    ]);
    rows.push([
      '50 anywhere in a room',
      ...(await timeOf(200, (index) =>
        current.page({ roomId: room(index), limit: 50, before: random.int(100, MANY / 8) }),
      )),
    ]);
    rows.push([
      `${printNumber(MISSED)} missed events`,
      ...(await timeOf(20, async () => {
        let after = MANY - MISSED;
        while (after < MANY) after = (await current.readEvents({ after, upTo: MANY, limit: 1000 })).at(-1)?.pos ?? MANY;
      })),
    ]);
    rows.push([
      `those of 2 of 8 rooms`,
      ...(await timeOf(20, async () => {
        let after = MANY - MISSED;
        while (after < MANY)
          after =
            (await current.readEvents({ after, upTo: MANY, limit: 1000, roomIds: ROOMS.slice(0, 2) })).at(-1)?.pos ??
            MANY;
      })),
    ]);
    rows.push([
      'unread of a room, to 1,000',
      ...(await timeOf(50, (index) =>
        current.unread({ roomId: room(index), userId: 'user-1', afterSeq: 0, limit: 1000 }),
      )),
    ]);
    for (const [name, query] of SEARCHES)
      rows.push([`search: ${name}`, ...(await timeOf(50, () => current.search(query())))]);
    console.log(printTable(['of 1,000,000 messages', 'p50 ms', 'p95 ms', 'most'], rows));
  });
}

bench('store', async (filters) => {
  console.log(`Store of the rooms: ${describeMachine()}`);
  if (isAsked('append', filters)) await runAppends();
  if (isAsked('many', filters)) await runMany();
});
