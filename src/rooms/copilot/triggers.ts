import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { printNote } from '../contract/run.ts';
import { autoRunId, decideTrigger, namesCopilot, threadOf } from '../domain/copilot/trigger.ts';
import { copilotCaller, copilotUserId } from '../domain/copilot/user.ts';
import type { Committed } from '../domain/event.ts';
import type { Message } from '../domain/message/message.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { Room } from '../domain/room/room.ts';
import type { Announcer } from '../feed/live.ts';
import type { MessageWriter } from '../messages/writer.ts';
import type { RoomState } from '../room/state.ts';
import type { Commit, RoomStore } from '../store/store.ts';
import type { CopilotRuns } from './run/runs.ts';

/** Several messages of one author in a row get one answer. */
const QUIET_MS = 1_500;
const NOTICE_EVERY_MS = 5 * 60_000;
const WAITS = '\u23f3';

export interface CopilotTriggersParts {
  readonly state: RoomState;
  readonly store: Pick<RoomStore, 'messages' | 'page'>;
  readonly runs: Pick<CopilotRuns, 'request'>;
  readonly messages: Pick<MessageWriter, 'post' | 'react'>;
  readonly announcer: Announcer;
  readonly clock: Clock;
  readonly log: Log;
}

/** A message that waits until its author has finished writing. */
interface Pending {
  readonly authorId: string;
  readonly message: Message;
  readonly cancel: CancelTimer;
}

/** Follows commits and has copilots answer the messages meant for them. */
export class CopilotTriggers {
  readonly #parts: CopilotTriggersParts;
  /** By room and thread. */
  readonly #pending = new Map<string, Pending>();
  /** When the failure of its provider was last posted to a room. */
  readonly #noticedAt = new Map<string, number>();
  readonly #busy = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: CopilotTriggersParts) {
    this.#parts = parts;
  }

  /** A listener to commits; each message is the business of the node that wrote it. */
  readonly follow = (committed: readonly Committed[], { isOwn }: Pick<Commit, 'isOwn'>): void => {
    if (this.#isClosed) return;
    for (const { event } of committed) {
      if (event.type !== 'message.created') continue;
      const trigger = decideTrigger(this.#parts.state, event);
      if (trigger.when === 'never') continue;
      const { room, message } = trigger;
      if (!isOwn) {
        if (trigger.when === 'soon') this.#overtake(message);
        continue;
      }
      if (trigger.when === 'soon') this.#postpone(message);
      else this.#track(trigger.when === 'now' ? this.#ask(room, message) : this.#askIfAnswered(room, message));
    }
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { cancel } of this.#pending.values()) cancel();
    this.#pending.clear();
    await Promise.all(this.#busy);
  }

  /** A message ends the wait of the one before. */
  #overtake(message: Message): string {
    const key = `${message.roomId}/${message.threadId ?? ''}`;
    const before = this.#pending.get(key);
    before?.cancel();
    this.#pending.delete(key);
    // Another author has written since: the earlier message is a question of its own.
    if (before && before.authorId !== message.author.id) this.#askNow(before.message);
    return key;
  }

  #postpone(message: Message): void {
    const key = this.#overtake(message);
    const cancel = this.#parts.clock.after(QUIET_MS, () => {
      this.#pending.delete(key);
      this.#askNow(message);
    });
    this.#pending.set(key, { authorId: message.author.id, message, cancel });
  }

  #askNow(message: Message): void {
    const room = this.#parts.state.get('room', message.roomId);
    if (room) this.#track(this.#ask(room, message));
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.#parts.log.error('a copilot was not asked', { err: messageOf(error) }))
      .finally(() => this.#busy.delete(tracked));
    this.#busy.add(tracked);
  }

  async #askIfAnswered(room: Room, message: Message): Promise<void> {
    const { store } = this.#parts;
    const { threadId } = message;
    if (threadId === null) return;
    const [root] = await store.messages([threadId]);
    if (!root) return;
    const isKnown = namesCopilot(root.message, room.id);
    const authorId = copilotUserId(room.id);
    const found = isKnown || (await store.page({ roomId: room.id, threadId, authorId, limit: 1 })).messages.length > 0;
    if (found) await this.#ask(room, message);
  }

  async #ask(room: Room, message: Message): Promise<void> {
    const asked = await this.#parts.runs.request({
      id: autoRunId(room.id, message.id),
      roomId: room.id,
      triggerId: message.id,
      startedBy: message.author.id,
      prompt: null,
      threadId: threadOf(room.copilot?.replyIn ?? 'thread', message),
      audience: null,
      retryOf: null,
    });
    if (!asked.ok) await this.#reportRefusal(room, message, asked);
  }

  /** A waiting question gets a reaction; a refused one sends its author a note. */
  async #reportRefusal(room: Room, message: Message, refusal: Refusal): Promise<void> {
    const { announcer, messages } = this.#parts;
    const { copilot } = room;
    if (!copilot) return;
    const { code, reason } = refusal;
    if (code === 'upstream_failed') return this.#notice(room, message, reason);
    if (code !== 'rate_limited' && code !== 'copilot_quota') return;
    const data = printNote({ roomId: room.id, messageId: message.id, code, text: reason });
    announcer.announce({ type: 'note', roomId: room.id, audience: message.author.id, data });
    if (code === 'rate_limited') await messages.react(copilotCaller(room, copilot), message.id, WAITS, true);
  }

  async #notice(room: Room, message: Message, body: string): Promise<void> {
    const { messages, clock } = this.#parts;
    const now = clock.now();
    if (!room.copilot || now - (this.#noticedAt.get(room.id) ?? Number.NEGATIVE_INFINITY) < NOTICE_EVERY_MS) return;
    this.#noticedAt.set(room.id, now);
    const threadId = threadOf(room.copilot.replyIn, message);
    const post = { room: room.id, type: 'system', body, threadId, silent: true, byServer: true } as const;
    await messages.post(copilotCaller(room, room.copilot), post);
  }
}
