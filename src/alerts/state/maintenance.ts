import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import { followAllAlerts } from '../silences/lifetime.ts';
import type { AlertState } from './alert-state.ts';

/** How often silences whose end follows their alerts are checked. */
const SILENCE_CHECK_MS = 5_000;

export interface MaintenanceParts {
  readonly options: Pick<AlertServerOptions, 'maintenanceIntervalMs' | 'gcIntervalMs'>;
  readonly state: AlertState;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes expired data periodically. Returns the function that stops it. */
export function startMaintenance({ options, state, clock, log }: MaintenanceParts): () => void {
  const { alerts, health, pastFirings, storage, silenceUpkeep, notificationLogUpkeep } = state;
  const attempt = (failure: string, work: () => Promise<unknown>) => () => {
    work().catch((error) => {
      // An outage of the database is reported once, not by everything that waits for its end.
      if (!(error instanceof StorageAwayError)) log.error(failure, { err: messageOf(error) });
    });
  };
  const every = (ms: number, actions: readonly (() => void)[]) =>
    clock.every(ms, () => {
      for (const act of actions) act();
    });
  const followAlerts = attempt('Silences could not be renewed or expired with their alerts', () =>
    followAllAlerts(state, clock.now()),
  );
  const timers = [
    every(options.maintenanceIntervalMs, [
      attempt('Old silences could not be removed', () => silenceUpkeep.run(clock.now())),
      attempt('Old entries of the notification log could not be removed', () => notificationLogUpkeep.run(clock.now())),
      attempt('Old notifications could not be removed', () => storage.notifications.collectGarbage(clock.now())),
      () => health.forgetOld(clock.now()),
      () => pastFirings.forgetOld(clock.now()),
    ]),
    // Before alerts are deleted: a silence that expires with its alerts needs them.
    every(options.gcIntervalMs, [followAlerts, () => alerts.collectGarbage(clock.now())]),
    every(SILENCE_CHECK_MS, [followAlerts]),
  ];
  return () => {
    for (const stop of timers) stop();
  };
}
