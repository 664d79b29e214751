import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import type { Handover } from './notifier.ts';
import { handOver } from './socket-handover.ts';

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

/** To be called by undici when it has just written a request whose body is a text or bytes. */
export function whenTaken(handover: Handover): void {
  if (socketInUse) handOver(socketInUse, handover);
}
