import { postRequest } from '../../alerts/testing/bench.ts';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import {
  type Cleanup,
  executablePath,
  listeningAddress,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';

const SECONDS = 1000;

/** The built `opsdeck rooms serve`. */
export function startRooms(t: Cleanup, more: readonly string[]): Promise<RunningServer> {
  const args = [executablePath(), 'rooms', 'serve', '--port', '0', '--max-body', '65536', ...more];
  return startServer(t, {
    command: process.execPath,
    args,
    cwd: temporaryFolder(t),
    addressIn: listeningAddress,
  });
}

/** Creates rooms and returns their ids. */
export async function makeRooms(url: string, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let room = 0; room < count; room++)
    ids.push(String((await send(url, 'POST', '/api/room', { name: `Room ${room}` })).id));
  return ids;
}

/** Connections to servers in turn. */
export function openConnections(urls: readonly string[], count: number): Promise<readonly RawConnection[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => RawConnection.open(urls[index % urls.length] ?? '')));
}

/** The JSON of the answer. */
export async function send(url: string, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

export const bodyOf = (index: number) =>
  `deploy ${index} of payments is done: 14 of 14 instances are healthy, p99 is 41 ms`;

/** Prepared requests, over several rooms; with a text, all with that. */
export function postsTo(rooms: readonly string[], count: number, body?: string): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(
      postRequest('/api/message', { roomId: rooms[index % rooms.length], body: body ?? bodyOf(index) })
        .toString()
        .replace('Host: bench', 'Host: localhost'),
    ),
  );
}

export interface Posting {
  readonly perSecond: number;
  /** In milliseconds, ascending. */
  readonly times: Float64Array;
}

/** Posts on all connections at once until the time is over. */
export async function post(
  connections: readonly RawConnection[],
  requests: readonly Buffer[],
  ms: number,
): Promise<Posting> {
  const times: number[] = [];
  const startedAt = performance.now();
  let next = 0;
  const loop = async (connection: RawConnection) => {
    for (let now = performance.now(); now < startedAt + ms; ) {
      const { status, head } = await connection.exchange('POST', requests[next++ % requests.length] ?? '');
      if (status !== 201) throw new Error(`a post was answered with ${head}`);
      const then = performance.now();
      times.push(then - now);
      now = then;
    }
  };
  await Promise.all(connections.map(loop));
  const seconds = (performance.now() - startedAt) / SECONDS;
  return { perSecond: times.length / seconds, times: Float64Array.from(times).sort() };
}

export const percentile = (sorted: Float64Array, share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
