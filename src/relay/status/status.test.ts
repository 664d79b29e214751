import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ConnectionError, ConnectionStatus } from './connection-status.ts';
import {
  type BigSegmentStatus,
  type EnvironmentDetails,
  type ReportedEnvironment,
  reportStatus,
  type StatusReport,
  type StatusSources,
} from './status.ts';

const MINUTE = 60_000;
const error = (time: number, kind: ConnectionError['kind'] = 'NETWORK_ERROR'): ConnectionError => ({ kind, time });

/** An environment that was made at the instant 0. */
function facts(name: string, history: (connection: ConnectionStatus) => void = () => {}): ReportedEnvironment {
  const connection = new ConnectionStatus(0);
  history(connection);
  const options = { name, sdkKey: 'sdk-1', envId: undefined, mobileKey: undefined, filter: undefined };
  return { options, connection, createdAt: 0 };
}

interface Situation {
  readonly environments: readonly ReportedEnvironment[];
  readonly now?: number;
  readonly details?: EnvironmentDetails;
  readonly isComplete?: boolean;
  readonly disconnectedStatusMs?: number;
  readonly bigSegmentsStaleAsDegraded?: boolean;
}

function report(situation: Situation): StatusReport {
  const { environments, now = 0, details = {}, isComplete = true } = situation;
  const sources: StatusSources = {
    environments: () => environments,
    details: () => details,
    isComplete: () => isComplete,
    now: () => now,
    disconnectedStatusMs: situation.disconnectedStatusMs ?? MINUTE,
    bigSegmentsStaleAsDegraded: situation.bigSegmentsStaleAsDegraded ?? false,
    version: '1.0',
    clientVersion: '2.0',
  };
  return reportStatus(sources);
}

const valid = facts('valid', (connection) => connection.succeeded(1000));
const never = facts('never');

describe('status of an environment', () => {
  const rows: readonly [
    what: string,
    history: (connection: ConnectionStatus) => void,
    now: number,
    status: 'connected' | 'disconnected',
    state: string,
    stateSince: number,
    lastError?: ConnectionError,
  ][] = [
    ['start-up in progress', () => {}, 5000, 'disconnected', 'INITIALIZING', 0],
    [
      'an initial connection not achieved',
      (c) => c.failed(error(100)),
      MINUTE,
      'disconnected',
      'INITIALIZING',
      0,
      error(100),
    ],
    ['connection established, data obtained', (c) => c.succeeded(1000), 1000, 'connected', 'VALID', 1000],
    [
      'connected after an initial failure',
      (c) => {
        c.failed(error(100));
        c.succeeded(1000);
      },
      2000,
      'connected',
      'VALID',
      1000,
      error(100),
    ],
    [
      'a short interruption changes nothing',
      (c) => {
        c.succeeded(1000);
        c.failed(error(5000));
      },
      5000 + MINUTE - 1,
      'connected',
      'INTERRUPTED',
      5000,
      error(5000),
    ],
    [
      'the connection lost for disconnectedStatusTime',
      (c) => {
        c.succeeded(1000);
        c.failed(error(5000));
      },
      5000 + MINUTE,
      'disconnected',
      'INTERRUPTED',
      5000,
      error(5000),
    ],
    [
      'further failures do not begin the time anew',
      (c) => {
        c.succeeded(1000);
        c.failed(error(5000));
        c.failed(error(5000 + MINUTE - 1, 'INVALID_DATA'));
      },
      5000 + MINUTE,
      'disconnected',
      'INTERRUPTED',
      5000,
      error(5000 + MINUTE - 1, 'INVALID_DATA'),
    ],
    [
      'connected again after a long failure',
      (c) => {
        c.succeeded(1000);
        c.failed(error(5000));
        c.succeeded(5000 + 2 * MINUTE);
      },
      5000 + 2 * MINUTE,
      'connected',
      'VALID',
      5000 + 2 * MINUTE,
      error(5000),
    ],
    [
      'data again do not move the instant of the state',
      (c) => {
        c.succeeded(1000);
        c.succeeded(9000);
      },
      9000,
      'connected',
      'VALID',
      1000,
    ],
    [
      'the SDK key is invalid',
      (c) => c.refused(error(700, 'ERROR_RESPONSE')),
      MINUTE,
      'disconnected',
      'OFF',
      700,
      error(700, 'ERROR_RESPONSE'),
    ],
    [
      'the SDK key is refused later, for long',
      (c) => {
        c.succeeded(1000);
        c.refused(error(5000, 'ERROR_RESPONSE'));
      },
      5000 + MINUTE,
      'disconnected',
      'OFF',
      5000,
      error(5000, 'ERROR_RESPONSE'),
    ],
    [
      'an interruption that ends in a refusal counts from its beginning',
      (c) => {
        c.succeeded(1000);
        c.failed(error(5000));
        c.refused(error(5000 + MINUTE - 1, 'ERROR_RESPONSE'));
      },
      5000 + MINUTE,
      'disconnected',
      'OFF',
      5000 + MINUTE - 1,
      error(5000 + MINUTE - 1, 'ERROR_RESPONSE'),
    ],
  ];
  for (const [what, history, now, status, state, stateSince, lastError] of rows) {
    test(`${what}: ${status}, ${state}`, () => {
      const { environments } = report({ environments: [facts('e', history)], now });
      assert.equal(environments.e?.status, status);
      assert.deepEqual(environments.e?.connectionStatus, { state, stateSince, lastError });
    });
  }

  test('disconnectedStatusTime is the configured time', () => {
    const lost = facts('e', (c) => {
      c.succeeded(0);
      c.failed(error(1000));
    });
    const statusAt = (now: number) =>
      report({ environments: [lost], now, disconnectedStatusMs: 5000 }).environments.e?.status;
    assert.equal(statusAt(5999), 'connected');
    assert.equal(statusAt(6000), 'disconnected');
  });

  test('data in memory is always valid, in any state of the connection', () => {
    for (const environment of [valid, never])
      assert.deepEqual(Object.values(report({ environments: [environment] }).environments)[0]?.dataStoreStatus, {
        state: 'VALID',
        stateSince: 0,
      });
  });

  for (const state of ['VALID', 'INTERRUPTED'] as const) {
    test(`a database that is ${state} is reported, and degrades nothing`, () => {
      const dataStore = { state, stateSince: 7, database: 'redis', dbServer: 'redis://h', dbPrefix: 'p' } as const;
      const { environments, status } = report({ environments: [valid], details: { dataStore } });
      assert.deepEqual(environments.valid?.dataStoreStatus, dataStore);
      assert.equal(status, 'healthy');
    });
  }
});

describe('status of the relay', () => {
  const bigSegments = (fields: Partial<BigSegmentStatus>): EnvironmentDetails => ({
    bigSegments: { potentiallyStale: false, lastSynchronizedOn: 1, ...fields },
  });
  const rows: readonly [what: string, situation: Situation, status: 'healthy' | 'degraded'][] = [
    ['all environments connected', { environments: [valid, facts('b', (c) => c.succeeded(1))] }, 'healthy'],
    ['no environments at all', { environments: [] }, 'healthy'],
    ['any environment disconnected', { environments: [valid, never] }, 'degraded'],
    ['the list of environments not received yet', { environments: [], isComplete: false }, 'degraded'],
    [
      'the list not received yet, with environments from before',
      { environments: [valid], isComplete: false },
      'degraded',
    ],
    ['big segments available', { environments: [valid], details: bigSegments({ available: true }) }, 'healthy'],
    ['big segments, not known whether available', { environments: [valid], details: bigSegments({}) }, 'healthy'],
    ['big segments not available', { environments: [valid], details: bigSegments({ available: false }) }, 'degraded'],
    [
      'big segments stale, which is not to count',
      { environments: [valid], details: bigSegments({ available: true, potentiallyStale: true }) },
      'healthy',
    ],
    [
      'big segments stale, and that is to count',
      {
        environments: [valid],
        details: bigSegments({ available: true, potentiallyStale: true }),
        bigSegmentsStaleAsDegraded: true,
      },
      'degraded',
    ],
    [
      'big segments fresh, and staleness is to count',
      { environments: [valid], details: bigSegments({ available: true }), bigSegmentsStaleAsDegraded: true },
      'healthy',
    ],
  ];
  for (const [what, situation, status] of rows) {
    test(`${what}: ${status}`, () => {
      assert.equal(report(situation).status, status);
    });
  }
});
