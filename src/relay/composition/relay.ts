import type { Hono } from 'hono';
import type { Clock } from '../../kernel/clock.ts';
import { aloneDeck } from '../../kernel/deck/deck.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import type { HttpEnv } from '../../kernel/http/app.ts';
import { HttpClient } from '../../kernel/http-client/http-client.ts';
import { trusting } from '../../kernel/http-client/tls.ts';
import type { Log } from '../../kernel/log.ts';
import { ArchiveSync } from '../archive/sync.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import { Credentials } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import { EnvironmentList } from '../environment-list/list.ts';
import { EnvironmentSet, type OpenSource } from '../environment-set.ts';
import { Inflater } from '../event/body.ts';
import { createFileSource } from '../file-source/source.ts';
import { Goals } from '../goals.ts';
import { Journals } from '../journal/journal.ts';
import { DEFAULT_METRICS_PREFIX, RelayMetrics } from '../metrics/metrics.ts';
import { countSubscribers } from '../metrics/subscribers.ts';
import { OfrepStreams } from '../ofrep/streams.ts';
import { recordSource } from '../recording.ts';
import { createRelayApp } from '../routes/index.ts';
import { stateOf } from '../status/server-state.ts';
import type { StoreOptions } from '../stores/options.ts';
import { Stores } from '../stores/stores.ts';
import type { StreamRegistry } from '../streams/registry.ts';
import { createUpstreamSource } from '../upstream/source.ts';
import { USER_AGENT } from '../upstream/stream.ts';
import { openAutoConfig } from './auto-config.ts';
import { addBigSegments } from './big-segments.ts';
import { openRegistry } from './listening.ts';
import { relayPaths } from './paths.ts';
import { RelayWorkers } from './worker-pool.ts';

const CONNECT_TIMEOUT_MS = 3000;

/** A relay with all its parts, before it listens. */
export interface ComposedRelay {
  readonly app: Hono<HttpEnv>;
  readonly set: EnvironmentSet;
  readonly goals: Goals;
  /** Undefined: this thread answers all requests. */
  readonly workers: RelayWorkers | undefined;
  readonly registry: StreamRegistry;
  readonly metrics: RelayMetrics;
  state(): ServerState;
  /** Resolves when every environment has its data or has timed out, with those that have none. Rejects with a CommandError. */
  settled(): Promise<readonly Environment[]>;
  /** Starts the sources. Throws a CommandError if the archive cannot be read. */
  start(): Promise<void>;
  /** Serves the environments of these options, if they name them as before, and has the sources look for data at once. */
  reload(options: Pick<RelayOptions, 'environments' | 'archive' | 'autoConfig'>): void;
  close(): Promise<void>;
}

/** `count` threads answer requests; 1: this one does. */
export function composeRelay(
  options: RelayOptions,
  clock: Clock,
  log: Log,
  count = 1,
  deck = aloneDeck,
): ComposedRelay {
  const credentials = new Credentials();
  const registry = openRegistry(options, clock);
  const http = createHttpClient(options);
  const stores = options.store && openStores(options, options.store, clock, log);
  const inflater = new Inflater();
  const journals = new Journals(() => clock.now());
  const parts = { options, deck, credentials, registry, http, inflater, journals, clock, log };
  const set = new EnvironmentSet({ ...parts, userAgent: USER_AGENT });
  const closeBigSegments = addBigSegments({ options, set, journals, http, clock, log });
  const ofrep = new OfrepStreams(registry);
  const list = new EnvironmentList({
    set,
    openSource: (sink, environment, own) => {
      const source = (archive?.openSource ?? openSource)(sink, environment, own);
      const isLocal = archive !== undefined || environment.dataFile !== undefined;
      return stores?.open(source, sink, { environment, isLocal, log: own }) ?? source;
    },
    onRevoke: (environment) => void ofrep.forget(environment),
    clock,
    log,
  });
  const openSource = sourceOpener(options, http, clock);
  const archive = options.archive && new ArchiveSync({ archive: options.archive, list, clock, log });
  const autoConfig =
    options.autoConfig && openAutoConfig(options.autoConfig, { options, list, credentials, http, stores, clock, log });
  const workers = count > 1 ? new RelayWorkers({ count, options, set, credentials, journals, clock, log }) : undefined;
  const subscribers = (environment: Environment) => {
    const here = countSubscribers(environment, ofrep);
    return workers?.subscribers(environment, here) ?? here;
  };
  const metrics = new RelayMetrics({
    prefix: options.prometheus?.prefix ?? DEFAULT_METRICS_PREFIX,
    environments: () => set.environments,
    events: (environment) => set.eventsOf(environment),
    subscribers,
    workers,
    now: () => clock.now(),
    startedAt: clock.now(),
    version: OPSDECK_VERSION,
  });
  const hasUpstream = !options.isLocal && !options.archive;
  const goals = new Goals({
    upstream: hasUpstream ? { baseUri: options.clientSideBaseUri, http } : undefined,
    clock,
  });
  const state = () => stateOf(set.environments, autoConfig?.connection);
  const paths = relayPaths({ ...parts, state, set, goals, ofrep, subscribers, metrics, stores, autoConfig });
  return {
    app: createRelayApp({ paths, clock, log }),
    set,
    registry,
    metrics,
    state,
    async settled() {
      await autoConfig?.listed;
      return set.settled();
    },
    goals,
    workers,
    async start() {
      if (archive) await archive.start();
      else if (autoConfig) autoConfig.start();
      else list.update(options.environments);
    },
    reload(next) {
      archive?.refresh();
      autoConfig?.refresh();
      if (!archive && !autoConfig && !next.archive && !next.autoConfig) list.update(next.environments);
      set.refresh();
    },
    async close() {
      list.close();
      await Promise.all([archive?.close(), autoConfig?.close()]);
      await Promise.all([registry.close(), set.close(), closeBigSegments()]);
      await stores?.close();
      await http.close();
    },
  };
}

function createHttpClient({ proxy }: RelayOptions): HttpClient {
  const { url: proxyUrl, caCertFiles = [] } = proxy ?? {};
  return new HttpClient({
    proxyUrl,
    variables: process.env,
    tls: caCertFiles.length === 0 ? undefined : () => trusting(caCertFiles),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
}

function openStores(options: RelayOptions, store: StoreOptions, clock: Clock, log: Log): Stores {
  const { exitAlways: isWriteOnly } = options;
  return new Stores({ options: store, isWriteOnly, identity: identityOf(options), clock, log });
}

/** A key of automatic configuration may have been replaced when the relay starts again. */
function identityOf({ autoConfig }: RelayOptions): 'sdkKey' | 'envId' {
  return autoConfig ? 'envId' : 'sdkKey';
}

/** The file if the environment has one, otherwise upstream, recorded if configured. */
function sourceOpener(options: RelayOptions, http: HttpClient, clock: Clock): OpenSource {
  return (sink, environment, log) => {
    if (environment.dataFile !== undefined) return createFileSource(sink, { path: environment.dataFile, clock, log });
    const upstream = createUpstreamSource(sink, { environment, options, http, clock, log });
    if (options.recordPath === undefined) return upstream;
    const identity = identityOf(options);
    return recordSource(upstream, sink, { folder: options.recordPath, environment, identity, clock, log });
  };
}
