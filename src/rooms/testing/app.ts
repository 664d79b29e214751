// Rooms in memory, in a data directory or on a database, without a port, for tests of routes.
import { mkdirSync } from 'node:fs';
import type { Clock } from '../../kernel/clock.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLog, type Log, type LogFormat } from '../../kernel/log.ts';
import { ownDataDirectory } from '../../kernel/storage/data-directory.ts';
import type { DatabaseFile } from '../../kernel/storage/database.ts';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';
import type { RoomsCore } from '../composition/core.ts';
import { type ComposedRooms, composeRooms } from '../composition/rooms.ts';
import type { OpenStorage } from '../composition/storage.ts';
import type { RoomsOptions } from '../config/rooms-options.ts';
import { openNode } from '../nodes/open.ts';
import { openRoomStore } from '../store/open.ts';
import { makeRoomTables, openMemoryRoomStore } from './store/memory-room-store.ts';

export const ROOMS_OPTIONS: Omit<RoomsOptions, 'dataDir'> = {
  listenAddress: { host: '127.0.0.1', port: 0 },
  storageUrl: undefined,
  storageWaitMs: 0,
  filesDir: undefined,
  auth: 'none',
  insecure: false,
  exposure: undefined,
  baseUrl: undefined,
  allowedHosts: [],
  corsOrigins: [],
  maxBodyBytes: 65_536,
  maxUploadBytes: 25 * 2 ** 20,
  retentionMs: 0,
  alertsUrl: undefined,
  relayUrl: undefined,
  relayKey: undefined,
  dashboardUrl: undefined,
  deckUrl: undefined,
  outboundProxy: undefined,
  alertsRooms: [],
  readOnly: false,
  rateLimits: false,
  requireIfMatch: false,
  keepEditHistory: true,
  presence: true,
  editWindowMs: 24 * 3_600_000,
  durability: 'off',
  adminToken: undefined,
  metricsToken: undefined,
  secretKey: 'a key that only tests use',
  secretsDir: undefined,
  nodeId: 'test',
};

export interface RoomsAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, parsed; `undefined` without one. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
}

export interface RequestParts {
  /** Of `X-Opsdeck-User`. */
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent unchanged, as text/plain unless the headers differ. */
  readonly body?: unknown;
}

export interface TestRooms {
  readonly core: RoomsCore;
  readonly rooms: ComposedRooms;
  /** Of its files. */
  readonly folder: string;
  readonly log: () => string;
  send(method: string, path: string, parts?: RequestParts): Promise<RoomsAnswer>;
  /** Ends these rooms and opens the same ones again, as a restart does, with changed options. */
  restart(changed?: Partial<RoomsOptions>): Promise<TestRooms>;
}

export interface TestRoomsOptions {
  readonly options?: Partial<RoomsOptions>;
  readonly clock?: Clock;
  /** The data directory. Without one, the rooms are in memory, and their files in a folder. */
  readonly folder?: string;
  /** The rooms in memory; new ones by default. */
  readonly tables?: DatabaseFile | undefined;
  /** `logfmt` by default. */
  readonly logFormat?: LogFormat;
  /** By default that of the options. */
  readonly storage?: OpenStorage;
}

/** Composes rooms that are closed after the test. */
export async function openTestRooms(
  t: Cleanup,
  {
    options,
    clock = systemClock,
    folder: given,
    tables = given === undefined ? makeRoomTables() : undefined,
    logFormat = 'logfmt',
    storage: opened,
  }: TestRoomsOptions = {},
): Promise<TestRooms> {
  let written = '';
  const write = (line: string) => {
    written += line;
  };
  const log = createLog({ level: 'debug', format: logFormat, clock, write });
  const folder = given ?? temporaryFolder(t);
  const all: RoomsOptions = { ...ROOMS_OPTIONS, dataDir: folder, ...options };
  const storage = opened ?? (await openTestStorage(all, tables, clock, log));
  const { store, nodes } = storage;
  const rooms = await composeRooms({ options: all, store, nodes, clock: storage.clock, log });
  rooms.listensAt('http://127.0.0.1:8065');
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await rooms.endStreams();
    await rooms.close();
    await storage.close();
  };
  t.after(close);
  return {
    core: rooms.core,
    rooms,
    folder,
    log: () => written,
    send: (method, path, parts = {}) => send(rooms, method, path, parts),
    async restart(changed = {}) {
      await close();
      return openTestRooms(t, { options: { ...options, ...changed }, clock, folder, tables });
    },
  };
}

async function openTestStorage(
  options: RoomsOptions,
  tables: DatabaseFile | undefined,
  clock: Clock,
  log: Log,
): Promise<OpenStorage> {
  const { dataDir, storageUrl, durability } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (storageUrl !== undefined) return openNode({ ...options, storageUrl }, clock, log);
  if (tables) {
    const store = await openMemoryRoomStore(tables, clock, log);
    return { kind: 'sqlite', store, clock, dataDir, close: () => store.close() };
  }
  const directory = await ownDataDirectory(dataDir, systemClock);
  const store = await openRoomStore({ directory, clock, durability, log });
  const close = async () => {
    await store.close();
    directory.release();
  };
  return { kind: 'sqlite', store, clock, dataDir, close };
}

async function send(
  rooms: ComposedRooms,
  method: string,
  path: string,
  { as, headers, body }: RequestParts,
): Promise<RoomsAnswer> {
  const named: Record<string, string> = { host: '127.0.0.1:8065' };
  if (as !== undefined) named['x-opsdeck-user'] = as;
  if (body !== undefined) named['content-type'] = typeof body === 'string' ? 'text/plain' : 'application/json';
  const answer = await rooms.app.request(`http://127.0.0.1:8065${path}`, {
    method,
    headers: { ...named, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: parse(text) };
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
