import type { Socket } from 'node:net';
import type { Handover } from './notifier.ts';

/**
 * To be called in the turn in which the last byte was written to a socket. Calls `done` in the turn in which the operating
 * system has taken it; through TLS in the turn after it.
 */
export function handOver(socket: Socket, handover: Handover): void {
  // Node writes at once what the operating system has room for: what is left in the socket waits for the other side.
  if (socket.writableLength === 0) {
    handover.done();
    return;
  }
  // A socket with TLS learns of it only now.
  setImmediate(() => {
    if (!socket.writable) return;
    if (socket.writableLength === 0) handover.done();
    else socket.write('', (error) => error ?? handover.done());
  });
}
