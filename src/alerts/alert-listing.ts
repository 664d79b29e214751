import type { Pattern } from '../kernel/regexp.ts';
import type { AlertGroup, AlertGroups } from './alert-groups.ts';
import type { AlertSlot, AlertStore } from './alert-store.ts';
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
    for (const { alert } of this.#store.sorted()) {
      if (alert.endsAt >= now) counts[statusOf(this.#silencer.silencedBy(alert.fingerprint)).state]++;
    }
    return counts;
  }

  /** The wanted alerts, in the order of fingerprints. */
  alerts(query: AlertQuery, now: number): readonly string[] {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query);
    const texts: string[] = [];
    for (const slot of this.#store.sorted()) {
      const { alert } = slot;
      if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
      const routes = this.#groups.routesOf(alert.labels);
      if (!routes.some(wantsReceiver)) continue;
      const text = this.#print(slot, this.#printRoutes(routes), query.states);
      if (text !== undefined) texts.push(text);
    }
    return texts;
  }

  /** The groups that have any wanted alert, by labels and receiver. */
  groups(query: AlertQuery, now: number): readonly string[] {
    this.#silencer.settle(now);
    const wantsReceiver = receiverTest(query);
    const receiversOf = this.#receiversPrinter(wantsReceiver);
    const texts: string[] = [];
    for (const group of this.#groups.sorted()) {
      if (!wantsReceiver(group.route)) continue;
      const first = texts.length;
      for (const slot of group.sorted()) {
        const { alert } = slot;
        if (alert.endsAt < now || !passesFilter(alert.labels, query.filter)) continue;
        const text = this.#print(slot, receiversOf(alert.labels), query.states);
        if (text !== undefined) texts.push(text);
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

  /** In a group an alert has the receivers of all its groups that are asked for, by name. */
  #receiversPrinter(wantsReceiver: (route: Route) => boolean): (labels: LabelSet) => string {
    const printed = new Map<readonly Route[], string>();
    return (labels) => {
      const routes = this.#groups.routesOf(labels);
      const json = printed.get(routes) ?? printSortedReceivers(routes.filter(wantsReceiver));
      printed.set(routes, json);
      return json;
    };
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

/** Puts the group around its alerts, which stand in `texts` from `first` on. */
function encloseGroup(group: AlertGroup, texts: string[], first: number): void {
  const labels = labelsJson(group.labels);
  const receiver = JSON.stringify({ name: group.receiver });
  texts[first] = `{"alerts":[${texts[first]}`;
  texts[texts.length - 1] += `],"labels":${labels},"receiver":${receiver},"routeLabels":{}}`;
}
