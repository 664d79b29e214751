// Rooms without routes and without a disk: a log in memory, a real writer, and streams over real HTTP.
import { Hono } from 'hono';
import type { Clock } from '../../../kernel/clock.ts';
import { systemClock } from '../../../kernel/clock.ts';
import { type HttpEnv, mountPaths } from '../../../kernel/http/app.ts';
import { listen } from '../../../kernel/http/server.ts';
import { createLog } from '../../../kernel/log.ts';
import { openSse, type SseStream } from '../../../testing/http/sse-client.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import { MemoryTickets } from '../../authentication/tickets.ts';
import { printMessageEvent } from '../../contract/event.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Write } from '../../domain/change.ts';
import type { Committed, EventDraft, RoomEvent } from '../../domain/event.ts';
import { type Member, memberKey } from '../../domain/member/member.ts';
import type { NewMessage } from '../../domain/message/message.ts';
import { record } from '../../domain/record.ts';
import { accepted } from '../../domain/refusal.ts';
import type { Room } from '../../domain/room/room.ts';
import { SCOPES } from '../../domain/token/token.ts';
import type { User } from '../../domain/user/user.ts';
import { EventLog } from '../../feed/event-log.ts';
import { Presence } from '../../feed/presence.ts';
import { RoomFeed } from '../../feed/room-feed.ts';
import { RoomState } from '../../room/state.ts';
import { RoomWriter } from '../../room/writer.ts';
import { refuseMethod } from '../../routes/answer/answers.ts';
import { eventPaths } from '../../routes/events.ts';
import { presencePaths } from '../../routes/presence.ts';
import type { GuardParts } from '../../routes/request/guard.ts';
import {
  type Commit,
  type EventQuery,
  type PreparedWrite,
  type RoomStore,
  recordsOf,
  type StoredEvent,
} from '../../store/store.ts';

export const EPOCH = 'k3f9';

/** The part of a store that is a log. */
export class MemoryLog {
  readonly events: StoredEvent[] = [];
  readonly queries: EventQuery[] = [];
  /** Awaited before each read answers. */
  beforeAnswer: () => Promise<void> = async () => {};
  readonly #lastSeqs = new Map<string, number>();

  readonly version = 0;
  #follower: (commit: Commit) => void = () => {};

  follow(follower: (commit: Commit) => void): void {
    this.#follower = follower;
  }

  async append(writes: readonly PreparedWrite[]): Promise<readonly (readonly Committed[])[]> {
    const committed = writes.map(({ events }) => events.map(({ draft, body }) => this.#add(draft, body)));
    this.#follower({ isOwn: true, events: committed.flat(), records: recordsOf(writes) });
    return committed;
  }

  async readEvents(query: EventQuery): Promise<readonly StoredEvent[]> {
    this.queries.push(query);
    const { after, upTo, limit, roomIds } = query;
    const found = this.events
      .slice(after, upTo)
      .filter(({ roomId }) => !roomIds || !roomId || roomIds.includes(roomId));
    await this.beforeAnswer();
    return found.slice(0, limit);
  }

  async messages(): Promise<readonly []> {
    return [];
  }

  async forgotten(): Promise<readonly []> {
    return [];
  }

  async reacted(): Promise<readonly []> {
    return [];
  }

  #add(draft: EventDraft, body: string | null): Committed {
    const event = this.#place(draft);
    const pos = this.events.length + 1;
    const data = `{"pos":${pos},${body ?? ('message' in event ? printMessageEvent(event) : '')}`;
    const seq = 'message' in event ? event.message.seq : 0;
    this.events.push({ pos, type: event.type, roomId: event.roomId, audience: event.audience ?? null, seq, data });
    return { pos, event, data };
  }

  #place(draft: EventDraft): RoomEvent {
    if (draft.type !== 'message.created') return draft;
    const seq = (this.#lastSeqs.get(draft.roomId) ?? 0) + 1;
    this.#lastSeqs.set(draft.roomId, seq);
    return { type: draft.type, roomId: draft.roomId, message: { ...draft.message, seq } };
  }
}

export interface FeedKitOptions {
  readonly clock?: Clock;
  readonly maxPerUser?: number;
  readonly maxStreams?: number;
  readonly firstPos?: number;
}

export interface StreamAsk {
  readonly as?: string;
  /** With the slash: `/api/event` unless given. */
  readonly path?: string;
  readonly query?: string;
  readonly lastEventId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A feed with its parts; `url` is set when `listens` has resolved. */
export class FeedKit {
  readonly log = new MemoryLog();
  readonly state = new RoomState([], new Map());
  readonly clock: Clock;
  readonly feed: RoomFeed;
  readonly presence: Presence;
  readonly tickets: MemoryTickets;
  readonly app: Hono<HttpEnv>;
  readonly #writer: RoomWriter;
  #url = '';
  #messages = 0;

  constructor({ clock = systemClock, maxPerUser = 10_000, maxStreams = 10_000, firstPos = 1 }: FeedKitOptions = {}) {
    this.clock = clock;
    const { state } = this;
    const log = createLog({ level: 'error', format: 'logfmt', clock, write: () => {} });
    const store = this.log as unknown as RoomStore;
    let ids = 0;
    const newId = () => `id-${++ids}`;
    this.#writer = new RoomWriter({ state, store, clock, log, newId, readOnly: false, failed: () => {} }, 0);
    this.presence = new Presence(state, () => clock.now());
    this.feed = new RoomFeed({
      ...{ state, store, clock, log, epoch: EPOCH, pos: 0, firstPos, nodeId: 'test', maxPerUser, maxStreams },
      random: () => 0.5,
      watcher: this.presence,
    });
    this.presence.announceBy(this.feed);
    this.tickets = new MemoryTickets({ clock, state, random: (size) => crypto.getRandomValues(new Uint8Array(size)) });
    this.#writer.onCommit((committed) => {
      this.feed.publish(committed);
      this.presence.follow(committed);
      this.tickets.follow(committed);
    });
    this.app = this.#createApp();
  }

  /** Listens on a free port until the test ends. */
  async listens(t: Cleanup): Promise<this> {
    const addresses = [{ host: '127.0.0.1', port: 0 }];
    const endStreams = () => this.feed.close();
    const listener = await listen({ fetch: this.app.fetch, addresses, clock: systemClock, endStreams });
    this.#url = listener.url;
    t.after(() => listener.close(50));
    return this;
  }

  get url(): string {
    return this.#url;
  }

  /** Opens a stream and reads its hello. */
  async open(t: Cleanup, ask: StreamAsk = {}): Promise<SseStream> {
    const stream = await this.ask(t, ask);
    if (stream.status === 200) await stream.next();
    return stream;
  }

  async ask(t: Cleanup, { as = 'ana', path = '/api/event', query = '', lastEventId, headers }: StreamAsk = {}) {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const stream = await openSse(`${this.#url}${path}${query}`, {
      headers: { 'x-opsdeck-user': as, ...resume, ...headers },
    });
    t.after(() => stream.close());
    return stream;
  }

  async commit(write: Write): Promise<readonly Committed[]> {
    const outcome = await this.#writer.submit({
      decide: () => ({ ok: true, write, answer: (committed: readonly Committed[]) => committed }),
    });
    if (!outcome.ok) throw new Error(outcome.reason);
    return outcome.value;
  }

  async addUser(id: string, parts: Partial<User> = {}): Promise<void> {
    await this.commit({ records: [record('user', id, { ...userNamed(id), ...parts })] });
  }

  async addRoom(id: string, members: readonly string[], parts: Partial<Room> = {}): Promise<void> {
    const room = { ...roomNamed(id), ...parts };
    await this.commit({
      events: [{ type: 'room.created', roomId: id, room }, ...members.map((userId) => joined(memberOf(id, userId)))],
      records: [
        record('room', id, room),
        record('slug', room.slug, { roomId: id }),
        ...members.map((userId) => record('member', memberKey(id, userId), memberOf(id, userId))),
      ],
    });
  }

  async join(roomId: string, userId: string): Promise<void> {
    const member = { ...memberOf(roomId, userId), joinedSeq: this.state.head(roomId).lastSeq };
    await this.commit({ events: [joined(member)], records: [record('member', memberKey(roomId, userId), member)] });
  }

  async leave(roomId: string, userId: string): Promise<void> {
    const key = memberKey(roomId, userId);
    const member = this.state.get('member', key) ?? memberOf(roomId, userId);
    await this.commit({ events: [{ type: 'member.left', roomId, member }], records: [record('member', key, null)] });
  }

  async changeRoom(id: string, parts: Partial<Room>): Promise<void> {
    const room = { ...roomNamed(id), ...this.state.get('room', id), ...parts };
    const type = room.deletedAt === null ? 'room.updated' : 'room.deleted';
    await this.commit({ events: [{ type, roomId: id, room }], records: [record('room', id, room)] });
  }

  /** Posts a message and returns its position. */
  async post(roomId: string, body = 'hello', by = 'ana'): Promise<number> {
    const message = messageDraft(`m-${++this.#messages}`, roomId, body, by, this.clock.now());
    const [committed] = await this.commit({ events: [{ type: 'message.created', roomId, message, contentHash: '' }] });
    return committed?.pos ?? 0;
  }

  /** Many posts in one commit. */
  async postMany(roomId: string, count: number, body = 'hello'): Promise<void> {
    const events = Array.from({ length: count }, (): EventDraft => {
      const message = messageDraft(`m-${++this.#messages}`, roomId, body, 'ana', this.clock.now());
      return { type: 'message.created', roomId, message, contentHash: '' };
    });
    await this.commit({ events });
  }

  #createApp(): Hono<HttpEnv> {
    const { state, feed, tickets, presence, clock } = this;
    const guard: GuardParts = {
      authenticator: {
        authenticate: async ({ user = 'local', authorization }) => accepted(callerNamed(state, user, authorization)),
        recognize: () => undefined,
      },
      limits: { take: () => ({ headers: {} }), takeRoom: () => undefined },
      idempotent: { once: (_c, _caller, handle) => handle() },
    };
    const app = new Hono<HttpEnv>();
    const paths = {
      ...eventPaths({ guard, state, feed, tickets, log: new EventLog(feed, clock) }),
      ...presencePaths({ guard, state, clock, announcer: feed, presence }),
    };
    mountPaths(app, paths, refuseMethod);
    return app;
  }
}

/** `authorization` is, here, `<tokenId>`, `<tokenId> <expiresAt>` or absent. */
function callerNamed(state: RoomState, id: string, authorization: string | undefined): Caller {
  const user = state.get('user', id) ?? userNamed(id);
  const [tokenId = null, expiresAt] = authorization?.split(' ') ?? [];
  const isAdmin = user.role === 'admin';
  const until = expiresAt === undefined ? null : Number(expiresAt);
  return { kind: 'user', user, isAdmin, scopes: new Set(SCOPES), roomIds: null, tokenId, expiresAt: until };
}

function userNamed(id: string): User {
  return { id, name: id, kind: 'human', avatarColor: '#000000', role: 'user', disabled: false, createdAt: 0 };
}

function joined(member: Member): EventDraft {
  return { type: 'member.joined', roomId: member.roomId, member };
}

export function roomNamed(id: string): Room {
  return {
    ...{ id, slug: `${id}-slug`, name: id, topic: '', description: '', visibility: 'private', readOnly: false },
    ...{ archived: false, historyVisibility: 'all', labels: {}, retention: { days: null, maxMessages: null } },
    ...{ slowModeSeconds: 0, pinned: [], copilot: null, createdBy: 'ana', createdAt: 0, updatedAt: 0, version: 1 },
    deletedAt: null,
  };
}

function memberOf(roomId: string, userId: string): Member {
  return {
    ...{ roomId, userId, role: 'member', joinedAt: 0, joinedSeq: 0, invitedBy: null, lastReadSeq: 0, threadReads: {} },
    ...{
      involvement: 'everything',
      mutedUntil: null,
      silencedUntil: null,
      archived: false,
      copilot: false,
      version: 1,
    },
  };
}

export function messageDraft(id: string, roomId: string, body: string, by: string, now: number): NewMessage {
  return {
    ...{ id, roomId, author: { id: by, name: by, kind: 'human' }, type: 'text', body, format: 'plain' },
    ...{ replyTo: null, threadId: null, alsoInRoom: false, thread: null, attachments: [], card: null, silent: false },
    ...{ mentions: { users: [], room: false, copilot: false }, reactions: [], status: 'complete', run: null },
    ...{ pinned: false, deleted: false, deletedAt: null, deletedBy: null, deleteReason: null, edited: null },
    ...{ version: 1, createdAt: now, updatedAt: now },
  };
}

/** The positions of durable events, in order of arrival. */
export function positionsOf(stream: SseStream): number[] {
  return stream.items.flatMap((item) => {
    if (item.kind !== 'event' || !item.data.startsWith('{"pos":')) return [];
    return [(JSON.parse(item.data) as { pos: number }).pos];
  });
}

/** The last of them; 0 before the first. */
export function lastPositionOf(stream: SseStream): number {
  for (let index = stream.items.length - 1; index >= 0; index--) {
    const item = stream.items[index];
    const [, pos] = (item?.kind === 'event' && /^\{"pos":(\d+),/.exec(item.data)) || [];
    if (pos) return Number(pos);
  }
  return 0;
}
