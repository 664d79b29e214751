import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import type { RoomsSummary } from '../../hub/contract.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import type { HttpEnv } from '../../kernel/http/app.ts';
import { bootstrapAdmin, hasRuler } from '../authentication/authentication/bootstrap.ts';
import { createSecretCipher, loadSecretKey, warnOfClosedSecrets } from '../authentication/secret-cipher.ts';
import { closedSecrets } from '../domain/closed-secret.ts';
import { createIdMaker } from '../id-maker.ts';
import { announceEverywhere } from '../nodes/announcer.ts';
import { LOCAL_JOBS } from '../nodes/jobs.ts';
import type { RoomDirectory } from '../room/directory.ts';
import { RoomState } from '../room/state.ts';
import { RoomWriter } from '../room/writer.ts';
import { eventPaths } from '../routes/events.ts';
import { createRoomsApp, type Paths } from '../routes/index.ts';
import { presencePaths } from '../routes/presence.ts';
import { composeAuthentication } from './authentication.ts';
import { composeCopilot } from './copilot.ts';
import { type ComposeInputs, openOutbound, type RoomsCore } from './core.ts';
import { composeDirectory } from './directory.ts';
import { composeFeed } from './feed.ts';
import { composeIntegrations, openAlerts } from './integrations.ts';
import { composeMessages } from './messages.ts';
import { composePage } from './page.ts';
import { composeStatus } from './status.ts';

const CONNECT_TIMEOUT_MS = 5_000;

export interface ComposedRooms {
  readonly app: Hono<HttpEnv>;
  readonly core: RoomsCore;
  state(): ServerState;
  /** What the hub shows to the user of these cookies. */
  summary(cookies: string | undefined): Promise<RoomsSummary>;
  /** As in RoomsServer. */
  readonly firstToken: string | undefined;
  readonly failed: Promise<void>;
  /** Called once with the address of the server. */
  listensAt(url: string): void;
  endStreams(): Promise<void>;
  close(): Promise<void>;
}

/** All parts and paths of a server, on a store that is open. */
export async function composeRooms(inputs: ComposeInputs): Promise<ComposedRooms> {
  const { core, failed, authentication, streams } = await composeCore(inputs);
  const { state, clock, guard, feed, presence, log } = core;
  let url = '';
  const messages = composeMessages(core);
  const directory = composeDirectory(core, messages.files);
  const alerts = openAlerts(core);
  const copilot = composeCopilot(core, { ...messages, alerts });
  const integrations = composeIntegrations(core, { ...messages, alerts, runs: copilot.requests, url: () => url });
  const tables: Paths[] = [
    ...messages.paths(integrations.commands),
    ...directory.paths,
    ...integrations.paths,
    ...copilot.paths,
    eventPaths({ guard, state, ...streams, refresh: core.store.refresh?.bind(core.store) }),
    presencePaths({ guard, state, clock, announcer: core.announcer, presence }),
    ...composePage(core, directory.rooms, messages.reader),
    ...authentication.paths,
  ];
  const { middleware, paths, state: serverState } = composeStatus(core, tables, () => copilot.runs.counts());
  if (!core.options.readOnly) await copilot.runs.recover();
  const firstToken = await openSignIn(core);
  return {
    app: createRoomsApp({ paths, middleware, log }),
    core,
    state: serverState,
    summary: (cookies) => summarize(core, directory.rooms, cookies),
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
      await integrations.close();
      await alerts?.close();
      await directory.close();
      await messages.close();
      await core.outbound.close();
      await authentication.close();
      await core.writer.close();
    },
  };
}

/** The parts that all others need. `failed` resolves when the store or the writer has failed for good. */
async function composeCore(inputs: ComposeInputs) {
  const { store, clock, log, options } = inputs;
  const stored = await store.load();
  const state = new RoomState(stored.records, stored.heads);
  const newId = createIdMaker(clock, randomBytes);
  let fail = () => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  const writer = new RoomWriter(
    { state, store, clock, log, newId, readOnly: options.readOnly, failed: () => fail() },
    stored.pos,
  );
  void store.failed.then(() => fail());
  const authentication = composeAuthentication(inputs, state, writer);
  const streams = composeFeed({ inputs, stored, state, writer });
  const secretKey = inputs.nodes?.secretKey ?? options.secretKey ?? loadSecretKey(options.dataDir);
  const cipher = createSecretCipher(secretKey);
  const closed = () =>
    closedSecrets(
      state.all('secret'),
      (owner, secret) => cipher.open(owner, secret) !== undefined,
      (kind, key) => state.get(kind, key),
    );
  warnOfClosedSecrets(closed(), log);
  inputs.nodes?.start();
  const core: RoomsCore = {
    ...inputs,
    firstPos: stored.firstPos,
    state,
    writer,
    guard: authentication.guard,
    newId,
    feed: streams.feed,
    announcer: inputs.nodes ? announceEverywhere(streams.feed, inputs.nodes.signals) : streams.feed,
    jobs: inputs.nodes?.jobs ?? LOCAL_JOBS,
    presence: streams.presence,
    outbound: openOutbound(options, CONNECT_TIMEOUT_MS),
    cipher,
    closedSecrets: closed,
    alertRooms: new Set(options.alertsRooms),
  };
  return { core, failed, authentication, streams };
}

/** Ensures that an admin can sign in where tokens are asked for; returns the secret of a token made for that. */
async function openSignIn({ options, state, writer, clock, log }: RoomsCore): Promise<string | undefined> {
  if (options.auth === 'none') return undefined;
  const firstToken = await bootstrapAdmin(state, writer, options.adminToken, clock.now());
  if (options.readOnly && !hasRuler(state, clock.now()))
    log.warn('no token lets an admin in, and none can be made: start once without --read-only');
  if (firstToken !== undefined && options.exposure !== undefined)
    log.info(`Everybody signs in with tokens, since ${options.exposure} lets others reach the server`);
  return firstToken;
}

async function summarize(
  { state, writer, guard }: RoomsCore,
  directory: RoomDirectory,
  cookies: string | undefined,
): Promise<RoomsSummary> {
  if (writer.trouble !== undefined) throw new Error('the storage is away');
  const rooms = [...state.all('room').values()].filter(({ archived }) => !archived);
  const firing = rooms.filter(({ id }) => state.firingAlerts(id) > 0).length;
  const viewer = guard.authenticator.recognize(cookies);
  const mentions = viewer?.scopes.has('read') ? await directory.mentions(viewer) : null;
  return { kind: 'rooms', rooms: rooms.length, firing, mentions };
}
