import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
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
  /** Asked at the start of a close to end the streams that never end by themselves. */
  readonly endStreams?: () => void;
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
  const servers: Server[] = [];
  try {
    for (const address of addresses) {
      const server = createAdaptorServer({
        fetch: fetch as Parameters<typeof createAdaptorServer>[0]['fetch'],
        serverOptions: { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
      }) as Server;
      await bind(server, address);
      servers.push(server);
    }
  } catch (error) {
    for (const server of servers) server.close();
    throw error;
  }
  const bound = servers.map((server) => server.address() as AddressInfo);
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

function urlOf({ address, port }: AddressInfo): string {
  const everywhere = address === '::' || address === '0.0.0.0';
  return `http://${printHostPort(everywhere ? 'localhost' : address, port)}`;
}

function bind(server: Server, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explain(error, printHostPort(host ?? '', port))));
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.removeAllListeners('error');
      resolve();
    });
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

async function drain(
  servers: readonly Server[],
  deadlineMs: number,
  clock: Clock,
  endStreams?: () => void,
): Promise<void> {
  endStreams?.();
  const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
  for (const server of servers) server.closeIdleConnections();
  const cancel = clock.after(deadlineMs, () => {
    for (const server of servers) server.closeAllConnections();
  });
  await Promise.all(closed);
  cancel();
}
