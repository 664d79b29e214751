import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
import { createLog } from '../../kernel/log.ts';
import { ownDataDirectory } from '../../kernel/storage/data-directory.ts';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../testing/bench.ts';
import { answerQuestions, MeasuredServer } from '../../testing/measured-server.ts';
import { Janitor, temporaryFolder } from '../../testing/processes.ts';
import { composeRooms } from '../composition/rooms.ts';
import { openRoomStore } from '../store/open.ts';
import { ROOMS_OPTIONS } from '../testing/app.ts';
import { benchEvents, benchRoom, MARK } from '../testing/feed/bench-events.ts';
import { Readers } from '../testing/feed/readers.ts';

const READERS = [1000, 10_000];
const ROUNDS = 3;
const POSTS = 15;
const WARM_UP_POSTS = 5;
const MISSED = 10_000;
const RESUMERS = [1, 50];
const PATH = '/api/room/bench/event';

/** Requests to the measured process; it answers with a number. */
type Question = 'size' | 'heap' | 'rss' | 'cpu' | 'post' | 'fill' | 'forget';

/** The measured process: one server, controlled by the process with its readers. */
async function serve(): Promise<void> {
  const janitor = new Janitor();
  const dataDir = temporaryFolder(janitor);
  const clock = systemClock;
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: console.error });
  // The mark in a stream's hello shows that it is open.
  const options = { ...ROOMS_OPTIONS, dataDir, nodeId: `bench${MARK}`, maxStreams: 20_000 };
  const directory = await ownDataDirectory(dataDir, clock);
  const store = await openRoomStore({ directory, clock, durability: 'full', log });
  const rooms = await composeRooms({ options, store, clock, log });
  const addresses = [options.listenAddress];
  const listener = await listen({ fetch: rooms.app.fetch, addresses, clock, endStreams: () => rooms.endStreams() });
  const { writer, feed } = rooms.core;
  const commit = async (write: ReturnType<typeof benchRoom>) => {
    await writer.submit({ decide: () => ({ ok: true, write, answer: () => null }) });
    return writer.pos;
  };
  await commit(benchRoom());
  const answers: Readonly<Record<Question, () => number | Promise<number>>> = {
    size: () => feed.size,
    heap: () => {
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    },
    rss: () => process.memoryUsage.rss(),
    cpu: () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
    post: () => commit({ events: benchEvents(1) }),
    fill: async () => {
      for (let left = MISSED; left > 0; left -= 500) await commit({ events: benchEvents(500) });
      return writer.pos;
    },
    forget: () => {
      feed.forgetLog();
      return 0;
    },
  };
  answerQuestions(listener.url, answers, async () => {
    await listener.close(1000);
    await rooms.close();
    await store.close();
    directory.release();
    await janitor.clean();
  });
}

interface FanoutSample {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMicros: number;
  readonly heapKib: number;
  readonly rssKib: number;
}

async function measureFanout(count: number): Promise<FanoutSample> {
  const rooms = await new MeasuredServer<Question>(import.meta.url, SERVE_VARIABLE).start();
  const readers = new Readers([rooms.port], PATH);
  try {
    const [heapBefore, rssBefore] = [await rooms.ask('heap'), await rooms.ask('rss')];
    await readers.join(count);
    while ((await rooms.ask('size')) < count);
    const heapKib = ((await rooms.ask('heap')) - heapBefore) / count / 1024;
    const rssKib = ((await rooms.ask('rss')) - rssBefore) / count / 1024;
    for (let sent = 0; sent < WARM_UP_POSTS; sent++) await post(rooms, readers);
    const cpuBefore = await rooms.ask('cpu');
    const posts: (readonly number[])[] = [];
    for (let sent = 0; sent < POSTS; sent++) posts.push(await post(rooms, readers));
    const cpuMicros = ((await rooms.ask('cpu')) - cpuBefore) / POSTS / count;
    const at = (share: number) =>
      spreadOf(posts.map((times) => times[Math.ceil(times.length * share) - 1] ?? 0)).median;
    return { p50Ms: at(0.5), p99Ms: at(0.99), cpuMicros, heapKib, rssKib };
  } finally {
    readers.leave();
    await rooms.stop();
  }
}

/** From the request of the post to each reader, including the commit to disk. */
async function post(rooms: MeasuredServer<Question>, readers: Readers): Promise<readonly number[]> {
  const startedAt = performance.now();
  const [arrivals] = await Promise.all([readers.hear(), rooms.ask('post')]);
  return arrivals.map((at) => at - startedAt);
}

async function benchFanout(): Promise<void> {
  const rows: string[][] = [];
  for (const count of READERS) {
    const samples: FanoutSample[] = [];
    for (let round = 0; round < ROUNDS; round++) samples.push(await measureFanout(count));
    const column = (name: keyof FanoutSample) => printSpread(spreadOf(samples.map((sample) => sample[name])));
    const names = ['p50Ms', 'p99Ms', 'cpuMicros', 'heapKib', 'rssKib'] as const;
    rows.push([printNumber(count), ...names.map(column)]);
  }
  console.log(
    `\nOne message to all readers of a room, from the post to its arrival, commit included: median (least–most) of ${ROUNDS} processes, ${POSTS} posts each`,
  );
  const head = ['readers', 'p50 ms', 'p99 ms', 'CPU µs / reader', 'heap KiB / idle stream', 'RSS KiB / idle stream'];
  console.log(printTable(head, rows));
}

async function benchResume(): Promise<void> {
  const rooms = await new MeasuredServer<Question>(import.meta.url, SERVE_VARIABLE).start();
  const rows: string[][] = [];
  try {
    await rooms.ask('fill');
    for (const count of RESUMERS) {
      const seconds: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await rooms.ask('forget');
        const readers = new Readers([rooms.port], `${PATH}?since=0&types=message.created`);
        const startedAt = performance.now();
        await readers.join(count, MISSED + 1);
        seconds.push((performance.now() - startedAt) / 1000);
        readers.leave();
      }
      rows.push([printNumber(count), printSpread(spreadOf(seconds))]);
    }
  } finally {
    await rooms.stop();
  }
  console.log(
    `\nReaders that come back at once and have missed ${printNumber(MISSED)} messages, none of them in memory`,
  );
  console.log(printTable(['readers', 'all have all, s'], rows));
}

const SERVE_VARIABLE = 'OPSDECK_BENCH_ROOM_FEED';

if (process.env[SERVE_VARIABLE]) await serve();
else {
  bench('feed', async (filters) => {
    console.log(`\n# feed\n${describeMachine()}`);
    if (isAsked('fanout', filters)) await benchFanout();
    if (isAsked('resume', filters)) await benchResume();
  });
}
