import { printAlert, printReceivers } from '../contract/gettable.ts';
import { type AlertStatus, isSelected, statusOf } from '../domain/alert-status.ts';
import { compareUtf8, labelsJson } from '../domain/label-set.ts';
import type { Matcher } from '../domain/matcher/matcher.ts';
import type { Pairs } from '../domain/notification.ts';
import type { Route, RouteTree } from '../domain/route.ts';
import type { Inhibitor } from '../inhibition/inhibitor.ts';
import { type ListedText, type Page, Pages } from '../listing-pages/alert-pages.ts';
import { Excerpt, emptyPlace, type TextPlace } from '../listing-pages/excerpt.ts';
import { Selections } from '../listing-pages/selections.ts';
import type { Silencer } from '../silences/silencer.ts';
import type { AlertGroup } from '../store/group.ts';
import type { AlertGroups } from '../store/groups.ts';
import { type AlertSlot, forgetAlert, type ListedAlert } from '../store/slot.ts';
import type { AlertStore } from '../store/store.ts';
import {
  type AlertQuery,
  filterTest,
  keyOfQuery,
  openFilter,
  type RoutingNames,
  receiverTest,
  takesAllReceivers,
  takesAllStates,
} from './alert-query.ts';
import { LabelIndex } from './label-index.ts';

export interface AlertListingParts {
  readonly store: AlertStore;
  readonly groups: AlertGroups;
  readonly silencer: Silencer;
  readonly inhibitor: Inhibitor;
}

const NO_FILTER: readonly Matcher[] = [];

const ALL: AlertQuery = {
  filter: NO_FILTER,
  receiver: undefined,
  receiverMatchers: NO_FILTER,
  states: { active: true, silenced: true, inhibited: true, unprocessed: true },
  muted: true,
};

/**
 * Answers the two listings of alerts with buffers: each holds elements of a JSON array, joined by commas. The text of an
 * alert is printed at its first listing and kept until it changes.
 */
export class AlertListing {
  readonly #store: AlertStore;
  readonly #groups: AlertGroups;
  readonly #silencer: Silencer;
  readonly #inhibitor: Inhibitor;
  readonly #pages = new Pages<AlertSlot>(() => 1);
  readonly #groupPages = new Pages<AlertGroup>(({ size }) => size);
  readonly #labelIndex = new LabelIndex();
  readonly #selectedAlerts = new Selections<AlertSlot>();
  readonly #selectedGroups = new Selections<AlertGroup>();
  /** The versions of global inputs for which the texts are valid. */
  #tree: RouteTree | undefined;
  #inhibitions = -1;
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor({ store, groups, silencer, inhibitor }: AlertListingParts) {
    this.#store = store;
    this.#groups = groups;
    this.#silencer = silencer;
    this.#inhibitor = inhibitor;
  }

  /** The number of alerts in each state. */
  countStates(now: number): Record<AlertStatus['state'], number> {
    this.#silencer.settle(now);
    const counts = { unprocessed: 0, active: 0, suppressed: 0 };
    for (const slot of this.#store.sorted()) {
      if (slot.alert.endsAt >= now) counts[this.#statusOf(slot, now).state]++;
    }
    return counts;
  }

  /** The number of active alerts by the value of their label `severity`, '' without one; and of suppressed ones. */
  countSeverities(now: number): { readonly severities: Record<string, number>; readonly suppressed: number } {
    this.#silencer.settle(now);
    const severities: Record<string, number> = Object.create(null);
    let suppressed = 0;
    for (const slot of this.#store.sorted()) {
      const { labels, endsAt } = slot.alert;
      if (endsAt < now) continue;
      if (this.#statusOf(slot, now).state === 'suppressed') suppressed++;
      else {
        const severity = labels.values[labels.names.indexOf('severity')] ?? '';
        severities[severity] = (severities[severity] ?? 0) + 1;
      }
    }
    return { severities, suppressed };
  }

  /** The silences of the alert have changed. */
  noteSilenced(fingerprint: string): void {
    const slot = this.#store.find(fingerprint);
    if (slot) forgetAlert(slot);
  }

  /** The wanted alerts, in the order of fingerprints. */
  alerts(query: AlertQuery, names: RoutingNames, now: number): readonly Buffer[] {
    const pages = this.#currentPages(now);
    const { filter, states } = query;
    if (takesAllStates(states) && takesAllReceivers(query) && filter.length === 0) return bytesOf(pages);
    const wantsReceiver = receiverTest(query, names);
    const wantsRoutes = onceForRoutes((routes) => routes.some(wantsReceiver));
    const passesFilter = filterTest(filter);
    const candidatesOn = this.#candidates(filter);
    return this.#selectedAlerts.read(keyOfQuery(query), pages, (page) => {
      const excerpt = new Excerpt();
      for (const slot of candidatesOn(page)) {
        const listed = slot.listed as ListedAlert;
        if (!passesFilter(slot.alert.labels) || !isSelected(listed.status, states)) continue;
        if (wantsRoutes(this.#routesOf(slot))) excerpt.add(listed);
      }
      return excerpt.join();
    });
  }

  /** The groups with a wanted alert, by labels and receiver. */
  groups(query: AlertQuery, names: RoutingNames, now: number): readonly Buffer[] {
    this.#currentPages(now);
    const printWhole = this.#groupPrinter(ALL, names);
    const pages = this.#groupPages.current(this.#groups.sorted(), now, (group) => printWhole(group));
    const takesAll = takesAllStates(query.states) && takesAllReceivers(query);
    if (takesAll && query.muted && query.filter.length === 0) return bytesOf(pages);
    const wantsReceiver = receiverTest(query, names);
    const printPart = this.#groupPrinter(query, names);
    return this.#selectedGroups.read(keyOfQuery(query), pages, (page) => {
      const excerpt = new Excerpt();
      for (const group of page.items) {
        if (!wantsReceiver(group.route) || (!query.muted && group.mutedBy.length > 0)) continue;
        const open = openFilter(query.filter, group);
        if (open) excerpt.add(takesAll && open.length === 0 ? (group.listed as ListedText) : printPart(group, open));
      }
      return excerpt.join();
    });
  }

  /** The places on a page of the alerts that may pass the filter. */
  #candidates(filter: readonly Matcher[]): (page: Page<AlertSlot>) => readonly AlertSlot[] {
    const exact = filter.find(({ operator, value }) => operator === '=' && value !== '');
    return exact ? this.#labelIndex.finder(exact.name, exact.value) : ({ items }) => items;
  }

  /** The current pages, with the text of every alert. */
  #currentPages(now: number): readonly Page<AlertSlot>[] {
    this.#silencer.settle(now);
    this.#review(now);
    const receiversOf = onceForRoutes((routes) => printReceivers(routes.map(({ receiver }) => receiver)));
    return this.#pages.current(this.#store.sorted(), now, (slot) => {
      const { alert } = slot;
      const status = this.#statusOf(slot, now);
      const receiversJson = receiversOf(this.#routesOf(slot));
      if (alert.endsAt < now) return { status, receiversJson, until: Number.POSITIVE_INFINITY, ...emptyPlace() };
      const bytes = Buffer.from(printAlert(alert, receiversJson, status));
      return { status, receiversJson, until: alert.endsAt, bytes, start: 0, end: bytes.length };
    });
  }

  /** Drops texts that a global change made invalid. */
  #review(now: number): void {
    const { tree } = this.#groups;
    const inhibitions = this.#inhibitor.settle(now);
    const isEarlier = now < this.#listedAt;
    this.#listedAt = now;
    if (tree === this.#tree && inhibitions === this.#inhibitions && !isEarlier) return;
    if (tree !== this.#tree) {
      this.#selectedAlerts.clear();
      this.#selectedGroups.clear();
    }
    this.#tree = tree;
    this.#inhibitions = inhibitions;
    const receiversOf = onceForRoutes((routes) => printReceivers(routes.map(({ receiver }) => receiver)));
    for (const slot of this.#store.sorted()) {
      const { listed } = slot;
      if (!listed) continue;
      const holds =
        !isEarlier &&
        listed.receiversJson === receiversOf(this.#routesOf(slot)) &&
        isSameList(listed.status.inhibitedBy, this.#inhibitor.inhibitedBy(slot, now));
      if (!holds) forgetAlert(slot);
    }
  }

  /** Prints the wanted alerts of a group; `open` is the part of the filter that its own labels do not decide. */
  #groupPrinter(query: AlertQuery, names: RoutingNames): (group: AlertGroup, open?: readonly Matcher[]) => ListedText {
    const wantsReceiver = receiverTest(query, names);
    // In a group an alert has the receivers of all its wanted groups, by name.
    const receiversOf = onceForRoutes((routes) => printSortedReceivers(routes.filter(wantsReceiver)));
    return (group, open = NO_FILTER) => {
      const passesFilter = filterTest(open);
      const excerpt = new Excerpt();
      let until = Number.POSITIVE_INFINITY;
      for (const slot of group.sorted()) {
        const { alert, listed } = slot;
        if (!listed || listed.start === listed.end || !passesFilter(alert.labels)) continue;
        const status = statusInGroup(group, listed.status);
        if (!isSelected(status, query.states)) continue;
        excerpt.add(placeInGroup(slot, listed, status, receiversOf(this.#routesOf(slot))));
        until = Math.min(until, listed.until);
      }
      return { until, ...(excerpt.isEmpty ? emptyPlace() : encloseGroup(group, names.routeLabels(group), excerpt)) };
    };
  }

  #statusOf(slot: AlertSlot, now: number): AlertStatus {
    return statusOf(this.#silencer.silencedBy(slot.alert.fingerprint), this.#inhibitor.inhibitedBy(slot, now));
  }

  #routesOf({ membership, alert }: AlertSlot): readonly Route[] {
    return membership?.routes ?? this.#groups.routesOf(alert.labels);
  }
}

function bytesOf(pages: readonly Page<unknown>[]): readonly Buffer[] {
  return pages.map(({ bytes }) => bytes).filter(({ length }) => length > 0);
}

function statusInGroup({ mutedBy }: AlertGroup, status: AlertStatus): AlertStatus {
  return mutedBy.length === 0 ? status : statusOf(status.silencedBy, status.inhibitedBy, mutedBy);
}

/** The text of an alert in a group, whose receivers may differ from those in the listing of alerts. */
function placeInGroup(
  { alert }: AlertSlot,
  listed: ListedAlert,
  status: AlertStatus,
  receiversJson: string,
): TextPlace {
  if (status !== listed.status) return placeOf(Buffer.from(printAlert(alert, receiversJson, status)));
  if (receiversJson === listed.receiversJson) return listed;
  if (listed.regrouped?.receiversJson !== receiversJson)
    listed.regrouped = { receiversJson, bytes: Buffer.from(printAlert(alert, receiversJson, status)) };
  return placeOf(listed.regrouped.bytes);
}

/** Wraps the alerts in the JSON of their group. */
function encloseGroup(group: AlertGroup, routeLabels: Pairs, alerts: Excerpt): TextPlace {
  const labels = labelsJson(group.labels);
  const receiver = JSON.stringify({ name: group.receiver });
  const tail = `],"labels":${labels},"receiver":${receiver},"routeLabels":${JSON.stringify(routeLabels)}}`;
  return placeOf(alerts.joinWithin('{"alerts":[', tail));
}

function placeOf(bytes: Buffer): TextPlace {
  return { bytes, start: 0, end: bytes.length };
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

/** Caches by the shared arrays of routes, so that a value is made once for all their alerts. */
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
