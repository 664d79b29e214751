import type { Clock } from '../../kernel/clock.ts';
import type { Conditions } from '../../kernel/conditions.ts';
import type { Log } from '../../kernel/log.ts';
import type { Traces } from '../../kernel/tracing/tracer.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import type { InhibitionRule } from '../domain/inhibition.ts';
import type { RouteTree } from '../domain/route.ts';
import { Inhibitor } from '../inhibition/inhibitor.ts';
import { AlertListing } from '../listing/alert-listing.ts';
import { Dispatcher } from '../pipeline/dispatcher.ts';
import type { PipelineEvents } from '../pipeline/events.ts';
import { NotificationHealth } from '../pipeline/notification/health.ts';
import { NotificationLog } from '../pipeline/notification/log.ts';
import { SendQueue } from '../pipeline/send-queue.ts';
import { SilenceListing } from '../silences/listing.ts';
import { Silencer } from '../silences/silencer.ts';
import { SilenceStore } from '../silences/store.ts';
import { AlertGroups } from '../store/groups.ts';
import { AlertLimit } from '../store/limit.ts';
import { type AlertSlot, forgetAlert } from '../store/slot.ts';
import { AlertStore } from '../store/store.ts';
import { PastFirings } from './past-firings.ts';
import type { AlertServerStorage } from './storage.ts';
import { Upkeep } from './upkeep.ts';
import { Watchdogs } from './watchdogs.ts';

/** The stores of alerts and silences, and everything derived from them for readers. */
export interface AlertState {
  readonly alerts: AlertStore;
  readonly silences: SilenceStore;
  readonly silencer: Silencer;
  readonly inhibitor: Inhibitor;
  readonly groups: AlertGroups;
  readonly dispatcher: Dispatcher;
  readonly sending: SendQueue;
  readonly notificationLog: NotificationLog;
  readonly health: NotificationHealth;
  readonly storage: AlertServerStorage;
  readonly pastFirings: PastFirings;
  readonly watchdogs: Watchdogs;
  readonly limit: AlertLimit;
  readonly alertListing: AlertListing;
  readonly silenceListing: SilenceListing;
  readonly silenceUpkeep: Upkeep;
  readonly notificationLogUpkeep: Upkeep;
  /** What the server cannot do at present; `/-/ready` says so. */
  readonly conditions: Conditions;
}

export interface AlertStateParts {
  readonly options: Pick<
    AlertServerOptions,
    'watchdog' | 'retentionMs' | 'maxSilences' | 'maxSilenceSizeBytes' | 'perAlertnameLimit' | 'matcherMode'
  >;
  readonly tree: RouteTree;
  readonly inhibitionRules: readonly InhibitionRule[];
  readonly storage: AlertServerStorage;
  readonly traces?: Traces | undefined;
  readonly events?: PipelineEvents | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes the id of a silence. */
  readonly newId: () => string;
}

/** Connects the stores and their listeners. The order of the listeners is decided here. */
export function joinState(parts: AlertStateParts): AlertState {
  const { options, tree, inhibitionRules, storage, traces, events, clock, log, newId } = parts;
  const rules = { ...options, classicNames: options.matcherMode === 'classic' };
  const silences = new SilenceStore(storage.silences, rules, newId);
  const alerts = new AlertStore(storage.alerts);
  const silencer: Silencer = new Silencer(
    () => alerts.all(),
    (fingerprint) => alertListing.noteSilenced(fingerprint),
  );
  const inhibitor = new Inhibitor(inhibitionRules);
  const groups = new AlertGroups(tree);
  const announced = (slots: readonly AlertSlot[]) => alerts.announce(slots);
  const settled = (slot: AlertSlot) => alerts.noteSettled(slot);
  const sending = new SendQueue({ clock, commit: () => storage.commit() });
  const { timers, claims } = storage;
  const dispatcher = new Dispatcher({
    groups,
    timers,
    claims,
    sending,
    traces,
    events,
    clock,
    log,
    announced,
    settled,
  });
  const notificationLog = new NotificationLog(storage.notifications, clock);
  const limit = new AlertLimit(options.perAlertnameLimit);
  const alertListing = new AlertListing({ store: alerts, groups, silencer, inhibitor });
  const silenceListing = new SilenceListing(() => silences.all());
  silences.subscribe((changes) => {
    silencer.changeSilences(changes, clock.now());
    silenceListing.invalidate();
  });
  const pastFirings = new PastFirings();
  const watchdogs = new Watchdogs(options.watchdog ?? []);
  tellOfAlerts({ alerts, silencer, inhibitor, groups, limit, pastFirings });
  alerts.subscribe(watchdogs);
  return {
    alerts,
    silences,
    silencer,
    inhibitor,
    groups,
    storage,
    dispatcher,
    sending,
    notificationLog,
    health: new NotificationHealth(),
    pastFirings,
    watchdogs,
    limit,
    alertListing,
    silenceListing,
    silenceUpkeep: new Upkeep(silences),
    notificationLogUpkeep: new Upkeep({
      collectGarbage: (now) => notificationLog.collectGarbage(now, aliveIn(groups)),
      countBytes: () => notificationLog.countBytes(),
    }),
    conditions: storage.conditions,
  };
}

/** Whether a group with this key exists. */
function aliveIn(groups: AlertGroups): (groupKey: string) => boolean {
  const keys = new Set(groups.sorted().map(({ key }) => key));
  return (groupKey) => keys.has(groupKey);
}

/** The listeners to alerts, in this order: groups last, when silences and inhibition are known. */
function tellOfAlerts({
  alerts,
  silencer,
  inhibitor,
  groups,
  limit,
  pastFirings,
}: Pick<AlertState, 'alerts' | 'silencer' | 'inhibitor' | 'groups' | 'limit' | 'pastFirings'>): void {
  alerts.subscribe({
    put(slot, isNew, before) {
      if (isNew) {
        silencer.addAlert(slot.alert);
        inhibitor.add(slot);
      } else {
        if (before) pastFirings.replaced(before, slot.alert);
        inhibitor.renew(slot);
        forgetAlert(slot);
      }
      // A settled alert stays out of the groups until it is posted again.
      if (!isNew || !slot.isSettled) groups.put(slot);
    },
    removed(slot) {
      silencer.removeAlert(slot.alert);
      inhibitor.remove(slot);
      limit.release(slot.alert);
      pastFirings.removed(slot.alert);
    },
  });
}

/** Reads the state from disk; returns the numbers of silences and alerts. */
export async function restoreState(
  { alerts, silences, limit, dispatcher, storage, notificationLog }: AlertState,
  now: number,
): Promise<{ readonly silences: number; readonly alerts: number; readonly notifications: number }> {
  const notifications = await notificationLog.load();
  dispatcher.remember(await storage.timers.load());
  // Silences first: each alert then queries the index of silences once, instead of each silence testing all alerts.
  const restored = { silences: await silences.load(), alerts: await alerts.load(), notifications };
  for (const { alert } of alerts.sorted()) limit.admit(alert, now);
  await silences.collectGarbage(now);
  return restored;
}
