import type { Pattern } from '../kernel/regexp.ts';
import type { AlertGroup, AlertGroups } from './alert-groups.ts';
import type { AlertStore } from './alert-store.ts';
import { printAlert, printReceivers } from './contract/gettable.ts';
import type { Alert } from './domain/alert.ts';
import { type AlertStatus, isSelected, type StateSelection, statusOf } from './domain/alert-status.ts';
import { compareUtf8, type LabelSet, labelValue, printPairs } from './domain/label-set.ts';
import { filterMatches, type Matcher } from './domain/matcher.ts';
import { receiverMatches } from './domain/receiver.ts';
import type { Route } from './domain/route.ts';
import type { Silencer } from './silencer.ts';

/** Which alerts a reader asks for. */
export interface AlertQuery {
  /** Every one must hold for the labels of an alert. */
  readonly filter: readonly Matcher[];
  /** Some receiver of the alert must match. */
  readonly receiver: Pattern | undefined;
  /** Every one must hold for the labels of some receiver of the alert. */
  readonly receiverMatchers: readonly Matcher[];
  readonly states: StateSelection;
}

interface Selected {
  readonly alert: Alert;
  readonly status: AlertStatus;
}

/**
 * Answers the two listings of alerts. What is selected is fixed when a method returns; its text is made as the caller
 * iterates, which may go on after other alerts have come.
 */
export class AlertListing {
  readonly #store: AlertStore;
  readonly #groups: AlertGroups;
  readonly #silencer: Silencer;
  /** Routes come as shared arrays, so that what follows from them is made once. */
  readonly #receiversJson = new WeakMap<readonly Route[], string>();

  constructor(store: AlertStore, groups: AlertGroups, silencer: Silencer) {
    this.#store = store;
    this.#groups = groups;
    this.#silencer = silencer;
  }

  /** How many alerts are in each state. */
  countStates(now: number): Record<AlertStatus['state'], number> {
    this.#silencer.settle(now);
    const counts = { unprocessed: 0, active: 0, suppressed: 0 };
    for (const { alert } of this.#store.sorted()) if (alert.endsAt >= now) counts[this.#statusOf(alert).state]++;
    return counts;
  }

  /** A JSON array of alerts in the order of fingerprints, in pieces. */
  alerts(query: AlertQuery, now: number): Iterable<string> {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query);
    const selected: (Selected & { readonly routes: readonly Route[] })[] = [];
    for (const { alert } of this.#store.sorted()) {
      if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
      const routes = this.#groups.routesOf(alert.labels);
      if (!routes.some(wantsReceiver)) continue;
      const status = this.#statusOf(alert);
      if (isSelected(status, query.states)) selected.push({ alert, status, routes });
    }
    return printList(selected, ({ alert, status, routes }) => printAlert(alert, this.#printRoutes(routes), status));
  }

  /** A JSON array of the groups that have any wanted alert, by labels and receiver, in pieces. */
  groups(query: AlertQuery, now: number): Iterable<string> {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query);
    const selected: { readonly group: AlertGroup; readonly alerts: readonly Selected[] }[] = [];
    for (const group of this.#groups.sorted()) {
      if (!wantsReceiver(group.route)) continue;
      const alerts = this.#selectOf(group, query, now);
      if (alerts.length > 0) selected.push({ group, alerts });
    }
    const printed = new Map<readonly Route[], string>();
    return printGroups(selected, (labels) => {
      const routes = this.#groups.routesOf(labels);
      const json = printed.get(routes) ?? printSortedReceivers(routes.filter(wantsReceiver));
      printed.set(routes, json);
      return json;
    });
  }

  #selectOf(group: AlertGroup, query: AlertQuery, now: number): readonly Selected[] {
    const alerts: Selected[] = [];
    for (const { alert } of group.sorted()) {
      if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
      const status = this.#statusOf(alert);
      if (isSelected(status, query.states)) alerts.push({ alert, status });
    }
    return alerts;
  }

  #statusOf(alert: Alert): AlertStatus {
    return statusOf(this.#silencer.silencedBy(alert.fingerprint));
  }

  #printRoutes(routes: readonly Route[]): string {
    let json = this.#receiversJson.get(routes);
    if (json === undefined) {
      json = printReceivers(routes.map(({ receiver }) => receiver));
      this.#receiversJson.set(routes, json);
    }
    return json;
  }
}

function printSortedReceivers(routes: readonly Route[]): string {
  return printReceivers(routes.map(({ receiver }) => receiver).sort(compareUtf8));
}

function passesFilter(labels: LabelSet, filter: readonly Matcher[]): boolean {
  for (const matcher of filter) if (!filterMatches(matcher, labelValue(labels, matcher.name))) return false;
  return true;
}

/** Asks about each receiver once, however many alerts go to it. */
function receiverTest({ receiver, receiverMatchers }: AlertQuery): (route: Route) => boolean {
  if (!receiver && receiverMatchers.length === 0) return () => true;
  const known = new Map<string, boolean>();
  const test = (name: string) => (receiver?.test(name) ?? true) && receiverMatches(name, receiverMatchers);
  return (route) => {
    const wanted = known.get(route.receiver) ?? test(route.receiver);
    known.set(route.receiver, wanted);
    return wanted;
  };
}

function* printList<T>(items: readonly T[], print: (item: T) => string): Generator<string, void> {
  let separator = '[';
  for (const item of items) {
    yield separator + print(item);
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : ']\n';
}

function* printGroups(
  groups: readonly { readonly group: AlertGroup; readonly alerts: readonly Selected[] }[],
  receiversOf: (labels: LabelSet) => string,
): Generator<string, void> {
  let separator = '[';
  for (const { group, alerts } of groups) {
    const texts = alerts.map(({ alert, status }) => printAlert(alert, receiversOf(alert.labels), status));
    const receiver = JSON.stringify({ name: group.receiver });
    yield `${separator}{"alerts":[${texts.join(',')}],"labels":${printPairs(group.labels.names, group.labels.values)},"receiver":${receiver},"routeLabels":{}}`;
    separator = ',';
  }
  yield separator === '[' ? '[]\n' : ']\n';
}
