import type { AlertSlot } from './alert-slot.ts';
import { compareGroupedAlerts, compareGroups } from './domain/alert-group.ts';
import { type LabelSet, printLabelSet } from './domain/label-set.ts';
import { groupLabels, type Route, type RouteTable } from './domain/route.ts';

/** The alerts of one route that share the values of its grouping labels. */
export class AlertGroup {
  /** The route's key and the labels, as upstream writes group keys. */
  readonly key: string;
  readonly route: Route;
  readonly labels: LabelSet;
  readonly receiver: string;
  readonly #members = new Set<AlertSlot>();
  #sorted: readonly AlertSlot[] | undefined;

  constructor(key: string, route: Route, labels: LabelSet) {
    this.key = key;
    this.route = route;
    this.labels = labels;
    this.receiver = route.receiver;
  }

  get size(): number {
    return this.#members.size;
  }

  add(slot: AlertSlot): void {
    this.#members.add(slot);
    this.#sorted = undefined;
  }

  delete(slot: AlertSlot): void {
    if (this.#members.delete(slot)) this.#sorted = undefined;
  }

  /** By job, instance and all labels, none of which ever changes: sorted once for each set of members. */
  sorted(): readonly AlertSlot[] {
    this.#sorted ??= [...this.#members].sort((a, b) => compareGroupedAlerts(a.alert, b.alert));
    return this.#sorted;
  }
}

/** Puts every alert into the group of each route that takes it. */
export class AlertGroups {
  #table: RouteTable;
  readonly #groups = new Map<string, AlertGroup>();
  #sorted: readonly AlertGroup[] | undefined;

  constructor(table: RouteTable) {
    this.#table = table;
  }

  /** The routes that take alerts with these labels. */
  routesOf(labels: LabelSet): readonly Route[] {
    return this.#table(labels);
  }

  /** Takes up a new alert; one that is posted again stays where its labels put it. */
  add(slot: AlertSlot): void {
    for (const route of this.#table(slot.alert.labels)) this.#groupOf(route, slot.alert.labels).add(slot);
  }

  remove(slot: AlertSlot): void {
    for (const route of this.#table(slot.alert.labels)) {
      const group = this.#groupOf(route, slot.alert.labels);
      group.delete(slot);
      if (group.size > 0) continue;
      this.#groups.delete(group.key);
      this.#sorted = undefined;
    }
  }

  /** Builds all groups anew for another configuration. */
  reroute(table: RouteTable, slots: Iterable<AlertSlot>): void {
    this.#table = table;
    this.#groups.clear();
    this.#sorted = undefined;
    for (const slot of slots) this.add(slot);
  }

  /** By labels, then receiver. */
  sorted(): readonly AlertGroup[] {
    this.#sorted ??= [...this.#groups.values()].sort(compareGroups);
    return this.#sorted;
  }

  #groupOf(route: Route, labels: LabelSet): AlertGroup {
    const grouping = groupLabels(route, labels);
    const key = `${route.key}:${printLabelSet(grouping)}`;
    let group = this.#groups.get(key);
    if (!group) {
      group = new AlertGroup(key, route, grouping);
      this.#groups.set(key, group);
      this.#sorted = undefined;
    }
    return group;
  }
}
