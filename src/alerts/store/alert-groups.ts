import { compareGroups } from '../domain/alert-group.ts';
import { type LabelSet, printLabelSet } from '../domain/label-set.ts';
import { groupLabels, type Route, type RouteTree } from '../domain/route.ts';
import { AlertGroup } from './alert-group.ts';
import type { AlertSlot } from './alert-slot.ts';

/** Is told of groups that come and go. */
export interface GroupListener {
  /** `slot` is the first alert of the group. */
  created(group: AlertGroup, slot: AlertSlot): void;
  removed(group: AlertGroup): void;
}

/**
 * Puts every alert into the group of each route that takes it. It stays there until the group lets it go, which it does
 * once it has told that the alert is resolved.
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

  /** Who schedules the flushes; there is but one. */
  listen(listener: GroupListener): void {
    this.#listener = listener;
  }

  /** The routes that take alerts with these labels. */
  routesOf(labels: LabelSet): readonly Route[] {
    return this.#tree.match(labels);
  }

  /** Takes up an alert that is new, or was posted again after some group had let it go. */
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

  /** The group has told that the alert is resolved. */
  release(group: AlertGroup, slot: AlertSlot): void {
    group.delete(slot);
    if (group.size === 0) this.#delete(group);
    const groups = slot.membership?.groups;
    if (!groups) return;
    const place = groups.indexOf(group);
    // A group of before a reload: the alert is in another one by now, which tells of it once more if it has to.
    if (place < 0) return;
    groups[place] = undefined;
    slot.isSettled = groups.every((other) => other === undefined);
    if (!slot.isSettled) return;
    slot.isAnnounced = false;
    slot.isInDoubt = false;
  }

  /** Builds all groups anew for another tree, of the alerts that some group still held. */
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
   * Takes up settled alerts once more in those groups whose receiver believes them to fire: it was told so under another
   * configuration, and has not been told the end.
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

  /** The group in which an alert with these labels would be on a route. */
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
