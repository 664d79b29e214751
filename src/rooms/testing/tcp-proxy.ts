import { connect, createServer, type Socket } from 'node:net';
import type { Cleanup } from '../../testing/processes.ts';

/** A fixed address for a server that is restarted. */
export interface TcpProxy {
  readonly url: string;
  /** Target of new connections; `undefined` refuses them. */
  forwardTo(url: string | undefined): void;
  /** Cuts the next `count` connections when the server answers: the server has acted, but the client gets no response. */
  cutAnswers(count: number): void;
  /** Cuts all open connections. */
  cut(): void;
  /** Number of connections cut at their response. */
  readonly cuts: number;
}

export async function openTcpProxy(t: Cleanup): Promise<TcpProxy> {
  let target: URL | undefined;
  let toCut = 0;
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (!target) {
      client.resetAndDestroy();
      return;
    }
    const isCut = toCut > 0;
    if (isCut) toCut--;
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        open.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (isCut) {
        cuts++;
        client.resetAndDestroy();
      } else client.write(chunk);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  t.after(() => {
    cut();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    forwardTo(url) {
      target = url === undefined ? undefined : new URL(url);
    },
    cutAnswers(count) {
      toCut = count;
    },
    cut,
    get cuts() {
      return cuts;
    },
  };
}
