// The way of the data: a request's sender is made out (routes/guard), the room is found through what he is to it
// (domain/access), a decision says what follows (domain/*-change), and the writer commits it together with others that wait.
// What was committed is then told, in this order: to those who listen (feed), to hooks, to the copilot. A hook and a
// copilot post as anybody does, through the same commit. Each file of composition/ puts a few parts together.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Hono } from 'hono';
import type { Clock } from '../kernel/clock.ts';
import { ownDataDirectory } from '../kernel/data-directory.ts';
import type { HttpEnv } from '../kernel/http.ts';
import type { Log } from '../kernel/log.ts';
import { type Listener, listen } from '../kernel/server.ts';
import { executableFile } from '../kernel/thread.ts';
import { bootstrapAdmin } from './authentication/authentication-bootstrap.ts';
import { createSecretVault, loadSecretKey } from './authentication/secret-vault.ts';
import { composeBridges, openAlerts } from './composition/bridges.ts';
import { composeCopilot } from './composition/copilot.ts';
import type { ComposeInputs, RoomsCore } from './composition/core.ts';
import { composeDirectory } from './composition/directory.ts';
import { composeEdge } from './composition/edge.ts';
import { composeLive } from './composition/live.ts';
import { composeMessages } from './composition/messages.ts';
import { composePage } from './composition/page.ts';
import { composeStatus } from './composition/status.ts';
import type { RoomsOptions } from './config/rooms-options.ts';
import { createIdMaker } from './id-maker.ts';
import { OutboundGuard } from './outbound/outbound-guard.ts';
import { RoomState } from './room-state.ts';
import { RoomWriter } from './room-writer.ts';
import { eventPaths } from './routes/events.ts';
import { createRoomsApp, type Paths } from './routes/index.ts';
import { presencePaths } from './routes/presence.ts';
import { openRoomStore } from './store/open-room-store.ts';
import type { RoomStore } from './store/room-store.ts';

const GRACE_MS = 9_000;
const CONNECT_TIMEOUT_MS = 5_000;

export interface RoomsServer {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** The last position of the log at the start. */
  readonly pos: number;
  /** Of the admin, made at the very first start with tokens; shown once and then known to nobody here. */
  readonly firstToken: string | undefined;
  /** Resolves when the store has failed for good: the process should end with 1. */
  readonly failed: Promise<void>;
  /** Answers what is under way, tells streams to come back, then ends. Idempotent. */
  close(): Promise<void>;
}

/** Starts the server; it answers when this resolves. A CommandError says why it cannot. */
export async function startRooms(options: RoomsOptions, clock: Clock, log: Log): Promise<RoomsServer> {
  const path = resolve(options.dataDir);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const directory = await ownDataDirectory(path, clock);
  let store: RoomStore | undefined;
  let rooms: ComposedRooms | undefined;
  let listener: Listener | undefined;
  const close = async () => {
    await listener?.close(GRACE_MS);
    await rooms?.close();
    await store?.close();
    directory.release();
  };
  try {
    const opening = openRoomStore({
      directory,
      clock,
      durability: options.durability,
      log,
      threadFile: executableFile,
    });
    // The store has a thread of its own to open in.
    const [{ pages }, opened] = await Promise.all([import('virtual:web'), opening]);
    store = opened;
    rooms = await composeRooms({ options, store, clock, log, page: pages.rooms });
    const { app, core, firstToken, failed, endStreams, listensAt } = rooms;
    listener = await listen({ fetch: app.fetch, addresses: [options.listenAddress], clock, endStreams });
    listensAt(listener.url);
    for (const address of listener.addresses) log.info('Listening on', { address });
    let closing: Promise<void> | undefined;
    return {
      url: listener.url,
      pos: core.writer.pos,
      firstToken,
      failed,
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

export interface ComposedRooms {
  readonly app: Hono<HttpEnv>;
  readonly core: RoomsCore;
  /** As in RoomsServer. */
  readonly firstToken: string | undefined;
  readonly failed: Promise<void>;
  /** Told once where the server listens. */
  listensAt(url: string): void;
  endStreams(): Promise<void>;
  close(): Promise<void>;
}

/** All parts and paths of a server, on a store that is open. */
export async function composeRooms(inputs: ComposeInputs): Promise<ComposedRooms> {
  const { store, clock, log, options } = inputs;
  const stored = await store.load();
  const state = new RoomState(stored.records, stored.heads);
  const newId = createIdMaker(clock, randomBytes);
  let fail = () => {};
  const failed = new Promise<void>((done) => {
    fail = done;
  });
  const writer = new RoomWriter(
    { state, store, clock, log, newId, readOnly: options.readOnly, failed: () => fail() },
    stored.pos,
  );
  void store.failed.then(() => fail());
  const edge = composeEdge(inputs, state, writer);
  const { guard } = edge;
  const { epoch, firstPos } = stored;
  const live = composeLive({ inputs, stored, state, writer });
  const { feed, presence } = live;
  const outbound = new OutboundGuard({ connectTimeoutMs: CONNECT_TIMEOUT_MS, variables: process.env });
  const vault = createSecretVault(options.secretKey ?? loadSecretKey(options.dataDir));
  const core: RoomsCore = { ...inputs, epoch, firstPos, state, writer, guard, newId, feed, presence, outbound, vault };
  const directory = composeDirectory(core);
  let url = '';
  const words = composeMessages(core);
  const alerts = openAlerts(core);
  const copilot = composeCopilot(core, { ...words, alerts });
  const bridges = composeBridges(core, { messages: words.book, alerts, desk: copilot.runDesk, url: () => url });
  const paths: Paths[] = [
    ...words.paths(bridges.commands),
    ...directory.paths,
    ...bridges.paths,
    ...copilot.paths,
    eventPaths({ guard, state, ...live }),
    presencePaths({ guard, state, clock, announcer: feed, presence }),
    ...composePage(core, directory.rooms, words.reader),
  ];
  const runs = () => copilot.runs.counts();
  const { gate, paths: all } = composeStatus(core, paths.concat(edge.paths), runs);
  if (!options.readOnly) await copilot.runs.recover();
  return {
    app: createRoomsApp({ paths: all, gate, log }),
    core,
    firstToken: options.auth === 'token' ? await bootstrapAdmin(state, writer, options.adminToken) : undefined,
    failed,
    listensAt(address) {
      url = address;
    },
    async endStreams() {
      await Promise.all([feed.close(), copilot.streams.close()]);
    },
    async close() {
      await feed.close();
      await copilot.close();
      await bridges.close();
      await alerts?.close();
      await directory.close();
      await words.close();
      await outbound.close();
      await edge.close();
      await writer.close();
    },
  };
}
