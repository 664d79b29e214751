// A request: the guard authenticates its sender (routes/request/guard), the room is found through the sender's rights
// (domain/access), a decision says what is written (domain/*/change), and the writer commits it together with others that
// wait. Then the listeners follow in this order: streams (feed), hooks, copilots. Hooks and copilots post through the same
// commit. Each file of composition/ puts a few parts together.

import type { Clock } from '../kernel/clock.ts';
import { openDeck } from '../kernel/deck/deck.ts';
import type { Listener } from '../kernel/http/server.ts';
import type { Log } from '../kernel/log.ts';
import type { ComposedRooms } from './composition/rooms.ts';
import { type OpenStorage, openStorage } from './composition/storage.ts';
import type { RoomsOptions } from './config/rooms-options.ts';

const GRACE_MS = 9_000;

export interface RoomsServer {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  readonly storage: OpenStorage['kind'];
  /** The last position of the log at the start. */
  readonly pos: number;
  /** The admin's token, made at the first start with tokens; shown once and not stored. */
  readonly firstToken: string | undefined;
  state: ComposedRooms['state'];
  summary: ComposedRooms['summary'];
  /** Resolves when the store has failed for good: the process should end with 1. */
  readonly failed: Promise<void>;
  /** Answers open requests, asks streams to reconnect, then ends. Idempotent. */
  close(): Promise<void>;
}

/** Starts the server, which answers once this resolves; fails with a CommandError. */
export async function startRooms(
  options: RoomsOptions,
  clock: Clock,
  log: Log,
  deck = openDeck(options.deckUrl, clock),
): Promise<RoomsServer> {
  let storage: OpenStorage | undefined;
  let rooms: ComposedRooms | undefined;
  let listener: Listener | undefined;
  const close = async () => {
    await listener?.close(GRACE_MS);
    await rooms?.close();
    await storage?.close();
  };
  try {
    const opening = openStorage(options, clock, log);
    // The rest of the program loads while the storage opens.
    const [{ page }, { composeRooms }, { listen }, opened] = await Promise.all([
      import('virtual:web/rooms'),
      import('./composition/rooms.ts'),
      import('../kernel/http/server.ts'),
      opening,
    ]);
    storage = opened;
    const { store, nodes, dataDir } = opened;
    rooms = await composeRooms({
      ...{ store, nodes, log, page, deck },
      options: { ...options, dataDir },
      clock: opened.clock,
    });
    const { app, core, state, summary, firstToken, failed, endStreams, listensAt } = rooms;
    listener = await listen({ fetch: app.fetch, addresses: [options.listenAddress], clock, endStreams });
    listensAt(listener.url);
    for (const address of listener.addresses) log.info('Listening on', { address });
    let closing: Promise<void> | undefined;
    return {
      url: listener.url,
      storage: opened.kind,
      pos: core.writer.pos,
      firstToken,
      failed,
      state,
      summary,
      close() {
        closing ??= close();
        return closing;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
