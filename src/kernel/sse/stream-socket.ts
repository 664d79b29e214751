import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** What Node keeps within a socket: the connection itself, and the server that counts it. */
interface SocketInside {
  _handle: object | null;
  _server: EventEmitter | null;
  readonly encrypted?: boolean;
}

const TAKEN = Symbol('a connection was taken from its answer');
/** Where what a client still sends is read to, and forgotten. */
const WASTE = Buffer.alloc(16 * 1024);
const onread = { buffer: WASTE, callback: () => true };

/**
 * Takes the connection away from an answer whose head is written, so that the parser, the request and the answer, 6 KiB
 * together, can go while their stream stays: to Node, the answer is over. The server counts the connection on. What the
 * client sends is not read as requests any more; when it has sent all, the connection ends.
 *
 * Undefined where that cannot be, now or at all: the answer waits for its turn, the request is not wholly read, bytes are
 * still on their way, or the connection is secured, which takes ten times as much.
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
  // Without a byte: the socket that it lets go of has no connection any more.
  outgoing.end(() => socket.destroy());
  server?.emit(TAKEN, taken);
  return taken;
}

/** Tells of every connection of a server that is taken from its answer. */
export function onTakenSocket(server: EventEmitter, listener: (socket: Socket) => void): void {
  server.on(TAKEN, listener);
}
