import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { HttpEnv } from '../../kernel/http/app.ts';
import { bootstrapAdmin, hasRuler } from '../authentication/authentication/bootstrap.ts';
import { createSecretCipher, loadSecretKey, warnOfClosedSecrets } from '../authentication/secret-cipher.ts';
import { createIdMaker } from '../id-maker.ts';
import { RoomState } from '../room/state.ts';
import { RoomWriter } from '../room/writer.ts';
import { eventPaths } from '../routes/events.ts';
import { createRoomsApp, type Paths } from '../routes/index.ts';
import { presencePaths } from '../routes/presence.ts';
import { composeBridges, openAlerts } from './bridges.ts';
import { composeCopilot } from './copilot.ts';
import { type ComposeInputs, openOutbound, type RoomsCore } from './core.ts';
import { composeDirectory } from './directory.ts';
import { composeEdge } from './edge.ts';
import { composeLive } from './live.ts';
import { composeMessages } from './messages.ts';
import { composePage } from './page.ts';
import { composeStatus } from './status.ts';

const CONNECT_TIMEOUT_MS = 5_000;

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
  const outbound = openOutbound(options, CONNECT_TIMEOUT_MS);
  const cipher = createSecretCipher(options.secretKey ?? loadSecretKey(options.dataDir));
  warnOfClosedSecrets(cipher, state.all('secret'), log);
  const alertRooms = new Set(options.alertsRooms);
  const parts = { epoch, firstPos, state, writer, guard, newId, feed, presence, outbound, cipher, alertRooms };
  const core: RoomsCore = { ...inputs, ...parts };
  const directory = composeDirectory(core);
  let url = '';
  const words = composeMessages(core);
  const alerts = openAlerts(core);
  const copilot = composeCopilot(core, { ...words, alerts });
  const bridges = composeBridges(core, { messages: words.messages, alerts, runs: copilot.requests, url: () => url });
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
  const { middleware, paths: all } = composeStatus(core, paths.concat(edge.paths), runs);
  if (!options.readOnly) await copilot.runs.recover();
  const firstToken =
    options.auth === 'token' ? await bootstrapAdmin(state, writer, options.adminToken, clock.now()) : undefined;
  if (options.auth === 'token' && options.readOnly && !hasRuler(state, clock.now()))
    log.warn('no token lets an admin in, and none can be made: start once without --read-only');
  if (firstToken !== undefined && options.exposure !== undefined)
    log.info(`Everybody signs in with tokens, since ${options.exposure} lets others reach the server`);
  return {
    app: createRoomsApp({ paths: all, middleware, log }),
    core,
    firstToken,
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
