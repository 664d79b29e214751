import type { Clock } from '../../kernel/clock.ts';
import type { HttpClient } from '../../kernel/http-client/http-client.ts';
import type { AutoConfigSync } from '../auto-config/sync.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { Credentials } from '../credentials.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import { Goals } from '../goals.ts';
import type { RelayMetrics } from '../metrics/metrics.ts';
import type { OfrepStreams } from '../ofrep/streams.ts';
import { launchDarklyPaths, type Paths } from '../routes/index.ts';
import { ofrepPaths } from '../routes/ofrep.ts';
import { statusPaths } from '../routes/status.ts';
import type { Stores } from '../stores/stores.ts';
import { CLIENT_VERSION, RELAY_VERSION } from '../version.ts';

interface RelayPathsParts {
  readonly options: RelayOptions;
  readonly credentials: Credentials;
  readonly set: EnvironmentSet;
  readonly http: HttpClient;
  readonly ofrep: OfrepStreams;
  readonly metrics: RelayMetrics;
  readonly autoConfig: AutoConfigSync | undefined;
  readonly stores: Stores | undefined;
  readonly clock: Clock;
}

/** Every path of the relay. */
export function relayPaths(parts: RelayPathsParts): Paths {
  const { options, credentials, set, http, ofrep, metrics, clock } = parts;
  const { maxBodyBytes, clientSideBaseUri: baseUri } = options;
  const hasUpstream = !options.isLocal && !options.archive;
  return {
    ...statusPathsOf(parts),
    ...ofrepPaths({ credentials, observer: metrics, streams: ofrep, maxBodyBytes }),
    ...launchDarklyPaths({
      credentials,
      observer: metrics,
      maxBodyBytes,
      maxPayloadBytes: options.events.maxPayloadBytes,
      evaluatedStreams: options.evaluatedStreams,
      now: () => clock.now(),
      goals: new Goals({ upstream: hasUpstream ? { baseUri, http } : undefined, clock }),
      receiverOf: (environment) => set.eventsOf(environment),
    }),
  };
}

function statusPathsOf({ options, credentials, set, metrics, stores, autoConfig, clock }: RelayPathsParts): Paths {
  const environments = () => set.environments;
  const isComplete = () => credentials.isComplete;
  return statusPaths({
    status: {
      environments,
      details: (environment) => ({
        dataStore: stores?.statusOf(environment),
        bigSegments: environment.bigSegments?.status(),
      }),
      isComplete,
      ...(autoConfig ? { autoConfig: autoConfig.connection } : {}),
      now: () => clock.now(),
      disconnectedStatusMs: options.disconnectedStatusMs,
      bigSegmentsStaleAsDegraded: options.bigSegmentsStaleAsDegraded,
      version: RELAY_VERSION,
      clientVersion: CLIENT_VERSION,
    },
    // Automatic configuration may have no environment yet.
    readiness: { environments, isComplete, mayBeEmpty: options.autoConfig !== undefined },
    metrics,
  });
}
