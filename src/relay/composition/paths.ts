import type { Clock } from '../../kernel/clock.ts';
import type { HttpClient } from '../../kernel/http-client/http-client.ts';
import type { Log } from '../../kernel/log.ts';
import type { AutoConfigSync } from '../auto-config/sync.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { Credentials } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import { Goals } from '../goals.ts';
import { type Journals, observeBoth } from '../journal/journal.ts';
import type { RelayMetrics } from '../metrics/metrics.ts';
import type { OfrepStreams } from '../ofrep/streams.ts';
import { launchDarklyPaths, type Paths } from '../routes/index.ts';
import { ofrepPaths } from '../routes/ofrep.ts';
import { statusPaths } from '../routes/status.ts';
import type { StatusSources } from '../status/status.ts';
import type { Stores } from '../stores/stores.ts';
import { CLIENT_VERSION, RELAY_VERSION } from '../version.ts';
import { composePage } from './page.ts';

interface RelayPathsParts {
  readonly options: RelayOptions;
  readonly credentials: Credentials;
  readonly set: EnvironmentSet;
  readonly journals: Journals;
  readonly http: HttpClient;
  readonly ofrep: OfrepStreams;
  readonly metrics: RelayMetrics;
  readonly autoConfig: AutoConfigSync | undefined;
  readonly stores: Stores | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Every path of the relay. */
export function relayPaths(parts: RelayPathsParts): Paths {
  const { options, credentials, set, journals, http, ofrep, metrics, clock, log } = parts;
  const { maxBodyBytes, clientSideBaseUri: baseUri } = options;
  const observer = observeBoth(metrics, journals);
  const status = statusSourcesOf(parts);
  const hasUpstream = !options.isLocal && !options.archive;
  return {
    // Automatic configuration may have no environment yet.
    ...statusPaths({ status, readiness: { ...status, mayBeEmpty: options.autoConfig !== undefined }, metrics }),
    ...composePage({ options, set, journals, ofrep, status, clock, log }),
    ...ofrepPaths({ credentials, observer, streams: ofrep, maxBodyBytes }),
    ...launchDarklyPaths({
      credentials,
      observer,
      maxBodyBytes,
      maxPayloadBytes: options.events.maxPayloadBytes,
      evaluatedStreams: options.evaluatedStreams,
      now: () => clock.now(),
      goals: new Goals({ upstream: hasUpstream ? { baseUri, http } : undefined, clock }),
      receiverOf: (environment) => set.eventsOf(environment),
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
