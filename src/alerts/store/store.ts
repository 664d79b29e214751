import { type Alert, isResolvedAt, isSameVersion, joinVersions, mergeAlerts } from '../domain/alert.ts';
import type { AlertSlot } from './slot.ts';
import type { AlertStorage, StoredAlert } from './storage.ts';

export interface AlertListener {
  /** `isNew`: no alert with these labels was stored before. */
  /** `before`: its last version, unless it is new. */
  put(slot: AlertSlot, isNew: boolean, before?: Alert): void;
  removed(slot: AlertSlot): void;
}

/** All alerts, by fingerprint. Listeners are called in the order of subscription. */
export class AlertStore {
  readonly #storage: AlertStorage;
  readonly #slots = new Map<string, AlertSlot>();
  readonly #listeners: AlertListener[] = [];
  /** In the order of fingerprints; new slots are sorted in at the next listing. */
  #sorted: AlertSlot[] = [];
  #added: AlertSlot[] = [];
  #nextId = 1;

  constructor(storage: AlertStorage) {
    this.#storage = storage;
  }

  /** Reads the stored alerts, calls the listeners, and returns their number. */
  async load(): Promise<number> {
    const newest = new Map<string, AlertSlot>();
    for (const { id, alert, isSettled, isAnnounced } of await this.#storage.load()) {
      this.#nextId = id + 1;
      const older = newest.get(alert.fingerprint);
      // A kill between two batches may leave a removed alert beside its successor.
      if (older) this.#storage.remove(older);
      newest.set(alert.fingerprint, {
        ...{ id, alert, hasNewContent: false, isSettled, isAnnounced, isInDoubt: isAnnounced },
      });
    }
    for (const slot of newest.values()) this.#hold(slot);
    return this.#slots.size;
  }

  subscribe(listener: AlertListener): void {
    this.#listeners.push(listener);
  }

  get size(): number {
    return this.#slots.size;
  }

  find(fingerprint: string): AlertSlot | undefined {
    return this.#slots.get(fingerprint);
  }

  get(fingerprint: string): Alert | undefined {
    return this.#slots.get(fingerprint)?.alert;
  }

  /** All alerts, in no particular order. */
  *all(): Generator<Alert, void> {
    for (const { alert } of this.#slots.values()) yield alert;
  }

  /** Stores accepted alerts, each merged with its known version. Visible when this returns. */
  put(alerts: readonly Alert[]): void {
    for (const alert of alerts) {
      const known = this.#slots.get(alert.fingerprint);
      const slot = known ?? newSlot(this.#nextId++, alert);
      if (known) this.#renew(known, mergeAlerts(known.alert, alert));
      else this.#hold(slot);
      this.#storage.change(slot);
    }
  }

  /** Takes over versions that another node has stored. */
  receive(versions: readonly Pick<StoredAlert, 'alert' | 'isSettled'>[]): void {
    for (const { alert, isSettled } of versions) {
      const known = this.#slots.get(alert.fingerprint);
      // A settled one is of no use to a node that did not have it.
      if (!known && !isSettled) this.#hold(newSlot(this.#nextId++, alert));
      else if (!known) continue;
      else if (!isSameVersion(known.alert, alert)) {
        this.#renew(known, joinVersions(known.alert, alert));
        // What this node knows beyond the stored version is written.
        this.#storage.change(known);
      }
    }
  }

  /** All alerts, in the order of fingerprints. Do not change the array; it is valid until the next put. */
  sorted(): readonly AlertSlot[] {
    if (this.#added.length > 0) {
      this.#sorted = mergeSorted(this.#sorted, this.#added.sort(bySlotFingerprint));
      this.#added = [];
    }
    return this.#sorted;
  }

  /** The slot was settled: no notification is due for it after a restart. */
  noteSettled(slot: AlertSlot): void {
    this.#storage.change(slot);
  }

  /** Deletes settled alerts; returns their number. */
  collectGarbage(now: number): number {
    const resolved = this.sorted().filter(({ alert, isSettled }) => isSettled && isResolvedAt(alert, now));
    if (resolved.length === 0) return 0;
    for (const slot of resolved) {
      this.#slots.delete(slot.alert.fingerprint);
      this.#storage.remove(slot);
      for (const listener of this.#listeners) listener.removed(slot);
    }
    this.#sorted = this.#sorted.filter(({ alert }) => this.#slots.has(alert.fingerprint));
    return resolved.length;
  }

  /** Notifications of these alerts are about to be sent: the next commit marks them so on disk. */
  announce(slots: readonly AlertSlot[]): void {
    for (const slot of slots) {
      if (slot.isAnnounced) continue;
      slot.isAnnounced = true;
      this.#storage.change(slot);
    }
    void this.#storage.writeNow(slots);
  }

  /** Writes these in one commit with all other writes of this turn; a failed write is retried. */
  write(slots: readonly AlertSlot[]): Promise<void> {
    return this.#storage.writeNow(slots);
  }

  /** Resolves when everything put so far is on disk; rejects when the write fails. */
  flush(): Promise<void> {
    return this.#storage.flush();
  }

  #hold(slot: AlertSlot): void {
    this.#slots.set(slot.alert.fingerprint, slot);
    this.#added.push(slot);
    for (const listener of this.#listeners) listener.put(slot, true);
  }

  #renew(slot: AlertSlot, merged: Alert): void {
    const known = slot.alert;
    slot.alert = keepTexts(known, merged);
    const { annotationsJson, generatorURL } = slot.alert;
    if (annotationsJson !== known.annotationsJson || generatorURL !== known.generatorURL) slot.hasNewContent = true;
    for (const listener of this.#listeners) listener.put(slot, false, known);
  }
}

function newSlot(id: number, alert: Alert): AlertSlot {
  return { id, alert, hasNewContent: true, isSettled: false, isAnnounced: false, isInDoubt: false };
}

/** Keeps the old objects for repeated texts, so that the new ones are collected early. */
function keepTexts(known: Alert, alert: Alert): Alert {
  return {
    ...alert,
    fingerprint: known.fingerprint,
    labels: known.labels,
    annotationsJson: known.annotationsJson === alert.annotationsJson ? known.annotationsJson : alert.annotationsJson,
    generatorURL: known.generatorURL === alert.generatorURL ? known.generatorURL : alert.generatorURL,
  };
}

/** Fingerprints are hexadecimal digits of one length: any order of texts is the order of bytes. */
function bySlotFingerprint(a: AlertSlot, b: AlertSlot): number {
  return a.alert.fingerprint < b.alert.fingerprint ? -1 : 1;
}

function mergeSorted(old: readonly AlertSlot[], added: readonly AlertSlot[]): AlertSlot[] {
  if (old.length === 0) return [...added];
  const merged: AlertSlot[] = [];
  let next = 0;
  for (const slot of old) {
    while (next < added.length && bySlotFingerprint(added[next] as AlertSlot, slot) < 0)
      merged.push(added[next++] as AlertSlot);
    merged.push(slot);
  }
  for (; next < added.length; next++) merged.push(added[next] as AlertSlot);
  return merged;
}
