import { connect, type Socket } from 'node:net';
import { HANG_MS } from '../eventually.ts';
import type { Cleanup } from '../processes.ts';

/** Writes arbitrary bytes and keeps the beginning of the response. */
export interface HostileClient {
  readonly socket: Socket;
  received(): string;
}

const KEPT = 4096;

export function connectHostile(t: Cleanup, url: string): Promise<HostileClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    if (text.length < KEPT) text += chunk.slice(0, KEPT);
  });
  t.after(() => socket.destroy());
  return new Promise((done, fail) => {
    socket.once('error', fail);
    socket.once('connect', () => {
      // The server may cut the connection.
      socket.off('error', fail).on('error', () => {});
      done({ socket, received: () => text });
    });
  });
}

export const connectManyHostile = (t: Cleanup, url: string, count: number): Promise<HostileClient[]> =>
  Promise.all(Array.from({ length: count }, () => connectHostile(t, url)));

/** Writes the piece repeatedly until `total` bytes are sent or the server responds or closes. */
export async function pump({ socket, received }: HostileClient, piece: Buffer, total: number): Promise<void> {
  for (let sent = 0; sent < total && !socket.destroyed && received() === ''; sent += piece.length) {
    if (socket.write(piece)) continue;
    await new Promise<void>((done) => {
      const goOn = () => {
        socket.off('drain', goOn).off('close', goOn).off('data', goOn);
        done();
      };
      socket.on('drain', goOn).on('close', goOn).on('data', goOn);
    });
  }
}

/** Sends bytes; resolves with the status of the response, 0 if the connection is cut without one. */
export async function sendForStatus(t: Cleanup, url: string, bytes: string | Buffer): Promise<number> {
  const hostile = await connectHostile(t, url);
  const { socket, received } = hostile;
  socket.write(bytes);
  await new Promise<void>((done, fail) => {
    const timer = setTimeout(() => fail(new Error('neither a response nor a close')), HANG_MS);
    const end = () => {
      clearTimeout(timer);
      done();
    };
    socket.once('data', end).once('close', end);
    if (socket.destroyed || received() !== '') end();
  });
  socket.destroy();
  return statusOf(hostile);
}

/** The status of the first response, 0 without one. */
export function statusOf({ received }: Pick<HostileClient, 'received'>): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(received())?.[1] ?? 0);
}
