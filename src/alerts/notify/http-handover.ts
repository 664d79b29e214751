import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Handover } from './notifier.ts';

/** That of the request which undici is just writing. */
let socketInUse: Socket | undefined;
let isWatching = false;

/** To be called before a request is sent whose handover is of interest. Idempotent. */
export function watchSockets(): void {
  if (isWatching) return;
  isWatching = true;
  // Published in the same turn, right before the request is written.
  subscribe('undici:client:sendHeaders', (message) => {
    socketInUse = (message as { readonly socket: Socket }).socket;
  });
}

/**
 * To be called by undici when it has just written a request whose body is a text or bytes. Calls `done` in the turn in
 * which the operating system has taken the last byte; through TLS in the turn after it.
 */
export function whenTaken(handover: Handover): void {
  const socket = socketInUse;
  // Node writes at once what the operating system has room for: what is left in the socket waits for the other side.
  if (socket?.writableLength === 0) {
    handover.done();
    return;
  }
  // A socket with TLS learns of it only now.
  setImmediate(() => {
    if (!socket?.writable) return;
    if (socket.writableLength === 0) handover.done();
    else socket.write('', (error) => error ?? handover.done());
  });
}
