import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlertGroups } from '../alerts/alert-groups.ts';
import { AlertIntake } from '../alerts/alert-intake.ts';
import { AlertLimit } from '../alerts/alert-limit.ts';
import { AlertListing } from '../alerts/alert-listing.ts';
import { createAlertMetrics } from '../alerts/alert-metrics.ts';
import { AlertStore } from '../alerts/alert-store.ts';
import { ActiveConfig } from '../alerts/config/active-config.ts';
import { ConfigSource, routeTableOf } from '../alerts/config/config-source.ts';
import type { ClusterMember } from '../alerts/contract/status.ts';
import type { MatcherMode, ParseWarning } from '../alerts/domain/matcher-parse.ts';
import { Answers } from '../alerts/routes/answers.ts';
import { createAlertsApp } from '../alerts/routes/index.ts';
import { SilenceListing } from '../alerts/silence-listing.ts';
import { countSilenceStates, type SilenceRules, SilenceStore } from '../alerts/silence-store.ts';
import { Silencer } from '../alerts/silencer.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { FakeClock } from './fake-clock.ts';
import { FakeDatabase } from './fake-database.ts';

/** What a test may set; everything else is as `opsdeck alerts serve` has it. */
export interface AlertsAppOptions {
  /** The text of the configuration file. */
  readonly config?: string;
  readonly routePrefix?: string;
  readonly corsOrigins?: readonly string[];
  readonly silenceRules?: Partial<SilenceRules>;
  readonly perAlertnameLimit?: number;
  readonly matcherMode?: MatcherMode;
  readonly cluster?: ClusterMember;
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
}

const CONFIG = 'route: {receiver: default, group_by: [alertname]}\nreceivers: [{name: default}]\n';

/**
 * The HTTP interface of an alert server in this process, as server.ts composes it, over a database that a test can let
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
  const app = createApp(options, configFile, { clock, database, log });
  const send: TestApp['send'] = async (method, path, headers = {}, body) => {
    const length: Record<string, string> = body ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const init = { method, headers: { ...length, ...headers }, ...(body === undefined ? {} : { body }) };
    return readAnswer(await app.request(path, init));
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
  readonly database: FakeDatabase;
  readonly log: Log;
}

function createApp(options: AlertsAppOptions, configFile: string, surroundings: Surroundings) {
  const { routePrefix = '', corsOrigins = [], matcherMode = 'fallback' } = options;
  const { clock, log } = surroundings;
  const now = () => clock.now();
  const config = loadConfig(configFile, matcherMode === 'classic', now);
  const { silences, alerts, silenceListing, groups, listing, limit } = createParts(options, config, surroundings);
  const { metrics, counts } = createAlertMetrics({
    startedAt: now(),
    version: '1.2.3',
    revision: 'abc',
    alerts: () => listing.countStates(now()),
    silences: () => countSilenceStates(silences.all(), now()),
    receivers: () => config.current.receivers.length,
    reload: () => config.reloadState,
  });
  const rules = () => ({
    resolveTimeoutMs: config.current.resolveTimeoutMs,
    classicNames: matcherMode === 'classic',
  });
  const intake = new AlertIntake({ store: alerts, limit, rules, counts, log });
  const common = {
    answers: new Answers(corsOrigins),
    reading: {
      mode: matcherMode,
      onWarning: ({ message, input }: ParseWarning) => log.warn(message, { input }),
    },
    now,
  };
  return createAlertsApp({
    ...common,
    routePrefix,
    log,
    clock,
    limits: { getConcurrency: 0, timeoutMs: 0 },
    page: (c, path) => (path === 'index.html' ? c.html('<p>the page</p>') : undefined),
    alerts: { ...common, listing, receive: (posted, at) => intake.receive(posted, at) },
    silences: { ...common, store: silences, listing: silenceListing, log },
    status: {
      ...common,
      startedAt: now(),
      config: () => config.printed,
      receivers: () => config.current.receivers,
      cluster: () => options.cluster,
      version: { version: '1.2.3', revision: 'r', branch: 'b', buildUser: 'u', buildDate: 'd', goVersion: 'g' },
    },
    operations: {
      reload() {
        const reloaded = config.reload();
        if (reloaded.ok) groups.reroute(routeTableOf(reloaded.value), alerts.sorted());
        return reloaded;
      },
      metrics,
    },
  });
}

function createParts(options: AlertsAppOptions, config: ActiveConfig, { clock, database, log }: Surroundings) {
  const rules: SilenceRules = {
    retentionMs: 432_000_000,
    maxSilences: 0,
    maxSilenceSizeBytes: 0,
    classicNames: options.matcherMode === 'classic',
    ...options.silenceRules,
  };
  const alerts = new AlertStore(database, clock, log);
  const silences = new SilenceStore(database, rules, countedIds());
  const silenceListing = new SilenceListing(() => silences.all());
  const silencer = new Silencer(() => alerts.sorted().map(({ alert }) => alert));
  const groups = new AlertGroups(routeTableOf(config.current));
  const limit = new AlertLimit(options.perAlertnameLimit ?? 0);
  silences.subscribe((changes) => {
    silencer.changeSilences(changes, clock.now());
    silenceListing.invalidate();
  });
  alerts.subscribe({
    put(slot, isNew) {
      if (!isNew) return;
      silencer.addAlert(slot.alert);
      groups.add(slot);
    },
    removed(slot) {
      silencer.removeAlert(slot.alert);
      groups.remove(slot);
      limit.release(slot.alert);
    },
  });
  const listing = new AlertListing(alerts, groups, silencer);
  return { alerts, silences, silenceListing, groups, listing, limit };
}

function loadConfig(file: string, classicNames: boolean, now: () => number): ActiveConfig {
  const source = new ConfigSource(file, classicNames);
  const read = source.read();
  if (!read.ok) throw new Error(read.reason);
  return new ActiveConfig(source, read.value, now);
}

function countedIds(): () => string {
  let count = 0;
  return () => `00000000-0000-4000-8000-${String(++count).padStart(12, '0')}`;
}
