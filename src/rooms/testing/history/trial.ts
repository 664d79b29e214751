import { randomBytes, randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Clock } from '../../../kernel/clock.ts';
import { eventually } from '../../../testing/eventually.ts';
import type { RoomsClient } from '../../terminal/client.ts';
import { pause } from '../../terminal/pause.ts';
import { isPassing } from '../../terminal/persistence.ts';
import { enc, logSchema, pageSchema, roomSchema } from '../../terminal/wire.ts';
import type { KeptMessage } from './checker.ts';
import { Reader } from './reader.ts';
import type { Target } from './target.ts';
import { Writer } from './writer.ts';

export interface TrialOptions {
  readonly rooms: number;
  readonly writers: number;
  readonly readers: number;
  /** Messages a second of all writers; 0 is as many as are answered. */
  readonly rate: number;
  readonly durationMs: number;
  /** The trial goes on until the server has acknowledged as many messages, for a busy machine. */
  readonly minAcknowledged?: number;
  /** Writers repeat messages, and readers reconnect. */
  readonly isRough: boolean;
}

/** The records of a trial. */
export interface Trial {
  readonly seconds: number;
  readonly writers: readonly Writer[];
  readonly readers: readonly Reader[];
  /** By room, as the server has them at the end. */
  readonly kept: ReadonlyMap<string, readonly KeptMessage[]>;
  /** Milliseconds from sending a message until a reader received it. */
  readonly deliveries: readonly number[];
}

/** The time for readers to catch up after the last message. */
const CATCH_UP_MS = 60_000;
/** Every fourth reader polls the log. */
const POLLERS = 4;
const MAX_DELIVERIES = 1_000_000;

/** Runs writers and readers on rooms of their own. */
export async function runTrial(target: Target, options: TrialOptions, clock: Clock): Promise<Trial> {
  const rooms = await makeRooms(await target.client(), options.rooms);
  const cursor = await cursorOf(await target.client(), rooms);
  target.startKilling();
  const sentAt = new Map<string, number>();
  const deliveries: number[] = [];
  const heard = (id: string, at: number) => {
    const sent = sentAt.get(id);
    if (sent !== undefined && deliveries.length < MAX_DELIVERIES) deliveries.push(at - sent);
  };
  const over = new AbortController();
  // All writers listen to it.
  setMaxListeners(0, over.signal);
  const everyMs = options.rate > 0 ? (1000 * options.writers) / options.rate : 0;
  const isRude = options.isRough;
  const writers = Array.from(
    { length: options.writers },
    (_, index) =>
      new Writer({ name: `writer-${index}`, target, clock, rooms, everyMs, isRude, signal: over.signal, sentAt }),
  );
  const readers = Array.from(
    { length: options.readers },
    (_, index) =>
      new Reader({
        name: `reader-${index}`,
        target,
        clock,
        rooms: index === 0 ? rooms : someOf(rooms),
        cursor,
        isPolling: index % POLLERS === POLLERS - 1,
        isRestless: options.isRough,
        heard,
      }),
  );
  const startedAt = performance.now();
  const reading = Promise.all(readers.map((reader) => reader.run()));
  const writing = Promise.all(writers.map((writer) => writer.run()));
  const failed = Promise.all([reading, writing]).then(
    () => {},
    (error: unknown) => {
      over.abort();
      for (const reader of readers) reader.stop();
      throw error;
    },
  );
  failed.catch(() => {});
  await pause(clock, options.durationMs, over.signal);
  const acknowledged = () =>
    writers.flatMap(({ records }) => records).filter(({ answeredAt }) => answeredAt !== null).length;
  await eventually(
    'enough acknowledged messages',
    () => over.signal.aborted || acknowledged() >= (options.minAcknowledged ?? 0),
  ).finally(() => over.abort());
  await target.stopKilling();
  await writing;
  const seconds = (performance.now() - startedAt) / 1000;
  const kept = await keptOf(target, rooms, clock);
  const goal = new Map([...kept].map(([room, messages]) => [room, messages.at(-1)?.seq ?? 0]));
  for (const reader of readers) reader.finishWith(goal);
  const cancel = clock.after(CATCH_UP_MS, () => {
    for (const reader of readers) reader.stop();
  });
  await reading;
  cancel();
  await removeRooms(await target.client(), rooms);
  return { seconds, writers, readers, kept, deliveries };
}

async function makeRooms(client: RoomsClient, count: number): Promise<readonly string[]> {
  const tag = randomBytes(4).toString('hex');
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const name = `bench-${tag}-${index}`;
    ids.push(client.parse(await client.send('POST', '/api/room', { json: { name, slug: name } }), roomSchema).id);
  }
  return ids;
}

async function removeRooms(client: RoomsClient, rooms: readonly string[]): Promise<void> {
  for (const room of rooms) await client.send('DELETE', `/api/room/${enc(room)}`);
}

async function cursorOf(client: RoomsClient, rooms: readonly string[]): Promise<string> {
  const page = await client.get(`/api/event/log?rooms=${rooms.map(enc).join(',')}&wait=0`, logSchema);
  return page.cursor;
}

/** At least one. */
function someOf(rooms: readonly string[]): readonly string[] {
  const some = rooms.filter(() => randomInt(2) === 0);
  return some.length > 0 ? some : [rooms[randomInt(rooms.length)] ?? ''];
}

async function keptOf(
  target: Target,
  rooms: readonly string[],
  clock: Clock,
): Promise<ReadonlyMap<string, readonly KeptMessage[]>> {
  const kept = new Map<string, readonly KeptMessage[]>();
  for (const room of rooms) kept.set(room, await messagesOf(target, room, clock));
  return kept;
}

async function messagesOf(target: Target, room: string, clock: Clock): Promise<readonly KeptMessage[]> {
  const messages: KeptMessage[] = [];
  for (;;) {
    const after = messages.at(-1)?.seq ?? 0;
    const path = `/api/room/${enc(room)}/message?after=${after}&limit=200`;
    try {
      const client = await target.client();
      const page = await client.get(path, pageSchema);
      for (const { id, seq } of page.messages) messages.push({ id, seq });
      if (!page.hasAfter) return messages;
    } catch (error) {
      if (!isPassing(error)) throw error;
      await pause(clock, 100);
    }
  }
}
