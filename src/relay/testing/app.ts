import { type Listener, listen } from '../../kernel/http/server.ts';
import { createLog, type LogLevel } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import { Credentials, type SdkKind } from '../credentials.ts';
import type { Json } from '../domain/json.ts';
import { Environment } from '../environment.ts';
import type { EventReceiver } from '../event/receiver.ts';
import type { GoalsAnswer } from '../goals.ts';
import type { AdmittedRequest } from '../request-observer.ts';
import { createRelayApp, launchDarklyPaths, type Paths } from '../routes/index.ts';
import { StreamRegistry } from '../streams/registry.ts';

export const SDK_KEY = 'sdk-00000000-0000-4000-8000-00000000000a';
export const MOBILE_KEY = 'mob-00000000-0000-4000-8000-00000000000b';
export const ENV_ID = '507f1f77bcf86cd799439011';

export interface RelayAppOptions {
  readonly environments?: readonly Partial<EnvironmentOptions>[];
  /** Data of every environment; `none` leaves them without. */
  readonly data?: { readonly flags?: Record<string, Json>; readonly segments?: Record<string, Json> } | 'none';
  readonly evaluatedStreams?: boolean;
  readonly initTimeoutMs?: number;
  readonly heartbeatMs?: number;
  readonly maxConnectionMs?: number;
  readonly pingJitterMs?: number;
  readonly maxBodyBytes?: number;
  readonly maxPayloadBytes?: number;
  readonly random?: () => number;
  readonly events?: EventReceiver;
  readonly goals?: (envId: string) => Promise<GoalsAnswer | undefined>;
  /** Besides those of LaunchDarkly's SDKs. */
  readonly paths?: Paths;
  readonly logLevel?: LogLevel;
}

export interface RelayAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface TestRelay {
  readonly clock: FakeClock;
  readonly credentials: Credentials;
  readonly environments: readonly Environment[];
  /** The first one. */
  readonly environment: Environment;
  readonly registry: StreamRegistry;
  readonly admitted: readonly AdmittedRequest[];
  /** Number of open streams as seen by the observer. */
  readonly openStreams: () => number;
  readonly log: readonly string[];
  send(method: string, path: string, headers?: Record<string, string>, body?: string): Promise<RelayAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<RelayAnswer>;
  /** Listens on a free loopback port until the end of the test; returns `http://127.0.0.1:port`. */
  listen(): Promise<string>;
}

/** A flag that is on, without targets and rules. */
export function flagOf(key: string, fields: { readonly [name: string]: Json } = {}): Json {
  return {
    key,
    version: 1,
    on: true,
    salt: 'salt',
    variations: [true, false],
    fallthrough: { variation: 0 },
    offVariation: 1,
    clientSideAvailability: { usingMobileKey: true, usingEnvironmentId: true },
    ...fields,
  };
}

/** Credential header of a kind of SDK; none for `client`, which has it in the path. */
export function authorizationOf(sdkKind: SdkKind): Record<string, string> {
  if (sdkKind === 'client') return {};
  return { authorization: sdkKind === 'server' ? SDK_KEY : MOBILE_KEY };
}

export function createTestRelay(
  t: { after(end: () => Promise<void> | void): void },
  options: RelayAppOptions = {},
): TestRelay {
  const clock = new FakeClock();
  const log: string[] = [];
  const { heartbeatMs = 0, maxConnectionMs = 0, pingJitterMs = 0, random = () => 0 } = options;
  const registry = new StreamRegistry({ clock, heartbeatMs, maxConnectionMs, pingJitterMs, random });
  const credentials = new Credentials();
  const parts = { clock, initTimeoutMs: options.initTimeoutMs ?? 10_000, registry };
  const environments = (options.environments ?? [{}]).map((fields) => {
    const environment = new Environment({ ...PLAIN_ENVIRONMENT, ...fields }, parts);
    credentials.add(environment);
    if (options.data !== 'none') load(environment, options.data ?? {});
    return environment;
  });
  const admitted: AdmittedRequest[] = [];
  let streams = 0;
  const paths = launchDarklyPaths({
    credentials,
    observer: {
      request: (request) => admitted.push(request),
      evaluated: () => {},
      stream: () => {
        streams++;
        return () => streams--;
      },
    },
    maxBodyBytes: options.maxBodyBytes ?? 2 ** 20,
    maxPayloadBytes: options.maxPayloadBytes ?? 0,
    evaluatedStreams: options.evaluatedStreams ?? false,
    now: () => clock.now(),
    goals: { read: options.goals ?? (async () => undefined) },
    receiverOf: () => options.events ?? DISCARDING,
  });
  const app = createRelayApp({
    paths: { ...options.paths, ...paths },
    clock,
    log: createLog({ level: options.logLevel ?? 'info', format: 'logfmt', clock, write: (line) => log.push(line) }),
  });
  const send: TestRelay['send'] = async (method, path, headers = {}, body) => {
    const answer = await app.request(path, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  t.after(() => registry.close());
  return {
    clock,
    credentials,
    environments,
    environment: environments[0] as Environment,
    registry,
    admitted,
    openStreams: () => streams,
    log,
    send,
    get: (path, headers) => send('GET', path, headers),
    async listen() {
      const listener: Listener = await listen({
        fetch: app.fetch,
        addresses: [{ host: '127.0.0.1', port: 0 }],
        maxHeaderBytes: 2 ** 20 + 2 ** 14,
        clock,
        endStreams: () => registry.close(),
      });
      t.after(async () => {
        const closed = listener.close(0);
        clock.advance(60_000);
        await closed;
      });
      return listener.url;
    },
  };
}

const PLAIN_ENVIRONMENT: EnvironmentOptions = {
  name: 'production',
  sdkKey: SDK_KEY,
  mobileKey: MOBILE_KEY,
  envId: ENV_ID,
  secureMode: false,
  allowedOrigins: [],
  allowedHeaders: [],
  ttlMs: 0,
  logLevel: undefined,
  projKey: undefined,
  filter: undefined,
  dataFile: undefined,
  storePrefix: undefined,
  storeTable: undefined,
};

export const DISCARDING: EventReceiver = {
  mode: 'discard',
  receive: async () => 'accepted',
  receiveImage: () => {},
};

function load(environment: Environment, data: Exclude<RelayAppOptions['data'], 'none' | undefined>): void {
  const { flags = {}, segments = {} } = data;
  const loaded = environment.store.replace({ flags, segments });
  if (!loaded.ok) throw new Error(loaded.reason);
  environment.connection.succeeded(environment.createdAt);
}
