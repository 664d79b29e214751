import {
  createServer as createHttpServer,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import net, {
  type AddressInfo,
  isIPv4,
  type ListenOptions as NetListenOptions,
  Server as NetServer,
  type Socket,
} from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
// Loaded after the first server, its marker would be a Response of the class that the server has replaced by then.
import '@hono/node-server/utils/response';
import type { Clock } from '../clock.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../errors.ts';
import { onTakenSocket } from '../sse/stream-socket.ts';
import { ownProgram } from '../threads/thread.ts';
import { BcryptThread, compareHere } from './bcrypt-thread.ts';
import type { Http2Connections } from './http2-connections.ts';
import { type ListenAddress, printHostPort } from './listen-address.ts';
import type { Compare } from './password-check.ts';
import { type Fetch, guardFetch, type RequestRules } from './server-guard.ts';
import { guardSite, type SiteRules } from './site-address.ts';
import type { TlsFront, TlsSettings } from './tls-front.ts';

/** The time in which a client must send the headers of a request. */
const HEADERS_TIMEOUT_MS = 15_000;
/** The time in which a client must send a whole request. */
const REQUEST_TIMEOUT_MS = 60_000;

export interface ListenOptions {
  readonly fetch: Fetch;
  readonly addresses: readonly ListenAddress[];
  /** Lets other threads listen there too: the system spreads connections over them. */
  readonly isShared?: boolean;
  /** File descriptors of open sockets to listen on instead of the addresses. */
  readonly sockets?: readonly number[] | undefined;
  /** Answers over HTTPS, with the settings in force when a connection comes in; see createTlsFront. */
  readonly tls?: (() => TlsSettings) | undefined;
  /** Lets through requests that the rules in force allow; see guardFetch. */
  readonly rules?: (() => RequestRules) | undefined;
  /** Keeps out pages of other sites; see guardSite. */
  readonly site?: SiteRules | undefined;
  /** Compares the passwords of the rules' users; bcrypt unless given. */
  readonly comparePassword?: Compare | undefined;
  /** Maximum bytes of a request's head with its path; Node's 16 KiB unless given. Beyond it the answer is 431, or a reset of HTTP/2. */
  readonly maxHeaderBytes?: number | undefined;
  readonly clock: Clock;
  /** Called at the start of a close to end the streams that do not end by themselves; resolves when they are written out. */
  readonly endStreams?: () => Promise<void>;
}

export interface Listener {
  /** `http://host:port` or `https://host:port` of the first address, with the bound port. */
  readonly url: string;
  /** `host:port` of every address, as bound; the path of a Unix socket. */
  readonly addresses: readonly string[];
  /** Stops accepting, lets running requests finish for at most `deadlineMs`, then cuts the rest. Idempotent. */
  close(deadlineMs: number): Promise<void>;
}

/** Binds every address, or none: a CommandError names the address that cannot be bound. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const { addresses, sockets, clock, endStreams, tls } = options;
  const { fetch: guarded, end } = protect(options);
  const fetch = options.site ? guardSite(guarded, options.site) : guarded;
  const places: readonly Place[] = sockets?.map((fd) => ({ fd })) ?? addresses;
  const servers: TrackedServer[] = [];
  try {
    for (const place of places) {
      const server = createServer(fetch, options.maxHeaderBytes);
      const tracked = track(server);
      if (tls) await secure(tracked, tls, options);
      await bind(server, place, options.isShared);
      servers.push(tracked);
    }
  } catch (error) {
    for (const { server } of servers) server.close();
    await end();
    throw error;
  }
  const bound = servers.map(({ server }) => server.address() as AddressInfo | string);
  let closing: Promise<void> | undefined;
  return {
    addresses: bound.map(printAddress),
    url: `${tls ? 'https' : 'http'}://${reachableAt(bound[0])}`,
    close(deadlineMs) {
      closing ??= drain(servers, deadlineMs, clock, endStreams).finally(end);
      return closing;
    },
  };
}

/** `end` is to be called when no more requests come. */
function protect({ fetch, rules, comparePassword, clock }: ListenOptions): { fetch: Fetch; end(): Promise<void> } {
  if (!rules) return { fetch, end: async () => {} };
  const thread = ownProgram && new BcryptThread(ownProgram, clock);
  const compare = comparePassword ?? (thread ? (...texts) => thread.compare(...texts) : compareHere);
  return { fetch: guardFetch(fetch, rules, clock, compare), end: async () => thread?.close() };
}

type Place = ListenAddress | { readonly fd: number };

function createServer(fetch: Fetch, maxHeaderBytes: number | undefined): Server {
  return createAdaptorServer({
    // HTTP/1.0, which load balancers still use for health checks, has no Host.
    hostname: 'localhost',
    fetch: fetch as Parameters<typeof createAdaptorServer>[0]['fetch'],
    createServer: ((options: ServerOptions, listener: RequestListener) =>
      createHttpServer(options, withBody(listener))) as typeof createHttpServer,
    serverOptions: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Otherwise Node checks both only every 30 s.
      connectionsCheckingInterval: 5_000,
      ...(maxHeaderBytes === undefined ? {} : { maxHeaderSize: maxHeaderBytes }),
    },
    // This would cut off a client that still writes after its answer; node:http reads on until the timeout.
    autoCleanupIncoming: false,
  }) as Server;
}

/**
 * Passes a request on when the data that came with its head has been parsed, which Node does next: then a small body can be
 * read without waiting.
 */
function withBody(listener: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    if (incoming.method === 'POST' || incoming.method === 'PUT') process.nextTick(listener, incoming, outgoing);
    else listener(incoming, outgoing);
  };
}

interface TrackedServer {
  readonly server: Server;
  /** By connection of HTTP/1.1, the number of its answers that are not yet wholly passed to the operating system. */
  readonly answering: ReadonlyMap<Socket, number>;
  /** Connections of event streams, which no longer need their answers. */
  readonly streaming: ReadonlySet<Socket>;
  front?: TlsFront;
  /** Undefined until a client has chosen HTTP/2. */
  http2?: Promise<Http2Connections>;
}

/**
 * Counts answers by connection. In a set of answers, which come and go, V8 links old entries to new ones, so that one that
 * has become old would keep the others from being freed soon.
 */
function track(server: Server): TrackedServer {
  const answering = new Map<Socket, number>();
  const add = (socket: Socket, change: number) => {
    const count = answering.get(socket);
    if (count !== undefined) answering.set(socket, count + change);
  };
  server.on('connection', (socket: Socket) => {
    answering.set(socket, 0);
    socket.once('close', () => answering.delete(socket));
  });
  // One listener for all of them, and not `once`, which wraps each.
  function answered(this: ServerResponse): void {
    add(this.req.socket, -1);
  }
  server.on('request', ({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
    if (httpVersionMajor === 2) return;
    add(socket, 1);
    response.on('close', answered);
    // Pipelined requests that wait for the answer of the first.
    if (!response.socket) closeWith(socket, response);
  });
  const streaming = new Set<Socket>();
  function forget(this: Socket): void {
    streaming.delete(this);
  }
  onTakenSocket(server, (socket) => streaming.add(socket.on('close', forget)));
  return { server, answering, streaming };
}

/** Node reports the end of a connection only to its current answer. */
function closeWith(socket: Socket, response: ServerResponse): void {
  const close = () => {
    if (response.socket) return;
    response.destroy();
    response.emit('close');
  };
  socket.setMaxListeners(0).once('close', close);
  response.once('close', () => socket.off('close', close));
}

/** From here on all listeners get a connection only when it is secured, and those of HTTP/2 only its requests. */
async function secure(tracked: TrackedServer, settings: () => TlsSettings, options: ListenOptions): Promise<void> {
  const { createTlsFront } = await import('./tls-front.ts');
  const { server } = tracked;
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[];
  const front = createTlsFront(settings, (socket) => {
    if (socket.alpnProtocol === 'h2') {
      tracked.http2 ??= openHttp2(server, options);
      void tracked.http2.then((http2) => http2.accept(socket));
    } else for (const listener of listeners) listener.call(server, socket);
  });
  server.removeAllListeners('connection').on('connection', (socket: Socket) => front.accept(socket));
  tracked.front = front;
}

async function openHttp2(server: Server, { maxHeaderBytes, clock }: ListenOptions): Promise<Http2Connections> {
  const { Http2Connections } = await import('./http2-connections.ts');
  return new Http2Connections({
    answer: (incoming, outgoing) => server.emit('request', incoming, outgoing),
    maxHeaderBytes: maxHeaderBytes ?? maxHeaderSize,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    clock,
  });
}

function printAddress(bound: AddressInfo | string): string {
  return typeof bound === 'string' ? bound : printHostPort(bound.address, bound.port);
}

function reachableAt(bound: AddressInfo | string | undefined): string {
  if (bound === undefined || typeof bound === 'string') return 'localhost';
  const everywhere = bound.address === '::' || bound.address === '0.0.0.0';
  return printHostPort(everywhere ? 'localhost' : bound.address, bound.port);
}

function bind(server: NetServer, place: Place, reusePort = false): Promise<void> {
  const name = 'fd' in place ? `file descriptor ${place.fd}` : printHostPort(place.host ?? '', place.port);
  return new Promise((resolve, reject) => {
    // The listener stays: without it, a connection that cannot be accepted would end the process.
    server.on('error', (error) => reject(explain(error, name)));
    try {
      server.listen('fd' in place ? place : socketAt(place, reusePort), resolve);
    } catch (error) {
      reject(explain(error as Error, name));
    }
  });
}

/** Only newer versions of Node have it. Takes numeric addresses alone. */
const { BoundSocket } = net as { BoundSocket?: new (options: NetListenOptions) => object };

/**
 * The bound socket of an IPv4 address where Node has such sockets: for a host, `listen` compiles Node's regular expression of
 * IPv6 addresses, which takes 4 ms of the start.
 */
function socketAt({ host, port }: ListenAddress, reusePort: boolean): object {
  if (host === undefined) return { port, reusePort };
  return BoundSocket && isIPv4(host) ? new BoundSocket({ host, port, reusePort }) : { host, port, reusePort };
}

/**
 * Fails like `listen` if the address is in use. Threads that share an address would also share it with a process of the same
 * user without an error.
 */
export async function requireFree(address: ListenAddress): Promise<void> {
  const server = new NetServer();
  await bind(server, address);
  await new Promise((resolve) => server.close(resolve));
}

/** Whether several threads can listen on one address: on Linux and FreeBSD, not on macOS and Windows. */
export async function canShareAddresses(): Promise<boolean> {
  const server = new NetServer();
  try {
    await bind(server, { host: '127.0.0.1', port: 0 }, true);
  } catch {
    return false;
  }
  await new Promise((resolve) => server.close(resolve));
  return true;
}

function explain(error: Error, address: string): CommandError {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'the port is taken; stop what listens there or choose another one',
    EACCES: 'this user may not listen there; ports below 1024 need privileges',
    EBADF: 'no socket was opened for this process there',
    EADDRNOTAVAIL: 'no interface of this machine has that address',
    ENOTFOUND: 'the host name is not known',
  };
  const reason = reasons[systemCodeOf(error) ?? ''] ?? messageOf(error);
  return new CommandError(`cannot listen on ${address}: ${reason}`, ExitCode.failed, { cause: error });
}

/** The interval at which idle connections are closed while the server waits for the others. */
const IDLE_CHECK_MS = 25;

async function drain(
  servers: readonly TrackedServer[],
  deadlineMs: number,
  clock: Clock,
  endStreams?: () => Promise<void>,
): Promise<void> {
  // Not http's own close: it destroys answers that are ended but still on their way to a slow reader.
  const closed = servers.map(
    ({ server }) => new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())),
  );
  const closeIdle = () => {
    for (const { answering, front } of servers) {
      front?.cutHandshakes();
      for (const [socket, count] of answering) if (count === 0) socket.destroy();
    }
  };
  const stopChecking = clock.every(IDLE_CHECK_MS, closeIdle);
  const cancel = clock.after(deadlineMs, () => {
    for (const { server, streaming, http2 } of servers) {
      server.closeAllConnections();
      for (const socket of streaming) socket.destroy();
      void http2?.then((connections) => connections.cut());
    }
  });
  for (const { http2 } of servers) void http2?.then((connections) => connections.close());
  endStreams?.().catch(() => {});
  closeIdle();
  await Promise.all(closed);
  for (const { http2 } of servers) (await http2)?.cut();
  stopChecking();
  cancel();
}
