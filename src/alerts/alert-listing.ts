import type { Pattern } from '../kernel/regexp.ts';
import type { AlertGroup } from './alert-group.ts';
import type { AlertGroups } from './alert-groups.ts';
import type { AlertSlot } from './alert-slot.ts';
import type { AlertStore } from './alert-store.ts';
import { printAlert, printReceivers } from './contract/gettable.ts';
import { type AlertStatus, isSelected, type StateSelection, statusOf } from './domain/alert-status.ts';
import { compareUtf8, type LabelSet, labelsJson, labelValue } from './domain/label-set.ts';
import { filterMatches, type Matcher } from './domain/matcher.ts';
import type { Pairs } from './domain/notification.ts';
import { receiverMatches } from './domain/receiver.ts';
import type { Route } from './domain/route.ts';
import type { Inhibitor } from './inhibitor.ts';
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
  /** Whether groups that a time interval keeps quiet are wanted. */
  readonly muted: boolean;
}

export interface AlertListingParts {
  readonly store: AlertStore;
  readonly groups: AlertGroups;
  readonly silencer: Silencer;
  readonly inhibitor: Inhibitor;
}

/** What the configuration in force says of receivers and routes. */
export interface RoutingNames {
  /** Always with its name. */
  receiverLabels(name: string): Pairs;
  routeLabels(group: AlertGroup): Pairs;
}

/**
 * Answers the two listings of alerts with the elements of a JSON array, or with pieces of them that a comma joins. The
 * text of an alert is made at its first listing and kept until something in it changes.
 */
export class AlertListing {
  readonly #store: AlertStore;
  readonly #groups: AlertGroups;
  readonly #silencer: Silencer;
  readonly #inhibitor: Inhibitor;

  constructor({ store, groups, silencer, inhibitor }: AlertListingParts) {
    this.#store = store;
    this.#groups = groups;
    this.#silencer = silencer;
    this.#inhibitor = inhibitor;
  }

  /** How many alerts are in each state. */
  countStates(now: number): Record<AlertStatus['state'], number> {
    this.#silencer.settle(now);
    const counts = { unprocessed: 0, active: 0, suppressed: 0 };
    for (const slot of this.#store.sorted()) {
      if (slot.alert.endsAt < now) continue;
      const status = statusOf(
        this.#silencer.silencedBy(slot.alert.fingerprint),
        this.#inhibitor.inhibitedBy(slot, now),
      );
      counts[status.state]++;
    }
    return counts;
  }

  /** The wanted alerts, in the order of fingerprints. */
  alerts(query: AlertQuery, names: RoutingNames, now: number): readonly string[] {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query, names);
    const wantedReceivers = onceForRoutes((routes) =>
      routes.some(wantsReceiver) ? printReceivers(routes.map(({ receiver }) => receiver)) : undefined,
    );
    const texts: string[] = [];
    for (const slot of this.#store.sorted()) {
      const { alert } = slot;
      if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
      const receiversJson = wantedReceivers(this.#routesOf(slot));
      const text = receiversJson && this.#print(slot, receiversJson, query.states, now);
      if (text) texts.push(text);
    }
    return texts;
  }

  /** The groups that have any wanted alert, by labels and receiver. */
  groups(query: AlertQuery, names: RoutingNames, now: number): readonly string[] {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query, names);
    // In a group an alert has the receivers of all its groups that are asked for, by name.
    const receiversOf = onceForRoutes((routes) => printSortedReceivers(routes.filter(wantsReceiver)));
    const texts: string[] = [];
    for (const group of this.#groups.sorted()) {
      if (!wantsReceiver(group.route) || (!query.muted && group.mutedBy.length > 0)) continue;
      const first = texts.length;
      for (const slot of group.sorted()) {
        const { alert } = slot;
        if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
        const receiversJson = receiversOf(this.#routesOf(slot));
        const text = this.#print(slot, receiversJson, query.states, now, group.mutedBy);
        if (text) texts.push(text);
      }
      if (texts.length > first) encloseGroup(group, names.routeLabels(group), texts, first);
    }
    return texts;
  }

  #routesOf({ membership, alert }: AlertSlot): readonly Route[] {
    return membership?.routes ?? this.#groups.routesOf(alert.labels);
  }

  /** The text of an alert; undefined when its state is not wanted. */
  #print(
    slot: AlertSlot,
    receiversJson: string,
    states: StateSelection,
    now: number,
    mutedBy: readonly string[] = [],
  ): string | undefined {
    const { alert, printed } = slot;
    const silencedBy = this.#silencer.silencedBy(alert.fingerprint);
    const inhibitedBy = this.#inhibitor.inhibitedBy(slot, now);
    if (mutedBy.length > 0) {
      const status = statusOf(silencedBy, inhibitedBy, mutedBy);
      return isSelected(status, states) ? printAlert(alert, receiversJson, status) : undefined;
    }
    const isKnown =
      printed?.alert === alert && printed.silencedBy === silencedBy && printed.inhibitedBy === inhibitedBy;
    const status = isKnown ? printed.status : statusOf(silencedBy, inhibitedBy);
    if (!isSelected(status, states)) return undefined;
    if (isKnown && printed.receiversJson === receiversJson) return printed.text;
    const text = printAlert(alert, receiversJson, status);
    slot.printed = { alert, silencedBy, inhibitedBy, status, receiversJson, text };
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
function receiverTest({ receiver, receiverMatchers }: AlertQuery, names: RoutingNames): (route: Route) => boolean {
  if (!receiver && receiverMatchers.length === 0) return () => true;
  const known = new Map<string, boolean>();
  const test = (name: string) =>
    (receiver?.test(name) ?? true) && receiverMatches(names.receiverLabels(name), receiverMatchers);
  return (route) => {
    const wanted = known.get(route.receiver) ?? test(route.receiver);
    known.set(route.receiver, wanted);
    return wanted;
  };
}

/** Puts the group around its alerts, which stand in `texts` from `first` on. */
function encloseGroup(group: AlertGroup, routeLabels: Pairs, texts: string[], first: number): void {
  const labels = labelsJson(group.labels);
  const receiver = JSON.stringify({ name: group.receiver });
  texts[first] = `{"alerts":[${texts[first]}`;
  texts[texts.length - 1] +=
    `],"labels":${labels},"receiver":${receiver},"routeLabels":${JSON.stringify(routeLabels)}}`;
}
