import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Node's internals of a socket: the connection itself, and the server that counts it. */
interface SocketInside {
  _handle: object | null;
  _server: EventEmitter | null;
  readonly encrypted?: boolean;
}

const TAKEN = Symbol('a connection was taken from its answer');
/** A buffer for data of a client that is read and dropped. */
const WASTE = Buffer.alloc(16 * 1024);
const onread = { buffer: WASTE, callback: () => true };

/**
 * Takes the connection from an answer whose head is written, so that the parser, the request and the answer, 6 KiB
 * together, are freed while their stream stays: for Node, the answer is over. The server still counts the connection. Data
 * of the client is no longer read as requests; when the client ends, so does the connection.
 *
 * Undefined if that is not possible, now or at all: the answer waits for its turn, the request is not wholly read, bytes
 * are still unsent, or the connection uses TLS, which takes ten times as much memory.
 */
export function takeSocket(outgoing: ServerResponse): Socket | undefined {
  const { socket, req } = outgoing;
  if (!socket?.readable || !socket.writable || socket.writableLength > 0 || !req.complete) return undefined;
  const inside = socket as unknown as SocketInside;
  const { _handle: handle, _server: server, encrypted } = inside;
  if (!handle || encrypted) return undefined;
  inside._handle = null;
  inside._server = null;
  const taken = new Socket({ handle, onread } as ConstructorParameters<typeof Socket>[0]);
  (taken as unknown as SocketInside)._server = server;
  // Without a byte: the released socket has no connection any more.
  outgoing.end(() => socket.destroy());
  server?.emit(TAKEN, taken);
  return taken;
}

/** Emits every connection of a server that is taken from its answer. */
export function onTakenSocket(server: EventEmitter, listener: (socket: Socket) => void): void {
  server.on(TAKEN, listener);
}
