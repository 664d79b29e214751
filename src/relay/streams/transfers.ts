import { Frame, frameEvent } from '../../kernel/sse/frame.ts';
import { type FlagStore, ITEM_KINDS, type ItemKind } from '../flag-store.ts';

// Version 2 of flag delivery: an intent, the items, and the state which they lead to.

/** The numbers of an environment's changes; copies in other threads have the same ones. */
export interface Revisions {
  /** Names the present data. */
  readonly revision: string;
  readonly changes: { readonly changes: number };
  /** The number of changes at a revision; undefined if it is unknown. */
  changesAt(revision: string): number | undefined;
}

/** What a client without, or with older, data needs. */
export interface Transfer {
  readonly frame: Frame;
  /** `{"events":[…]}` */
  readonly body: string;
}

/** An event with its data as JSON. */
type TransferEvent = readonly [name: string, data: string];

const WIRE_KINDS: Readonly<Record<ItemKind, string>> = { flags: 'flag', segments: 'segment' };
const PAYLOAD_ID = 'relay';
const MAX_PREPARED = 8;

/** The data of one environment as changes and as a whole, prepared for all clients at once. */
export class Transfers {
  readonly #store: FlagStore;
  readonly #revisions: Revisions;
  /** The last change of each item since `#since`, in their order. */
  readonly #changedAt = new Map<string, { readonly kind: ItemKind; readonly key: string; readonly number: number }>();
  /** All changes after this number are known. */
  #since = 0;
  #last = 0;
  readonly #prepared = new Map<string, Transfer>();

  constructor(store: FlagStore, revisions: Revisions) {
    this.#store = store;
    this.#revisions = revisions;
  }

  /** For a client whose data are of a revision; undefined if it has none. */
  to(revision: string | undefined): Transfer {
    this.#follow();
    const since = revision === undefined ? undefined : this.#revisions.changesAt(revision);
    const from = since !== undefined && since >= this.#since ? since : undefined;
    const name = from === undefined ? `all ${revision === undefined}` : `${from}`;
    let transfer = this.#prepared.get(name);
    if (!transfer) {
      if (this.#prepared.size >= MAX_PREPARED) this.#prepared.clear();
      transfer = prepare(this.#events(from, revision === undefined));
      this.#prepared.set(name, transfer);
    }
    return transfer;
  }

  /** Must be called after all data have been replaced. */
  replaced(): void {
    this.#restart();
  }

  /** Must be called after each change of an item. */
  changed(kind: ItemKind, key: string): void {
    if (!this.#count()) return;
    const name = `${kind} ${key}`;
    // Removed first, so that the order is that of the changes.
    this.#changedAt.delete(name);
    this.#changedAt.set(name, { kind, key, number: this.#last });
  }

  /** Must be called after a change of the members of big segments, which these clients read themselves. */
  membersChanged(): void {
    this.#count();
  }

  /** For clients that have the data before this change. */
  frameOf(kind: ItemKind, key: string): Frame {
    return prepare([this.#eventOf(kind, key), this.#transferred()]).frame;
  }

  /** Counts a change; false if those before it are unknown. */
  #count(): boolean {
    const { changes } = this.#revisions.changes;
    const isNext = changes === this.#last + 1;
    if (!isNext) this.#restart();
    this.#last = changes;
    this.#prepared.clear();
    return isNext;
  }

  /** A copy of an environment begins with the number of its original. */
  #follow(): void {
    if (this.#revisions.changes.changes !== this.#last) this.#restart();
  }

  #restart(): void {
    this.#since = this.#last = this.#revisions.changes.changes;
    this.#changedAt.clear();
    this.#prepared.clear();
  }

  /** The changes after `from`, or everything. */
  #events(from: number | undefined, isNew: boolean): readonly TransferEvent[] {
    if (from === undefined)
      return [
        this.#intent('xfer-full', isNew ? 'payload-missing' : 'cant-catchup'),
        ...this.#all(),
        this.#transferred(),
      ];
    if (from === this.#last) return [this.#intent('none', 'up-to-date')];
    const changed = [...this.#changedAt.values()].filter(({ number }) => number > from);
    const events = changed.map(({ kind, key }) => this.#eventOf(kind, key));
    return [this.#intent('xfer-changes', 'stale'), ...events, this.#transferred()];
  }

  #intent(intentCode: string, reason: string): TransferEvent {
    const payloads = [{ id: PAYLOAD_ID, target: this.#last, intentCode, reason }];
    return ['server-intent', JSON.stringify({ payloads })];
  }

  #all(): readonly TransferEvent[] {
    return ITEM_KINDS.flatMap((kind) =>
      [...this.#store.entries(kind)].flatMap(([key, { json }]) =>
        json === undefined ? [] : [this.#eventOf(kind, key)],
      ),
    );
  }

  #eventOf(kind: ItemKind, key: string): TransferEvent {
    const json = this.#store.json(kind, key);
    const head = `{"version":${this.#store.version(kind, key) ?? 0},"kind":"${WIRE_KINDS[kind]}","key":${JSON.stringify(key)}`;
    return json === undefined ? ['delete-object', `${head}}`] : ['put-object', `${head},"object":${json}}`];
  }

  #transferred(): TransferEvent {
    const { revision, changes } = this.#revisions;
    return ['payload-transferred', JSON.stringify({ state: revision, version: changes.changes, id: PAYLOAD_ID })];
  }
}

function prepare(events: readonly TransferEvent[]): Transfer {
  let frame: Frame | undefined;
  let body: string | undefined;
  return {
    get frame() {
      frame ??= new Frame(events.map(([event, data]) => frameEvent({ event, data }).bytes.toString()).join(''));
      return frame;
    },
    get body() {
      body ??= `{"events":[${events.map(([event, data]) => `{"event":"${event}","data":${data}}`).join(',')}]}`;
      return body;
    },
  };
}
