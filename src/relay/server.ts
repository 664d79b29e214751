// The way of the data: a source (upstream, a file, an archive) puts flags into the store of its environment, where each is
// compiled once. The store tells the environment's streams, which frame the change once for everybody who listens. A request
// shows a credential, which leads to its environment; what it asks for is evaluated, or is the snapshot that the streams
// begin with. Events go the other way: accepted, gathered by the environment's forwarder, and sent on.
import { readFileSync } from 'node:fs';
import type { Hono } from 'hono';
import type { Clock } from '../kernel/clock.ts';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../kernel/errors.ts';
import type { HttpEnv } from '../kernel/http/app.ts';
import { type Listener, listen } from '../kernel/http/server.ts';
import type { TlsSettings } from '../kernel/http/tls-front.ts';
import { HttpClient } from '../kernel/http-client/http-client.ts';
import { trusting } from '../kernel/http-client/tls.ts';
import type { Log } from '../kernel/log.ts';
import { ArchiveSync } from './archive/sync.ts';
import type { RelayOptions } from './config/relay-options.ts';
import { Credentials } from './credentials.ts';
import type { Environment } from './environment.ts';
import { EnvironmentSet, type OpenSource } from './environment-set.ts';
import { Inflater } from './event/body.ts';
import { createFileSource } from './file-source/source.ts';
import { Goals } from './goals.ts';
import { DEFAULT_METRICS_PREFIX, RelayMetrics } from './metrics/metrics.ts';
import { OfrepStreams } from './ofrep/streams.ts';
import { recordSource } from './recording.ts';
import { createRelayApp, type RelayAppParts } from './routes/index.ts';
import { ofrepRoutes } from './routes/ofrep.ts';
import { createMetricsApp, statusRoutes } from './routes/status.ts';
import type { EnvironmentDetails } from './status/status.ts';
import { StreamRegistry } from './streams/streams.ts';
import { createUpstreamSource } from './upstream/source.ts';
import { USER_AGENT } from './upstream/stream.ts';
import { CLIENT_VERSION, RELAY_VERSION } from './version.ts';

/** The head of a request: a context of a megabyte may stand in the path. */
const MAX_HEADER_BYTES = 2 ** 20 + 2 ** 14;
const CONNECT_TIMEOUT_MS = 3000;

export interface RelayServer {
  /** `http://host:port` or `https://host:port`. */
  readonly url: string;
  readonly environments: readonly Environment[];
  /** Resolves when every environment has its data, or will not have them in time; with those that have none. */
  readonly settled: Promise<readonly Environment[]>;
  /** Ends the streams, answers what is under way and sends the events that are left. Idempotent. */
  close(): Promise<void>;
}

/** Starts the relay; it answers when this resolves, its environments as soon as they have data. A CommandError says why it cannot. */
export async function startRelay(options: RelayOptions, clock: Clock, log: Log): Promise<RelayServer> {
  const running = composeRelay(options, clock, log);
  const listeners: Listener[] = [];
  const stop = async () => {
    await Promise.all(listeners.map((listener) => listener.close(options.gracefulShutdownMs)));
    await running.close();
  };
  try {
    const tls = options.tls && (await readTls(options.tls));
    await running.start();
    const { host, port, prometheus, site } = options;
    const listener = await listen({
      fetch: running.app.fetch,
      addresses: [{ host, port }],
      maxHeaderBytes: MAX_HEADER_BYTES,
      ...(tls ? { tls: () => tls } : {}),
      site,
      clock,
      endStreams: () => running.registry.close(),
    });
    listeners.push(listener);
    if (prometheus) {
      const { fetch } = createMetricsApp(running.metrics);
      listeners.push(await listen({ fetch, addresses: [{ host, port: prometheus.port }], site, clock }));
    }
    for (const address of listeners.flatMap(({ addresses }) => addresses)) log.info('Listening on', { address });
    return serve(running, listener, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A relay that has all its parts, but does not listen yet. */
interface Composition {
  readonly app: Hono<HttpEnv>;
  readonly set: EnvironmentSet;
  readonly registry: StreamRegistry;
  readonly metrics: RelayMetrics;
  /** Lets the sources begin. */
  start(): Promise<void>;
  close(): Promise<void>;
}

function composeRelay(options: RelayOptions, clock: Clock, log: Log): Composition {
  const credentials = new Credentials();
  const registry = new StreamRegistry({
    clock,
    heartbeatMs: options.heartbeatMs,
    maxConnectionMs: options.maxClientConnectionMs,
    pingJitterMs: options.pingJitterMs,
    random: Math.random,
  });
  const { url: proxyUrl, caCertFiles = [] } = options.proxy ?? {};
  const http = new HttpClient({
    proxyUrl,
    variables: process.env,
    tls: caCertFiles.length === 0 ? undefined : () => trusting(caCertFiles),
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const inflater = new Inflater();
  const set = new EnvironmentSet({ options, credentials, registry, http, inflater, userAgent: USER_AGENT, clock, log });
  const ofrep = new OfrepStreams(registry);
  const onRemove = (environment: Environment) => void ofrep.forget(environment);
  const archived =
    options.archive && new ArchiveSync({ archive: options.archive, set, credentials, onRemove, clock, log });
  const metrics = new RelayMetrics({
    prefix: options.prometheus?.prefix ?? DEFAULT_METRICS_PREFIX,
    environments: () => set.environments,
    events: (environment) => set.eventsOf(environment),
    ofrep,
    now: () => clock.now(),
    startedAt: clock.now(),
    version: OPSDECK_VERSION,
  });
  const parts = appParts(options, clock, { credentials, set, http, ofrep, metrics, archived });
  return {
    app: createRelayApp({ ...parts, clock, log }),
    set,
    registry,
    metrics,
    async start() {
      for (const environment of options.environments) set.add(environment, sourceOpener(options, http, clock));
      await archived?.start();
    },
    async close() {
      await archived?.close();
      await Promise.all([registry.close(), set.close()]);
      await http.close();
    },
  };
}

interface AppSurroundings {
  readonly credentials: Credentials;
  readonly set: EnvironmentSet;
  readonly http: HttpClient;
  readonly ofrep: OfrepStreams;
  readonly metrics: RelayMetrics;
  readonly archived: ArchiveSync | undefined;
}

function appParts(
  options: RelayOptions,
  clock: Clock,
  { credentials, set, http, ofrep, metrics, archived }: AppSurroundings,
): Omit<RelayAppParts, 'clock' | 'log'> {
  const { maxBodyBytes, isLocal, clientSideBaseUri: baseUri } = options;
  const hasUpstream = !isLocal && !options.archive;
  const environments = () => set.environments;
  const isComplete = () => credentials.isComplete;
  const now = () => clock.now();
  const status = {
    environments,
    details: (environment: Environment) => describeArchived(archived, environment),
    isComplete,
    now,
    disconnectedStatusMs: options.disconnectedStatusMs,
    bigSegmentsStaleAsDegraded: options.bigSegmentsStaleAsDegraded,
    version: RELAY_VERSION,
    clientVersion: CLIENT_VERSION,
  };
  return {
    credentials,
    observer: metrics,
    maxBodyBytes,
    evaluatedStreams: options.evaluatedStreams,
    now,
    goals: new Goals({ upstream: hasUpstream ? { baseUri, http } : undefined, clock }),
    receiverOf: (environment) => set.eventsOf(environment),
    tables: [
      statusRoutes({ status, readiness: { environments, isComplete }, metrics }),
      ofrepRoutes({ credentials, observer: metrics, streams: ofrep, maxBodyBytes }),
    ],
  };
}

/** What an archive tells of an environment beside its options. */
function describeArchived(archived: ArchiveSync | undefined, environment: Environment): EnvironmentDetails {
  const found = archived?.archivedAs(environment);
  if (!found) return {};
  const expiring = found.additionalKeys.find(
    ({ sdkKind, expiresAt }) => sdkKind === 'server' && expiresAt !== undefined,
  );
  return { names: found.labels, ...(expiring ? { expiringSdkKey: expiring.key } : {}) };
}

/** A file where one is named, upstream otherwise, recorded where that is wished. */
function sourceOpener(options: RelayOptions, http: HttpClient, clock: Clock): OpenSource {
  return (sink, environment, log) => {
    if (environment.dataFile !== undefined) return createFileSource(sink, { path: environment.dataFile, clock, log });
    const upstream = createUpstreamSource(sink, { environment, options, http, clock, log });
    if (options.recordPath === undefined) return upstream;
    return recordSource(upstream, sink, { folder: options.recordPath, environment, clock, log });
  };
}

function serve({ set }: Composition, { url }: Listener, stop: () => Promise<void>): RelayServer {
  let closing: Promise<void> | undefined;
  return {
    url,
    get environments() {
      return set.environments;
    },
    settled: set.settled(),
    close() {
      closing ??= stop();
      return closing;
    },
  };
}

async function readTls({ certFile, keyFile, minVersion }: NonNullable<RelayOptions['tls']>): Promise<TlsSettings> {
  const settings: TlsSettings = {
    cert: readPem(certFile),
    key: readPem(keyFile),
    clientCertificates: 'none',
    minVersion: minVersion ?? 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    prefersOwnCiphers: true,
  };
  const { checkTls } = await import('../kernel/http/tls-front.ts');
  try {
    checkTls(settings);
  } catch (error) {
    throw new CommandError(`${certFile} and ${keyFile} cannot be used for TLS: ${messageOf(error)}`, ExitCode.usage);
  }
  return settings;
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`cannot read ${file}: ${systemCodeOf(error) ?? messageOf(error)}`, ExitCode.usage);
  }
}
