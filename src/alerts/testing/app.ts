import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aloneDeck } from '../../kernel/deck/deck.ts';
import type { SiteRules } from '../../kernel/http/site-address.ts';
import { createLog, type Log } from '../../kernel/log.ts';
import { Metrics } from '../../kernel/metrics/metrics.ts';
import type { Pattern } from '../../kernel/regexp/regexp.ts';
import type { Database } from '../../kernel/storage/database.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { FakeDatabase } from '../../testing/fake/database.ts';
import { composeApp } from '../composition/app.ts';
import { createPlan } from '../composition/plan.ts';
import { ActiveConfig } from '../config/active-config.ts';
import { ConfigSource } from '../config/config-source.ts';
import { ALERT_SERVER_DEFAULTS, type AlertServerOptions } from '../config/server-options.ts';
import type { ClusterMember } from '../contract/wire.ts';
import type { MatcherMode } from '../domain/matcher/parse.ts';
import { RouteTree } from '../domain/route.ts';
import type { NotifierSurroundings } from '../pipeline/open-notifiers.ts';
import type { SilenceRules } from '../silences/store.ts';
import { joinState } from '../state/alert-state.ts';
import { localStorage } from '../state/local-storage.ts';
import { openTelemetry } from '../telemetry.ts';

/** What a test may set; everything else is as `opsdeck alerts serve` has it. */
export interface AlertsAppOptions {
  /** The text of the configuration file. */
  readonly config?: string;
  readonly routePrefix?: string;
  readonly corsOrigins?: readonly string[];
  readonly corsOriginPattern?: Pattern;
  readonly site?: SiteRules;
  readonly silenceRules?: Partial<SilenceRules>;
  readonly perAlertnameLimit?: number;
  readonly matcherMode?: MatcherMode;
  readonly cluster?: ClusterMember;
  /** Stands in for the database that a test can let fail. */
  readonly realDatabase?: Database;
  /** The sender of notifications; none by default. */
  readonly openHttp?: NotifierSurroundings['openHttp'];
}

/** An answer as a test compares it. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text read as JSON. */
  readonly json: unknown;
}

export interface TestApp {
  readonly clock: FakeClock;
  readonly database: FakeDatabase;
  /** The lines that were logged. */
  readonly log: readonly string[];
  /** Where the configuration is read from when it is reloaded. */
  readonly configFile: string;
  send(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<TestAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<TestAnswer>;
  /** Sends JSON as a client does: typed, and with its length announced. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  delete(path: string): Promise<TestAnswer>;
  /** Begins to flush groups; without it they only fill. */
  startDispatching(): Promise<void>;
  stopDispatching(): Promise<void>;
}

const CONFIG = 'route: {receiver: default, group_by: [alertname]}\nreceivers: [{name: default}]\n';

/**
 * The HTTP interface of an alert server in this process, composed by server.ts itself, over a database that a test can let
 * fail and a clock that it moves. Silences get the ids 00000000-0000-4000-8000-000000000001, …002 and so on.
 */
export function createTestApp(t: { after(end: () => void): void }, options: AlertsAppOptions = {}): TestApp {
  const clock = new FakeClock();
  const database = new FakeDatabase();
  const lines: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'alerts-app-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const configFile = join(folder, 'alertmanager.yml');
  writeFileSync(configFile, options.config ?? CONFIG);
  const log = createLog({ level: 'info', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const created = createApp(options, configFile, { clock, database: options.realDatabase ?? database, log });
  const send: TestApp['send'] = async (method, path, headers = {}, body) => {
    const length: Record<string, string> = body ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const init = { method, headers: { ...length, ...headers }, ...(body === undefined ? {} : { body }) };
    return readAnswer(await (await created).app.request(path, init, {}));
  };
  return {
    clock,
    database,
    log: lines,
    configFile,
    send,
    get: (path, headers) => send('GET', path, headers),
    post(path, body, headers) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return send('POST', path, { 'content-type': 'application/json', ...headers }, text);
    },
    delete: (path) => send('DELETE', path),
    startDispatching: async () => (await created).plan.start(),
    stopDispatching: async () => (await created).plan.stop(),
  };
}

async function readAnswer(response: Response): Promise<TestAnswer> {
  const { status, headers } = response;
  const text = await response.text();
  return {
    status,
    headers,
    text,
    get json() {
      return JSON.parse(text) as unknown;
    },
  };
}

interface Surroundings {
  readonly clock: FakeClock;
  readonly database: Database;
  readonly log: Log;
}

const VERSION = { version: '1.2.3', revision: 'r', branch: 'b', buildUser: 'u', buildDate: 'd', goVersion: 'g' };

async function createApp(test: AlertsAppOptions, configFile: string, { clock, database, log }: Surroundings) {
  const { config: _, silenceRules, cluster, realDatabase: __, openHttp = refuseToSend, ...flags } = test;
  const startedAt = clock.now();
  const options = { ...ALERT_SERVER_DEFAULTS, storagePath: '', importPath: '', ...flags, ...silenceRules };
  const config = loadConfig(configFile, options, () => clock.now());
  const { route, inhibitRules: inhibitionRules } = config.current;
  const tree = new RouteTree(route);
  const storage = localStorage({ ...options, database, clock, log });
  const state = joinState({ options, tree, inhibitionRules, storage, clock, log, newId: countedIds() });
  const metrics = new Metrics();
  const telemetry = await openTelemetry(config.current, { recordsEvents: false, metrics, clock, log });
  const running = { options, deck: aloneDeck, config, state, telemetry, nodes: undefined, clock, log, startedAt };
  const externalUrl = () => 'http://alerts.example.org';
  const surroundings = { openHttp, readSecret: (path: string) => readFile(path, 'utf8'), clock };
  const plan = await createPlan(running, { metrics, externalUrl, surroundings, random: () => 0.5 });
  const app = composeApp({
    ...running,
    plan,
    metrics,
    member: cluster,
    version: VERSION,
    page: async (c, path) => (path === 'index.html' ? c.html('<p>the page</p>') : undefined),
  });
  return { app, plan, state };
}

const refuseToSend: NotifierSurroundings['openHttp'] = () => ({
  send: () => Promise.reject(new Error('this test sends nothing')),
  close: () => Promise.resolve(),
});

function loadConfig(file: string, { matcherMode, expandEnv }: AlertServerOptions, now: () => number): ActiveConfig {
  const source = new ConfigSource(file, { matcherMode, expandEnv });
  const read = source.read();
  if (!read.ok) throw new Error(read.reason);
  return new ActiveConfig(source, read.value, now);
}

function countedIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;
}
