// Rooms on several nodes: acknowledged posts, one message to the streams of all nodes, and a resume that reads the log.
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../testing/bench.ts';
import { startPostgres } from '../../testing/postgres.ts';
import { type Cleanup, Janitor, type RunningServer, temporaryFolder } from '../../testing/processes.ts';
import { limitProcessor } from '../../testing/processor-quota.ts';
import { cpuOf, cpuOfTree } from '../../testing/processor-time.ts';
import {
  bodyOf,
  makeRooms,
  openConnections,
  type Posting,
  percentile,
  post,
  postsTo,
  send,
  startRooms,
} from '../testing/bench.ts';
import { MARK } from '../testing/feed/bench-events.ts';
import { Readers } from '../testing/feed/readers.ts';

const CLIENTS = 64;
const ROOMS = 8;
const ROUNDS = 3;
const WARM_UP_MS = 4_000;
const MEASURED_MS = 4_000;
const STREAMS = 3_000;
const POSTS = 15;
const MISSED = 10_000;
/** Of one processor, for each node, as if it had a machine of its own; without one they share all processors. */
const QUOTA_PERCENT = Number(process.env.OPSDECK_BENCH_QUOTA) || undefined;

interface Side {
  readonly name: string;
  /** Number of nodes over PostgreSQL; 0: one server with SQLite. */
  readonly nodes: number;
}

const SIDES: readonly Side[] = [
  { name: 'one, SQLite', nodes: 0 },
  { name: 'one, PostgreSQL', nodes: 1 },
  { name: 'three, PostgreSQL', nodes: 3 },
];

interface Started {
  readonly urls: readonly string[];
  /** What was used so far. */
  usage(): Promise<Usage>;
}

/** Processor time in milliseconds, of the nodes together, of PostgreSQL and of the clients; transactions of PostgreSQL. */
interface Usage {
  readonly nodes: number;
  readonly database: number;
  readonly clients: number;
  readonly transactions: number;
}

const TRANSACTIONS = 'SELECT xact_commit::int AS count FROM pg_stat_database WHERE datname = current_database()';

/** The mark in a stream's hello shows that it is open. */
async function start(t: Cleanup, { nodes }: Side): Promise<Started> {
  const servers: RunningServer[] = [];
  const postgres = nodes === 0 ? undefined : await startPostgres(t);
  for (let index = 0; index < Math.max(nodes, 1); index++) {
    const storage = postgres ? ['--storage-url', postgres.url] : ['--data-dir', temporaryFolder(t)];
    servers.push(await startRooms(t, [...storage, '--node-id', `node-${index}${MARK}`]));
  }
  if (QUOTA_PERCENT) for (const server of servers) limitProcessor(t, server, QUOTA_PERCENT);
  return {
    urls: servers.map(({ url }) => url),
    usage: async () => ({
      nodes: servers.reduce((sum, server) => sum + cpuOfTree(server), 0),
      database: postgres ? cpuOfTree(postgres) : 0,
      clients: cpuOf(process),
      transactions: Number((await postgres?.psql(TRANSACTIONS))?.[0]?.count ?? 0),
    }),
  };
}

async function onNodes<T>(side: Side, measure: (urls: readonly string[], started: Started) => Promise<T>): Promise<T> {
  const janitor = new Janitor();
  try {
    const started = await start(janitor, side);
    return await measure(started.urls, started);
  } finally {
    await janitor.clean();
  }
}

interface PostCost extends Posting {
  /** Of a post: processor time in microseconds, and transactions. */
  readonly cost: Usage;
}

async function measurePosts(urls: readonly string[], { usage }: Started): Promise<PostCost> {
  const requests = postsTo(await makeRooms(urls[0] ?? '', ROOMS), 1024);
  const connections = await openConnections(urls, CLIENTS);
  await post(connections, requests, WARM_UP_MS);
  const before = await usage();
  const posting = await post(connections, requests, MEASURED_MS);
  const after = await usage();
  const perPost = (part: keyof Usage) => (after[part] - before[part]) / posting.times.length;
  for (const connection of connections) connection.close();
  const cpuUs = (part: keyof Usage) => perPost(part) * 1000;
  return {
    ...posting,
    cost: {
      nodes: cpuUs('nodes'),
      database: cpuUs('database'),
      clients: cpuUs('clients'),
      transactions: perPost('transactions'),
    },
  };
}

async function benchPosts(): Promise<void> {
  const samples = new Map<Side, PostCost[]>(SIDES.map((side) => [side, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of round % 2 === 0 ? SIDES : SIDES.toReversed())
      samples.get(side)?.push(await onNodes(side, measurePosts));
  }
  const rows = [...samples].map(([{ name }, postings]) => {
    const of = (value: (posting: PostCost) => number) => printSpread(spreadOf(postings.map(value)));
    const time = (share: number) => of(({ times }) => percentile(times, share));
    const cost = (part: keyof Usage) => of((posting) => posting.cost[part]);
    const costs = [cost('nodes'), cost('database'), cost('clients'), cost('transactions')];
    return [name, of(({ perSecond }) => perSecond), time(0.5), time(0.99), ...costs];
  });
  const limit = QUOTA_PERCENT ? `, each node with ${QUOTA_PERCENT} % of a processor` : '';
  console.log(
    `\nAcknowledged posts of ${CLIENTS} clients into ${ROOMS} rooms${limit}: median (least–most) of ${ROUNDS} starts`,
  );
  const cost = ['of a post, µs of processor: nodes', 'PostgreSQL', 'clients', 'transactions'];
  console.log(printTable(['nodes', 'posts/s', 'p50 ms', 'p99 ms', ...cost], rows));
}

const portsOf = (urls: readonly string[]) => urls.map((url) => Number(new URL(url).port));

/** From each post, to one node after the other, to the arrival at each stream. */
async function measureStreams(urls: readonly string[]): Promise<readonly (readonly number[])[]> {
  const [roomId = ''] = await makeRooms(urls[0] ?? '', 1);
  const readers = new Readers(portsOf(urls), `/api/room/${roomId}/event?types=message.created`);
  try {
    await readers.join(STREAMS);
    const posts: (readonly number[])[] = [];
    for (let sent = 0; sent < POSTS + 5; sent++) {
      const heard = readers.hear();
      const startedAt = performance.now();
      await send(urls[sent % urls.length] ?? '', 'POST', '/api/message', { roomId, body: `${bodyOf(sent)}${MARK}` });
      const times = (await heard).map((at) => at - startedAt);
      // The first ones warm it up.
      if (sent >= 5) posts.push(times);
    }
    return posts;
  } finally {
    readers.leave();
  }
}

async function benchStreams(): Promise<void> {
  const rows: string[][] = [];
  for (const side of SIDES) {
    const posts: (readonly number[])[] = [];
    for (let round = 0; round < ROUNDS; round++) posts.push(...(await onNodes(side, measureStreams)));
    const at = (share: number) =>
      printSpread(spreadOf(posts.map((times) => times[Math.ceil(times.length * share) - 1] ?? 0)));
    rows.push([side.name, at(0.5), at(0.99)]);
  }
  console.log(
    `\nOne message to ${printNumber(STREAMS)} streams, spread over the nodes, from the post: median (least–most) of ${ROUNDS * POSTS}`,
  );
  console.log(printTable(['nodes', 'p50 ms', 'p99 ms'], rows));
}

/** The log is filled through one node and read at another, which has nothing of it in memory. */
async function measureResume(urls: readonly string[]): Promise<number> {
  const [roomId = ''] = await makeRooms(urls[0] ?? '', 1);
  const connections = await openConnections(urls.slice(0, 1), CLIENTS);
  const body = `${bodyOf(0)}${MARK}`;
  const requests = postsTo([roomId], 1, body);
  for (let left = MISSED; left > 0; left -= CLIENTS) {
    const some = connections.slice(0, Math.min(left, CLIENTS));
    await Promise.all(some.map((connection) => connection.exchange('POST', requests[0] ?? '')));
  }
  for (const connection of connections) connection.close();
  const path = `/api/room/${roomId}/event?since=0&types=message.created`;
  const readers = new Readers(portsOf(urls).slice(-1), path);
  const startedAt = performance.now();
  await readers.join(1, MISSED + 1);
  readers.leave();
  return (performance.now() - startedAt) / 1000;
}

async function benchResume(): Promise<void> {
  const rows: string[][] = [];
  for (const side of SIDES) {
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round++) seconds.push(await onNodes(side, measureResume));
    rows.push([side.name, printSpread(spreadOf(seconds))]);
  }
  console.log(`\nOne stream that resumes before ${printNumber(MISSED)} messages, until it has them`);
  console.log(printTable(['nodes', 's'], rows));
}

bench('rooms-nodes', async (filters) => {
  console.log(`\n# rooms-nodes\n${describeMachine()}`);
  if (isAsked('post', filters)) await benchPosts();
  if (isAsked('streams', filters)) await benchStreams();
  if (isAsked('resume', filters)) await benchResume();
});
