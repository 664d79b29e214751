import { compareGroups } from '../domain/alert-group.ts';
import { type LabelSet, printLabelSet } from '../domain/label-set.ts';
import { groupLabels, type Route, type RouteTree } from '../domain/route.ts';
import { AlertGroup } from './group.ts';
import type { AlertSlot } from './slot.ts';

/** Listens to groups that are created and removed. */
export interface GroupListener {
  /** `slot` is the first alert of the group. */
  created(group: AlertGroup, slot: AlertSlot): void;
  removed(group: AlertGroup): void;
}

/**
 * Puts every alert into the group of each route that takes it, where it stays until the group has sent its resolved
 * notification.
 */
export class AlertGroups {
  #tree: RouteTree;
  readonly #groups = new Map<Route, Map<string, AlertGroup>>();
  #size = 0;
  #sorted: readonly AlertGroup[] | undefined;
  #listener: GroupListener | undefined;

  constructor(tree: RouteTree) {
    this.#tree = tree;
  }

  get tree(): RouteTree {
    return this.#tree;
  }

  get size(): number {
    return this.#size;
  }

  /** Schedules the flushes; the only listener. */
  listen(listener: GroupListener): void {
    this.#listener = listener;
  }

  /** The routes that take alerts with these labels. */
  routesOf(labels: LabelSet): readonly Route[] {
    return this.#tree.match(labels);
  }

  /** Adds an alert that is new, or was posted again after a group had released it. */
  put(slot: AlertSlot): void {
    slot.isSettled = false;
    const routes = slot.membership?.routes ?? this.#tree.match(slot.alert.labels);
    slot.membership ??= { routes, groups: [] };
    const { groups } = slot.membership;
    for (let index = 0; index < routes.length; index++) {
      const group = groups[index];
      if (group) group.version++;
      else groups[index] = this.#join(routes[index] as Route, slot);
    }
  }

  /** The group has sent the resolved notification of the alert. */
  release(group: AlertGroup, slot: AlertSlot): void {
    group.delete(slot);
    if (group.size === 0) this.#delete(group);
    const groups = slot.membership?.groups;
    if (!groups) return;
    const place = groups.indexOf(group);
    // A group from before a reload: the alert is in another group now, which notifies again if needed.
    if (place < 0) return;
    groups[place] = undefined;
    slot.isSettled = groups.every((other) => other === undefined);
    if (!slot.isSettled) return;
    slot.isAnnounced = false;
    slot.isInDoubt = false;
  }

  /** Rebuilds all groups for another tree, from the alerts that a group still holds. */
  reroute(tree: RouteTree, slots: Iterable<AlertSlot>): void {
    for (const group of this.#all()) this.#listener?.removed(group);
    this.#tree = tree;
    this.#groups.clear();
    this.#size = 0;
    this.#sorted = undefined;
    for (const slot of slots) {
      delete slot.membership;
      if (!slot.isSettled) this.put(slot);
    }
  }

  /**
   * Adds settled alerts again to groups whose receiver was notified that they fire, under another configuration, and not
   * that they have resolved.
   */
  takeUpOwed(slots: Iterable<AlertSlot>, believesFiring: (group: AlertGroup, fingerprint: string) => boolean): void {
    for (const slot of slots) {
      if (!slot.isSettled) continue;
      const { labels, fingerprint } = slot.alert;
      const routes = this.#tree.match(labels);
      const owed = routes.map((route) =>
        believesFiring(new AlertGroup(route, groupLabels(route, labels)), fingerprint),
      );
      if (!owed.includes(true)) continue;
      slot.isSettled = false;
      const groups = routes.map((route, place) => (owed[place] ? this.#join(route, slot) : undefined));
      slot.membership = { routes, groups };
    }
  }

  /** By labels, then receiver. */
  sorted(): readonly AlertGroup[] {
    this.#sorted ??= [...this.#all()].sort(compareGroups);
    return this.#sorted;
  }

  /** The group of a route for an alert with these labels. */
  find(route: Route, labels: LabelSet): AlertGroup | undefined {
    return this.#groups.get(route)?.get(printLabelSet(groupLabels(route, labels)));
  }

  #join(route: Route, slot: AlertSlot): AlertGroup {
    const labels = groupLabels(route, slot.alert.labels);
    const labelsText = printLabelSet(labels);
    let ofRoute = this.#groups.get(route);
    if (!ofRoute) {
      ofRoute = new Map();
      this.#groups.set(route, ofRoute);
    }
    const known = ofRoute.get(labelsText);
    const group = known ?? new AlertGroup(route, labels, labelsText);
    group.add(slot);
    if (known) return known;
    ofRoute.set(labelsText, group);
    this.#size++;
    this.#sorted = undefined;
    this.#listener?.created(group, slot);
    return group;
  }

  #delete(group: AlertGroup): void {
    if (!this.#groups.get(group.route)?.delete(group.labelsText)) return;
    this.#size--;
    this.#sorted = undefined;
    this.#listener?.removed(group);
  }

  *#all(): Generator<AlertGroup, void> {
    for (const ofRoute of this.#groups.values()) yield* ofRoute.values();
  }
}
