import type { Pattern } from '../kernel/regexp.ts';
import type { AlertGroup, AlertGroups } from './alert-groups.ts';
import type { AlertSlot } from './alert-slot.ts';
import type { AlertStore } from './alert-store.ts';
import { printAlert, printReceivers } from './contract/gettable.ts';
import { type AlertStatus, isSelected, type StateSelection, statusOf } from './domain/alert-status.ts';
import { compareUtf8, type LabelSet, labelsJson, labelValue } from './domain/label-set.ts';
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

/**
 * Answers the two listings of alerts with the elements of a JSON array, or with pieces of them that a comma joins. The
 * text of an alert is made at its first listing and kept until something in it changes.
 */
export class AlertListing {
  readonly #store: AlertStore;
  readonly #groups: AlertGroups;
  readonly #silencer: Silencer;

  constructor(store: AlertStore, groups: AlertGroups, silencer: Silencer) {
    this.#store = store;
    this.#groups = groups;
    this.#silencer = silencer;
  }

  /** How many alerts are in each state. */
  countStates(now: number): Record<AlertStatus['state'], number> {
    this.#silencer.settle(now);
    const counts = { unprocessed: 0, active: 0, suppressed: 0 };
    for (const { alert } of this.#store.sorted()) {
      if (alert.endsAt >= now) counts[statusOf(this.#silencer.silencedBy(alert.fingerprint)).state]++;
    }
    return counts;
  }

  /** The wanted alerts, in the order of fingerprints. */
  alerts(query: AlertQuery, now: number): readonly string[] {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query);
    const wantedReceivers = onceForRoutes((routes) =>
      routes.some(wantsReceiver) ? printReceivers(routes.map(({ receiver }) => receiver)) : undefined,
    );
    const texts: string[] = [];
    for (const slot of this.#store.sorted()) {
      const { alert } = slot;
      if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
      const receiversJson = wantedReceivers(this.#groups.routesOf(alert.labels));
      const text = receiversJson && this.#print(slot, receiversJson, query.states);
      if (text) texts.push(text);
    }
    return texts;
  }

  /** The groups that have any wanted alert, by labels and receiver. */
  groups(query: AlertQuery, now: number): readonly string[] {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query);
    // In a group an alert has the receivers of all its groups that are asked for, by name.
    const receiversOf = onceForRoutes((routes) => printSortedReceivers(routes.filter(wantsReceiver)));
    const texts: string[] = [];
    for (const group of this.#groups.sorted()) {
      if (!wantsReceiver(group.route)) continue;
      const first = texts.length;
      for (const slot of group.sorted()) {
        const { alert } = slot;
        if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
        const text = this.#print(slot, receiversOf(this.#groups.routesOf(alert.labels)), query.states);
        if (text) texts.push(text);
      }
      if (texts.length > first) encloseGroup(group, texts, first);
    }
    return texts;
  }

  /** The text of an alert; undefined when its state is not wanted. */
  #print(slot: AlertSlot, receiversJson: string, states: StateSelection): string | undefined {
    const { alert, printed } = slot;
    const silencedBy = this.#silencer.silencedBy(alert.fingerprint);
    const known = printed?.alert === alert && printed.silencedBy === silencedBy ? printed : undefined;
    const status = known?.status ?? statusOf(silencedBy);
    if (!isSelected(status, states)) return undefined;
    if (known?.receiversJson === receiversJson) return known.text;
    const text = printAlert(alert, receiversJson, status);
    slot.printed = { alert, silencedBy, status, receiversJson, text };
    return text;
  }
}

/** Routes come as shared arrays: what follows from them is made once, however many alerts they take. */
function onceForRoutes<T>(make: (routes: readonly Route[]) => T): (routes: readonly Route[]) => T {
  const made = new Map<readonly Route[], { readonly value: T }>();
  return (routes) => {
    let known = made.get(routes);
    if (!known) {
      known = { value: make(routes) };
      made.set(routes, known);
    }
    return known.value;
  };
}

function printSortedReceivers(routes: readonly Route[]): string {
  return printReceivers(routes.map(({ receiver }) => receiver).sort(compareUtf8));
}

function passesFilter(labels: LabelSet, filter: readonly Matcher[]): boolean {
  return filter.every((matcher) => filterMatches(matcher, labelValue(labels, matcher.name)));
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

/** Puts the group around its alerts, which stand in `texts` from `first` on. */
function encloseGroup(group: AlertGroup, texts: string[], first: number): void {
  const labels = labelsJson(group.labels);
  const receiver = JSON.stringify({ name: group.receiver });
  texts[first] = `{"alerts":[${texts[first]}`;
  texts[texts.length - 1] += `],"labels":${labels},"receiver":${receiver},"routeLabels":{}}`;
}
