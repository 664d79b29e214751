import type { Pattern } from '../kernel/regexp.ts';
import type { AlertGroup } from './alert-group.ts';
import type { AlertGroups } from './alert-groups.ts';
import { type AlertPage, AlertPages, Excerpt, forgetListed } from './alert-pages.ts';
import type { AlertSlot, ListedAlert } from './alert-slot.ts';
import type { AlertStore } from './alert-store.ts';
import { printAlert, printReceivers } from './contract/gettable.ts';
import { type AlertStatus, isSelected, type StateSelection, statusOf } from './domain/alert-status.ts';
import { compareUtf8, type LabelSet, labelsJson } from './domain/label-set.ts';
import { filterMatches, type Matcher } from './domain/matcher.ts';
import type { Pairs } from './domain/notification.ts';
import { receiverMatches } from './domain/receiver.ts';
import type { Route, RouteTree } from './domain/route.ts';
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
 * Answers the two listings of alerts with pieces of bytes: elements of a JSON array, or several that a comma joins. The
 * text of an alert is made at its first listing and kept until something in it changes.
 */
export class AlertListing {
  readonly #store: AlertStore;
  readonly #groups: AlertGroups;
  readonly #silencer: Silencer;
  readonly #inhibitor: Inhibitor;
  readonly #pages = new AlertPages();
  /** Of what the texts were made that no single alert is told of. */
  #tree: RouteTree | undefined;
  #inhibitions = -1;

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
      if (slot.alert.endsAt >= now) counts[this.#statusOf(slot, now).state]++;
    }
    return counts;
  }

  /** The silences that match the alert are other ones now. */
  noteSilenced(fingerprint: string): void {
    const slot = this.#store.find(fingerprint);
    if (slot) forgetListed(slot);
  }

  /** The wanted alerts, in the order of fingerprints. */
  alerts(query: AlertQuery, names: RoutingNames, now: number): readonly Buffer[] {
    const isWanted = this.#alertTest(query, names);
    const excerpt = new Excerpt();
    for (const page of this.#currentPages(now)) {
      if (!isWanted && page.earliestEnd >= now) {
        excerpt.addPage(page);
        continue;
      }
      for (const slot of page.slots) {
        const { alert, listed } = slot;
        if (listed && alert.endsAt >= now && (!isWanted || isWanted(slot, listed))) excerpt.add(listed);
      }
    }
    return excerpt.pieces();
  }

  /** The groups that have any wanted alert, by labels and receiver. */
  groups(query: AlertQuery, names: RoutingNames, now: number): readonly Buffer[] {
    this.#currentPages(now);
    const wantsReceiver = receiverTest(query, names);
    const passesFilter = filterTest(query.filter);
    // In a group an alert has the receivers of all its groups that are asked for, by name.
    const receiversOf = onceForRoutes((routes) => printSortedReceivers(routes.filter(wantsReceiver)));
    const pieces: Buffer[] = [];
    for (const group of this.#groups.sorted()) {
      if (!wantsReceiver(group.route) || (!query.muted && group.mutedBy.length > 0)) continue;
      const first = pieces.length;
      for (const slot of group.sorted()) {
        const { alert, listed } = slot;
        if (!listed || alert.endsAt < now || !passesFilter(alert.labels)) continue;
        const status = statusInGroup(group, listed.status);
        if (isSelected(status, query.states))
          pieces.push(textInGroup(slot, listed, status, receiversOf(this.#routesOf(slot))));
      }
      if (pieces.length > first) encloseGroup(group, names.routeLabels(group), pieces, first);
    }
    return pieces;
  }

  /** Undefined: every alert is wanted. */
  #alertTest(query: AlertQuery, names: RoutingNames): ((slot: AlertSlot, listed: ListedAlert) => boolean) | undefined {
    const { filter, receiver, receiverMatchers, states } = query;
    const takesAllStates = states.active && states.silenced && states.inhibited && states.unprocessed;
    if (takesAllStates && !receiver && filter.length + receiverMatchers.length === 0) return undefined;
    const wantsReceiver = receiverTest(query, names);
    const passesFilter = filterTest(filter);
    const wantsRoutes = onceForRoutes((routes) => routes.some(wantsReceiver));
    return (slot, { status }) =>
      isSelected(status, states) && passesFilter(slot.alert.labels) && wantsRoutes(this.#routesOf(slot));
  }

  /** The pages as they are now, every alert on them with its text. */
  #currentPages(now: number): readonly AlertPage[] {
    const { tree } = this.#groups;
    this.#silencer.settle(now);
    const inhibitions = this.#inhibitor.settle(now);
    const receiversOf = onceForRoutes((routes) => printReceivers(routes.map(({ receiver }) => receiver)));
    if (tree !== this.#tree || inhibitions !== this.#inhibitions) {
      this.#tree = tree;
      this.#inhibitions = inhibitions;
      this.#pages.review(
        (slot) =>
          slot.listed?.receiversJson === receiversOf(this.#routesOf(slot)) &&
          isSameList(slot.listed.status.inhibitedBy, this.#inhibitor.inhibitedBy(slot, now)),
      );
    }
    return this.#pages.current(this.#store.sorted(), (slot) => {
      const status = this.#statusOf(slot, now);
      const receiversJson = receiversOf(this.#routesOf(slot));
      const bytes = Buffer.from(printAlert(slot.alert, receiversJson, status));
      return { status, receiversJson, bytes, start: 0, end: bytes.length };
    });
  }

  #statusOf(slot: AlertSlot, now: number): AlertStatus {
    return statusOf(this.#silencer.silencedBy(slot.alert.fingerprint), this.#inhibitor.inhibitedBy(slot, now));
  }

  #routesOf({ membership, alert }: AlertSlot): readonly Route[] {
    return membership?.routes ?? this.#groups.routesOf(alert.labels);
  }
}

function statusInGroup({ mutedBy }: AlertGroup, status: AlertStatus): AlertStatus {
  return mutedBy.length === 0 ? status : statusOf(status.silencedBy, status.inhibitedBy, mutedBy);
}

/** The text of an alert in a group, where it may have other receivers than by itself. */
function textInGroup({ alert }: AlertSlot, listed: ListedAlert, status: AlertStatus, receiversJson: string): Buffer {
  if (status !== listed.status) return Buffer.from(printAlert(alert, receiversJson, status));
  if (receiversJson === listed.receiversJson) return listed.bytes.subarray(listed.start, listed.end);
  if (listed.regrouped?.receiversJson !== receiversJson)
    listed.regrouped = { receiversJson, bytes: Buffer.from(printAlert(alert, receiversJson, status)) };
  return listed.regrouped.bytes;
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
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

/** Alerts of one rule share the names of their labels, so that the place of a label is looked for once for all of them. */
function filterTest(filter: readonly Matcher[]): (labels: LabelSet) => boolean {
  const tests = filter.map((matcher) => {
    let known: readonly string[] = [];
    let place = -1;
    return ({ names, values }: LabelSet) => {
      if (names !== known) place = names.indexOf(matcher.name);
      known = names;
      return filterMatches(matcher, place < 0 ? undefined : values[place]);
    };
  });
  return (labels) => tests.every((test) => test(labels));
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

/** Puts the group around its alerts, which stand in `pieces` from `first` on. */
function encloseGroup(group: AlertGroup, routeLabels: Pairs, pieces: Buffer[], first: number): void {
  const labels = labelsJson(group.labels);
  const receiver = JSON.stringify({ name: group.receiver });
  const last = pieces.length - 1;
  const tail = `],"labels":${labels},"receiver":${receiver},"routeLabels":${JSON.stringify(routeLabels)}}`;
  pieces[first] = Buffer.concat([Buffer.from('{"alerts":['), pieces[first] as Buffer]);
  pieces[last] = Buffer.concat([pieces[last] as Buffer, Buffer.from(tail)]);
}
