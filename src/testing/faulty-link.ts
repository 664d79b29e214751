import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Cleanup } from './processes.ts';

/** A TCP link to a port of this machine that fails on demand. */
export interface FaultyLink {
  readonly port: number;
  /** Ends all connections, and refuses new ones. */
  refuse(): Promise<void>;
  /** Accepts connections, and passes nothing in either direction. */
  hang(): void;
  /** Ends all connections; new ones work as before. */
  cut(): void;
  /** Passes requests and drops the answers, so that a commit succeeds unknown to its client. */
  dropAnswers(): void;
  /** Works again. Connections that lost answers are ended; those that hung go on. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

type Mode = 'whole' | 'hanging' | 'one-way';

/** Starts a link to `target`, closed after the test. */
export async function startFaultyLink(target: number, t?: Cleanup): Promise<FaultyLink> {
  const pairs = new Set<Pair>();
  let mode: Mode = 'whole';
  const accept = (client: Socket) => {
    const pair = { client, server: connect(target, '127.0.0.1') };
    pairs.add(pair);
    join(
      pair,
      () => mode,
      () => pairs.delete(pair),
    );
    setFlow(pair, mode);
  };
  const cut = () => {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  };
  const change = (next: Mode) => {
    mode = next;
    for (const pair of pairs) setFlow(pair, next);
  };
  let listener: Server | undefined = createServer(accept);
  const port = await listen(listener, 0);
  const refuse = async () => {
    cut();
    const closed = listener && closing(listener);
    listener = undefined;
    await closed;
  };
  const link: FaultyLink = {
    port,
    refuse,
    cut,
    hang: () => change('hanging'),
    dropAnswers: () => change('one-way'),
    heal: async () => {
      if (mode === 'one-way') cut();
      change('whole');
      if (listener) return;
      listener = createServer(accept);
      await listen(listener, port);
    },
    close: refuse,
  };
  t?.after(() => link.close());
  return link;
}

function join({ client, server }: Pair, modeOf: () => Mode, ended: () => void): void {
  client.on('data', (bytes) => server.write(bytes));
  server.on('data', (bytes) => modeOf() === 'one-way' || client.write(bytes));
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ] as const) {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      other.destroy();
      ended();
    });
  }
}

function setFlow({ client, server }: Pair, mode: Mode): void {
  for (const socket of [client, server]) {
    if (mode === 'hanging') socket.pause();
    else socket.resume();
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => done((server.address() as { port: number }).port));
  });
}

function closing(server: Server): Promise<void> {
  return new Promise((done) => server.close(() => done()));
}
