import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import { expireResolvedSilences } from '../silences/expiry.ts';
import type { AlertState } from './alert-state.ts';

/** How often silences that expire with their alerts are checked. */
const SILENCE_EXPIRY_MS = 5_000;

export interface MaintenanceParts {
  readonly options: Pick<AlertServerOptions, 'maintenanceIntervalMs' | 'gcIntervalMs'>;
  readonly state: AlertState;
  readonly clock: Clock;
  readonly log: Log;
}

/** Removes expired data periodically. Returns the function that stops it. */
export function startMaintenance({ options, state, clock, log }: MaintenanceParts): () => void {
  const { alerts, storage, silenceUpkeep, notificationLogUpkeep } = state;
  const attempt = (what: string, work: () => Promise<unknown>) => () => {
    work().catch((error) => log.error(`${what} could not be removed`, { err: messageOf(error) }));
  };
  const every = (ms: number, actions: readonly (() => void)[]) =>
    clock.every(ms, () => {
      for (const act of actions) act();
    });
  const endSilences = attempt('silences of resolved alerts', () => expireResolvedSilences(state, clock.now()));
  const timers = [
    every(options.maintenanceIntervalMs, [
      attempt('old silences', () => silenceUpkeep.run(clock.now())),
      attempt('old entries of the notification log', () => notificationLogUpkeep.run(clock.now())),
      attempt('old notifications', () => storage.notifications.collectGarbage(clock.now())),
    ]),
    // Before alerts are deleted: a silence that expires with its alerts needs them.
    every(options.gcIntervalMs, [endSilences, () => alerts.collectGarbage(clock.now())]),
    every(SILENCE_EXPIRY_MS, [endSilences]),
  ];
  return () => {
    for (const stop of timers) stop();
  };
}
