import type { Clock } from '../../kernel/clock.ts';
import type { Deck } from '../../kernel/deck/deck.ts';
import type { ServerState } from '../../kernel/deck/report.ts';
import type { Log } from '../../kernel/log.ts';
import type { AutoConfigSync } from '../auto-config/sync.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { Credentials } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import type { EventReceiver } from '../event/receiver.ts';
import type { Goals } from '../goals.ts';
import type { Journals } from '../journal/journal.ts';
import type { RelayMetrics } from '../metrics/metrics.ts';
import type { SubscriberCounts } from '../metrics/subscribers.ts';
import type { OfrepStreams } from '../ofrep/streams.ts';
import { observeBoth, type RequestObserver } from '../request-observer.ts';
import { launchDarklyPaths, type Paths } from '../routes/index.ts';
import { ofrepPaths } from '../routes/ofrep.ts';
import { statusPaths } from '../routes/status.ts';
import type { StatusSources } from '../status/status.ts';
import type { Stores } from '../stores/stores.ts';
import { CLIENT_VERSION, RELAY_VERSION } from '../version.ts';
import { composePage } from './page.ts';

/** What clients of flags and events need, in any thread. */
export interface ClientPathsParts {
  readonly options: RelayOptions;
  readonly credentials: Credentials;
  readonly observer: RequestObserver;
  readonly ofrep: OfrepStreams;
  readonly goals: Pick<Goals, 'read'>;
  readonly receiverOf: (environment: Environment) => EventReceiver;
  readonly clock: Clock;
}

interface RelayPathsParts extends Omit<ClientPathsParts, 'observer' | 'receiverOf'> {
  readonly deck: Deck;
  readonly state: () => ServerState;
  readonly set: EnvironmentSet;
  readonly metrics: RelayMetrics;
  readonly autoConfig: AutoConfigSync | undefined;
  readonly stores: Stores | undefined;
  readonly journals: Journals;
  readonly subscribers: (environment: Environment) => SubscriberCounts;
  readonly log: Log;
}

/** Every path of the relay. */
export function relayPaths(parts: RelayPathsParts): Paths {
  const { options, deck, state, set, journals, subscribers, metrics, clock, log } = parts;
  const observer = observeBoth(metrics, journals);
  const status = statusSourcesOf(parts);
  return {
    // Automatic configuration may have no environment yet.
    ...statusPaths({ status, readiness: { ...status, mayBeEmpty: options.autoConfig !== undefined }, metrics }),
    ...composePage({ options, deck, state, set, journals, subscribers, status, clock, log }),
    ...clientPaths({ ...parts, observer, receiverOf: (environment) => set.eventsOf(environment) }),
  };
}

/** The paths of SDKs and OpenFeature providers. */
export function clientPaths({
  options,
  credentials,
  observer,
  ofrep,
  goals,
  receiverOf,
  clock,
}: ClientPathsParts): Paths {
  const { maxBodyBytes } = options;
  return {
    ...ofrepPaths({ credentials, observer, streams: ofrep, maxBodyBytes }),
    ...launchDarklyPaths({
      credentials,
      observer,
      maxBodyBytes,
      maxPayloadBytes: options.events.maxPayloadBytes,
      evaluatedStreams: options.evaluatedStreams,
      now: () => clock.now(),
      goals,
      receiverOf,
    }),
  };
}

function statusSourcesOf(parts: RelayPathsParts): StatusSources<Environment> {
  const { options, credentials, set, stores, autoConfig, clock } = parts;
  return {
    environments: () => set.environments,
    details: (environment) => ({
      dataStore: stores?.statusOf(environment),
      bigSegments: environment.bigSegments?.status(),
    }),
    isComplete: () => credentials.isComplete,
    ...(autoConfig ? { autoConfig: autoConfig.connection } : {}),
    now: () => clock.now(),
    disconnectedStatusMs: options.disconnectedStatusMs,
    bigSegmentsStaleAsDegraded: options.bigSegmentsStaleAsDegraded,
    version: RELAY_VERSION,
    clientVersion: CLIENT_VERSION,
  };
}
