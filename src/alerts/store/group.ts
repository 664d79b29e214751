import { compareGroupedAlerts } from '../domain/alert-group.ts';
import { type LabelSet, printLabelSet } from '../domain/label-set.ts';
import type { Route } from '../domain/route.ts';
import { forgetListed, type ListedText, type Page } from '../listing-pages/alert-pages.ts';
import type { AlertSlot } from './slot.ts';

/** The alerts of one route that share the values of its grouping labels. */
export class AlertGroup {
  readonly route: Route;
  readonly labels: LabelSet;
  /** As Alertmanager writes group keys: the route's key and the labels. Siblings with the same matchers share it. */
  readonly key: string;
  /** Like the key, but unique among all groups. */
  readonly id: string;
  /** Its keys in the notification log, for each integration of its receiver; made at its first flush. */
  logKeys: readonly string[] | undefined;
  /** The labels as text; unique among the groups of a route. */
  readonly labelsText: string;
  readonly receiver: string;
  /** Its next flush; epoch milliseconds. */
  nextFlushAt = Number.POSITIVE_INFINITY;
  appointment: object | undefined;
  /** A flush is under way; the next one waits for it. */
  isFlushing = false;
  /** Another node has, or had, the right to flush it. */
  isContested = false;
  /** The next flush became due during this one. */
  isOverdue = false;
  /** Counts the changes of its alerts, so that derived values can be checked for validity. */
  version = 0;
  /** Its listed text; undefined when it or its alerts have changed since. */
  listed?: ListedText | undefined;
  /** Its place among all groups; undefined until the next listing. */
  page?: Page<AlertGroup>;
  #mutedBy: readonly string[] = [];
  readonly #members = new Set<AlertSlot>();
  #sorted: readonly AlertSlot[] | undefined;

  constructor(route: Route, labels: LabelSet, labelsText = printLabelSet(labels)) {
    this.route = route;
    this.labels = labels;
    this.labelsText = labelsText;
    this.key = `${route.key}:${labelsText}`;
    this.id = `${route.id}:${labelsText}`;
    this.receiver = route.receiver;
  }

  /** The time intervals that muted it at its last flush. */
  get mutedBy(): readonly string[] {
    return this.#mutedBy;
  }

  set mutedBy(names: readonly string[]) {
    if (names.length + this.#mutedBy.length > 0) forgetListed<AlertGroup>(this);
    this.#mutedBy = names;
  }

  get size(): number {
    return this.#members.size;
  }

  has(slot: AlertSlot): boolean {
    return this.#members.has(slot);
  }

  add(slot: AlertSlot): void {
    this.#members.add(slot);
    this.#noteMembers();
  }

  delete(slot: AlertSlot): void {
    if (!this.#members.delete(slot)) return;
    this.#noteMembers();
  }

  /** By job, instance and all labels, which never change: sorted once per set of members. */
  sorted(): readonly AlertSlot[] {
    this.#sorted ??= sortSlots([...this.#members]);
    return this.#sorted;
  }

  #noteMembers(): void {
    this.#sorted = undefined;
    this.version++;
    forgetListed<AlertGroup>(this);
  }
}

function sortSlots(slots: AlertSlot[]): readonly AlertSlot[] {
  return slots.length > 1 ? slots.sort((a, b) => compareGroupedAlerts(a.alert, b.alert)) : slots;
}
