import type { LiveCard } from '../domain/card/live-card.ts';
import type { StateView } from '../domain/change.ts';
import type { Committed } from '../domain/event.ts';
import type { Member } from '../domain/member/member.ts';
import type { RecordChange, RecordKind, Records } from '../domain/record.ts';
import { EMPTY_HEAD, type RoomHead } from '../domain/room/room.ts';
import type { StoredState } from '../store/store.ts';

type Tables = { readonly [K in RecordKind]: Map<string, Records[K]> };

/** All state but messages, as committed, in memory. Only the writer changes it. */
export class RoomState implements StateView {
  readonly #tables: Tables = {
    room: new Map(),
    slug: new Map(),
    direct: new Map(),
    member: new Map(),
    ban: new Map(),
    user: new Map(),
    token: new Map(),
    invite: new Map(),
    hook: new Map(),
    progress: new Map(),
    provider: new Map(),
    secret: new Map(),
    quota: new Map(),
    answer: new Map(),
    setting: new Map(),
    card: new Map(),
    duty: new Map(),
    reminder: new Map(),
    cancellation: new Map(),
  };
  readonly #membersOf = new Map<string, Map<string, Member>>();
  readonly #roomIdsOf = new Map<string, Set<string>>();
  readonly #firingAlerts = new Map<string, number>();
  readonly #heads: Map<string, RoomHead>;

  constructor(records: readonly RecordChange[], heads: ReadonlyMap<string, RoomHead>) {
    this.#heads = new Map(heads);
    this.applyRecords(records);
  }

  get<K extends RecordKind>(kind: K, key: string): Records[K] | undefined {
    return this.#tables[kind].get(key);
  }

  all<K extends RecordKind>(kind: K): ReadonlyMap<string, Records[K]> {
    return this.#tables[kind];
  }

  each<K extends RecordKind>(kind: K): Iterable<Records[K]> {
    return this.#tables[kind].values();
  }

  membersOf(roomId: string): Iterable<Member> {
    return this.#membersOf.get(roomId)?.values() ?? [];
  }

  memberCount(roomId: string): number {
    return this.#membersOf.get(roomId)?.size ?? 0;
  }

  firingAlerts(roomId: string): number {
    return this.#firingAlerts.get(roomId) ?? 0;
  }

  roomIdsOf(userId: string): Iterable<string> {
    return this.#roomIdsOf.get(userId) ?? [];
  }

  head(roomId: string): RoomHead {
    return this.#heads.get(roomId) ?? EMPTY_HEAD;
  }

  applyRecords(changes: readonly RecordChange[]): void {
    for (const { kind, key, value } of changes) {
      const table = this.#tables[kind] as Map<string, unknown>;
      if (kind === 'member') this.#indexMember(this.#tables.member.get(key), value);
      if (kind === 'room' && value === null) this.#heads.delete(key);
      if (kind === 'card') {
        this.#countCard(this.#tables.card.get(key), -1);
        this.#countCard(value, 1);
      }
      if (value === null) table.delete(key);
      else table.set(key, value);
    }
  }

  applyEvents(committed: readonly Committed[]): void {
    for (const { event } of committed) {
      if (event.type !== 'message.created') continue;
      const { roomId, seq, createdAt } = event.message;
      const { firstSeq } = this.head(roomId);
      this.#heads.set(roomId, { lastSeq: seq, firstSeq: firstSeq || seq, lastMessageAt: createdAt });
    }
  }

  /** Forgets everything else. */
  replace({ records, heads }: Pick<StoredState, 'records' | 'heads'>): void {
    for (const table of [...Object.values(this.#tables), this.#membersOf, this.#roomIdsOf, this.#heads]) table.clear();
    for (const [roomId, head] of heads) this.#heads.set(roomId, head);
    this.applyRecords(records);
  }

  /** After messages were removed. */
  setHead(roomId: string, head: RoomHead): void {
    this.#heads.set(roomId, head);
  }

  #countCard(card: LiveCard | null | undefined, by: number): void {
    if (card?.isFiring) this.#firingAlerts.set(card.roomId, this.firingAlerts(card.roomId) + by);
  }

  #indexMember(old: Member | undefined, member: Member | null): void {
    if (old && !member) {
      this.#membersOf.get(old.roomId)?.delete(old.userId);
      this.#roomIdsOf.get(old.userId)?.delete(old.roomId);
    }
    if (!member) return;
    entryOf(this.#membersOf, member.roomId, () => new Map<string, Member>()).set(member.userId, member);
    entryOf(this.#roomIdsOf, member.userId, () => new Set<string>()).add(member.roomId);
  }
}

function entryOf<V>(map: Map<string, V>, key: string, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
