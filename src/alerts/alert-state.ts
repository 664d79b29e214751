import type { Clock } from '../kernel/clock.ts';
import type { Database } from '../kernel/database.ts';
import type { Log } from '../kernel/log.ts';
import { AlertGroups } from './alert-groups.ts';
import { AlertLimit } from './alert-limit.ts';
import { AlertListing } from './alert-listing.ts';
import { AlertStore } from './alert-store.ts';
import type { AlertServerOptions } from './config/server-options.ts';
import type { RouteTable } from './domain/route.ts';
import { SilenceListing } from './silence-listing.ts';
import { SilenceStore } from './silence-store.ts';
import { Silencer } from './silencer.ts';

/** All that the server knows of alerts and silences, and what is prepared of it for those who read. */
export interface AlertState {
  readonly alerts: AlertStore;
  readonly silences: SilenceStore;
  readonly silencer: Silencer;
  readonly groups: AlertGroups;
  readonly limit: AlertLimit;
  readonly alertListing: AlertListing;
  readonly silenceListing: SilenceListing;
}

export interface AlertStateParts {
  readonly options: Pick<
    AlertServerOptions,
    'retentionMs' | 'maxSilences' | 'maxSilenceSizeBytes' | 'perAlertnameLimit' | 'matcherMode'
  >;
  readonly table: RouteTable;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the id of a silence. */
  readonly newId: () => string;
}

/** Joins the stores and those who listen to them. The order in which a store tells its listeners is written here. */
export function joinState({ options, table, database, clock, log, newId }: AlertStateParts): AlertState {
  const silences = new SilenceStore(database, { ...options, classicNames: options.matcherMode === 'classic' }, newId);
  const alerts = new AlertStore(database, clock, log);
  const silencer = new Silencer(() => alerts.all());
  const groups = new AlertGroups(table);
  const limit = new AlertLimit(options.perAlertnameLimit);
  const alertListing = new AlertListing(alerts, groups, silencer);
  const silenceListing = new SilenceListing(() => silences.all());
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
  return { alerts, silences, silencer, groups, limit, alertListing, silenceListing };
}

/** Fills the state from the disk; returns how many silences and alerts that were. */
export async function restoreState(
  { alerts, silences, limit }: AlertState,
  now: number,
): Promise<{ readonly silences: number; readonly alerts: number }> {
  // Silences first: every alert then asks the index of all of them, instead of every silence asking all alerts.
  const restored = { silences: await silences.load(), alerts: await alerts.load() };
  for (const { alert } of alerts.sorted()) limit.admit(alert, now);
  await silences.collectGarbage(now);
  return restored;
}
