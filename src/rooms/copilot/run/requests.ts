import { accessTo, findRoom } from '../../domain/access.ts';
import { type Caller, isCurrent } from '../../domain/caller.ts';
import { answerIdOf, retryRunId, threadOf } from '../../domain/copilot/trigger.ts';
import { findMessage } from '../../domain/message/access.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import { findRun, noSuchRun, type RunMessages, requireAsker, requireRunManager } from '../../domain/run/access.ts';
import { isOver, usableCopilot } from '../../domain/run/change.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RoomState } from '../../room/state.ts';
import type { RoomStore } from '../../store/store.ts';
import type { CopilotRuns } from './runs.ts';

/** What a user asks the copilot directly. */
export interface RunQuestion {
  readonly prompt?: string | null | undefined;
  readonly threadId?: string | null | undefined;
  readonly messageId?: string | null | undefined;
  readonly private: boolean;
  /** The model sees only messages after it. */
  readonly sinceSeq?: number;
}

export interface RunRequestsParts {
  readonly state: RoomState;
  readonly store: Pick<RoomStore, 'messages' | 'page'>;
  readonly runs: CopilotRuns;
  readonly newId: () => string;
  readonly now: () => number;
}

/** Requests of users: to start, show, cancel and retry runs. */
export class RunRequests {
  readonly #parts: RunRequestsParts;

  constructor(parts: RunRequestsParts) {
    this.#parts = parts;
  }

  async ask(caller: Caller, roomName: string, question: RunQuestion): Promise<Outcome<Run>> {
    const { state, runs, newId, now } = this.#parts;
    const found = findRoom(state, caller, roomName);
    if (!found.ok) return found;
    const { room, afterSeq } = found.value;
    const refusal = requireAsker(state, caller, found.value, question.private, now());
    if (refusal) return refusal;
    const { prompt = null, threadId = null } = question;
    const triggerId = question.messageId ?? (prompt === null ? await this.#lastOf(room.id, threadId, afterSeq) : null);
    if (prompt === null && triggerId === null)
      return refuse('invalid_body', 'prompt: say what to answer, or name a messageId', { path: 'prompt' });
    const place = await this.#placeOf(caller, room.id, { triggerId, threadId, isPrivate: question.private });
    if (!place.ok) return place;
    const audience = question.private ? caller.user.id : null;
    const draft = { id: newId(), roomId: room.id, startedBy: caller.user.id, prompt, triggerId, audience };
    const since = question.sinceSeq === undefined ? {} : { sinceSeq: question.sinceSeq };
    return runs.request({ ...draft, ...since, threadId: place.value, retryOf: null });
  }

  /** With its text so far. */
  async find(caller: Caller, id: string): Promise<Outcome<Run>> {
    const found = await this.#find(caller, id);
    return found.ok ? accepted(found.value.run) : found;
  }

  async cancel(caller: Caller, id: string): Promise<Outcome<Run>> {
    const found = await this.#keep(caller, id);
    if (!found.ok) return found;
    const cancelled = await this.#parts.runs.cancel(id);
    if (!cancelled) return refuse('run_finished', 'the run has ended already');
    if (!cancelled.ok || cancelled.value.state === 'cancelled') return cancelled;
    return refuse('run_finished', 'the run has ended meanwhile');
  }

  /** Retries a run once: a second retry returns the first one's run. */
  async retry(caller: Caller, id: string): Promise<Outcome<Run>> {
    const found = await this.#keep(caller, id);
    if (!found.ok) return found;
    const { run } = found.value;
    if (!isOver(run)) return refuse('request_in_progress', 'the run has not ended yet; cancel it first');
    const { roomId, triggerId, prompt, threadId, audience } = run;
    const { state, now } = this.#parts;
    const refusal = requireAsker(state, caller, found.value.access, audience !== null, now());
    if (refusal) return refusal;
    const since = run.sinceSeq === undefined ? {} : { sinceSeq: run.sinceSeq };
    const draft = { id: retryRunId(roomId, id), roomId, triggerId, prompt, threadId, audience, ...since };
    return this.#parts.runs.request({ ...draft, startedBy: caller.user.id, retryOf: id });
  }

  /** Whether the caller may still see a run that it follows. */
  sees(caller: Caller, run: Run): boolean {
    const { state, now } = this.#parts;
    const room = state.get('room', run.roomId);
    if (!room || room.deletedAt !== null || (run.audience !== null && run.audience !== caller.user.id)) return false;
    if (caller.expiresAt !== null && caller.expiresAt <= now()) return false;
    return isCurrent(state, caller) && accessTo(state, caller, room) !== undefined;
  }

  async #find(caller: Caller, id: string) {
    const { state, runs } = this.#parts;
    const run = await runs.find(id);
    if (!run) return noSuchRun(id);
    const messages = await this.#messagesOf(run);
    const access = findRun(state, caller, id, run, messages);
    return access.ok ? accepted({ run: withAnswer(run, messages), messages, access: access.value }) : access;
  }

  async #keep(caller: Caller, id: string) {
    const found = await this.#find(caller, id);
    if (!found.ok) return found;
    const { access, run, messages } = found.value;
    return requireRunManager(access, caller, run, messages) ?? found;
  }

  async #messagesOf({ id, messageId, triggerId }: Run): Promise<RunMessages> {
    const answerId = messageId === null ? null : answerIdOf(id);
    const found = await this.#parts.store.messages([answerId, triggerId].filter((one) => one !== null));
    const get = (wanted: string | null) => found.find(({ message }) => message.id === wanted);
    return { answer: get(answerId), trigger: get(triggerId) };
  }

  async #lastOf(roomId: string, threadId: string | null, afterSeq: number): Promise<string | null> {
    const thread = threadId === null ? {} : { threadId };
    const { messages } = await this.#parts.store.page({ roomId, limit: 20, afterSeq, ...thread });
    return messages.findLast(({ message }) => !message.deleted && message.type !== 'system')?.message.id ?? null;
  }

  /** The thread of the answer; the messages referred to must be visible to the caller. */
  async #placeOf(
    caller: Caller,
    roomId: string,
    {
      triggerId,
      threadId,
      isPrivate,
    }: { readonly triggerId: string | null; readonly threadId: string | null; readonly isPrivate: boolean },
  ): Promise<Outcome<string | null>> {
    const { state, store } = this.#parts;
    const ids = [triggerId, threadId].filter((id) => id !== null);
    const stored = await store.messages(ids);
    for (const id of ids) {
      const found = findMessage(
        state,
        caller,
        id,
        stored.find(({ message }) => message.id === id),
      );
      if (!found.ok || found.value.room.id !== roomId)
        return refuse('invalid_body', `there is no message ${id} in this room`, {
          path: id === triggerId ? 'messageId' : 'threadId',
        });
    }
    if (threadId !== null) return accepted(threadId);
    const trigger = stored.find(({ message }) => message.id === triggerId)?.message;
    const copilot = usableCopilot(state.get('room', roomId), isPrivate);
    return accepted(trigger && copilot.ok ? threadOf(copilot.value.replyIn, trigger) : null);
  }
}

/** The text of a public run is that of its message. */
function withAnswer(run: Run, { answer }: RunMessages): Run {
  if (run.audience !== null || !isOver(run)) return run;
  return { ...run, text: answer && !answer.message.deleted ? answer.message.body : null };
}
