import type { Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
// Loaded after the first server, its marker would be a Response of the class that the server has replaced by then.
import '@hono/node-server/utils/response';
import type { Clock } from './clock.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from './errors.ts';
import { type ListenAddress, printHostPort } from './listen-address.ts';

/** A request whose headers are not whole by then is a slow writer. */
const HEADERS_TIMEOUT_MS = 15_000;
/** A request whose body is not whole by then likewise. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface ListenOptions {
  readonly fetch: (request: Request, env: never) => Response | Promise<Response>;
  readonly addresses: readonly ListenAddress[];
  readonly clock: Clock;
  /** Asked at the start of a close to end the streams that never end by themselves; resolves when they are written out. */
  readonly endStreams?: () => Promise<void>;
}

export interface Listener {
  /** `http://host:port` of the first address, with the port that was really bound. */
  readonly url: string;
  /** `host:port` of every address, as bound. */
  readonly addresses: readonly string[];
  /** Stops accepting, lets running requests finish for at most `deadlineMs`, then cuts the rest. Idempotent. */
  close(deadlineMs: number): Promise<void>;
}

/** Binds every address, or none: a CommandError names the address that cannot be had. */
export async function listen({ fetch, addresses, clock, endStreams }: ListenOptions): Promise<Listener> {
  const servers: TrackedServer[] = [];
  try {
    for (const address of addresses) {
      const server = createAdaptorServer({
        fetch: fetch as Parameters<typeof createAdaptorServer>[0]['fetch'],
        serverOptions: {
          headersTimeout: HEADERS_TIMEOUT_MS,
          requestTimeout: REQUEST_TIMEOUT_MS,
          // Node looks for both only every 30 s otherwise.
          connectionsCheckingInterval: 5_000,
        },
        // It cuts a client off that still writes after its answer; node:http itself reads on, up to the timeout.
        autoCleanupIncoming: false,
      }) as Server;
      await bind(server, address);
      servers.push(track(server));
    }
  } catch (error) {
    for (const { server } of servers) server.close();
    throw error;
  }
  const bound = servers.map(({ server }) => server.address() as AddressInfo);
  let closing: Promise<void> | undefined;
  return {
    addresses: bound.map(({ address, port }) => printHostPort(address, port)),
    url: urlOf(bound[0] as AddressInfo),
    close(deadlineMs) {
      closing ??= drain(servers, deadlineMs, clock, endStreams);
      return closing;
    },
  };
}

interface TrackedServer {
  readonly server: Server;
  readonly sockets: ReadonlySet<Socket>;
  /** Answers that are not yet wholly handed to the operating system. */
  readonly answering: ReadonlySet<ServerResponse>;
}

function track(server: Server): TrackedServer {
  const sockets = new Set<Socket>();
  const answering = new Set<ServerResponse>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('request', (_, response: ServerResponse) => {
    answering.add(response);
    response.once('close', () => answering.delete(response));
  });
  return { server, sockets, answering };
}

function urlOf({ address, port }: AddressInfo): string {
  const everywhere = address === '::' || address === '0.0.0.0';
  return `http://${printHostPort(everywhere ? 'localhost' : address, port)}`;
}

function bind(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    // It stays: without it, a connection that cannot be accepted later would end the process.
    server.on('error', (error) => reject(explain(error, printHostPort(host ?? '', port))));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, resolve);
  });
}

function explain(error: Error, address: string): CommandError {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'the port is taken; stop what listens there or choose another one',
    EACCES: 'this user may not listen there; ports below 1024 need privileges',
    EADDRNOTAVAIL: 'no interface of this machine has that address',
    ENOTFOUND: 'the host name is not known',
  };
  const reason = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new CommandError(`cannot listen on ${address}: ${reason}`, ExitCode.failed, { cause: error });
}

/** How often connections that have become idle are closed while the server waits for the others. */
const IDLE_CHECK_MS = 25;

async function drain(
  servers: readonly TrackedServer[],
  deadlineMs: number,
  clock: Clock,
  endStreams?: () => Promise<void>,
): Promise<void> {
  // Not http's own close: that destroys answers which are ended but still on their way to a slow reader.
  const closed = servers.map(
    ({ server }) => new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())),
  );
  const closeIdle = () => {
    for (const { sockets, answering } of servers) {
      const busy = new Set([...answering].map(({ socket }) => socket));
      for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
    }
  };
  const stopChecking = clock.every(IDLE_CHECK_MS, closeIdle);
  const cancel = clock.after(deadlineMs, () => {
    for (const { server } of servers) server.closeAllConnections();
  });
  endStreams?.().catch(() => {});
  closeIdle();
  await Promise.all(closed);
  stopChecking();
  cancel();
}
