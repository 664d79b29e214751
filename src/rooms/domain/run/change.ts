import type { Change, ChangeView, Decision, Write } from '../change.ts';
import type { CopilotSettings } from '../copilot/copilot.ts';
import { reserveRun, settleRun } from '../copilot/quota.ts';
import { usualCopilot } from '../copilot/settings.ts';
import { answerIdOf } from '../copilot/trigger.ts';
import { copilotCaller, copilotUserId } from '../copilot/user.ts';
import type { RunChanged } from '../event.ts';
import type { MessageStatus, RunRef } from '../message/message.ts';
import type { MessageOutcome } from '../message/outcome.ts';
import { decidePost } from '../message/post.ts';
import { decideRewrite, isTarget } from '../message/rewrite.ts';
import { type RecordChange, record } from '../record.ts';
import { accepted, type Outcome, refuse } from '../refusal.ts';
import type { Room } from '../room/room.ts';
import type { Run, RunError, RunState, RunUsage } from './run.ts';

/** Whether a run has ended. */
export const isOver = ({ state }: Run): boolean => state !== 'queued' && state !== 'running';

/** The usable copilot of a room; a private one exists without a copilot of the room, too. */
export function usableCopilot(room: Room | undefined, isPrivate: boolean): Outcome<CopilotSettings> {
  if (!room || room.deletedAt !== null) return refuse('room_not_found', 'the room is not there any more');
  if (room.archived) return refuse('archived', `the room ${room.slug} is archived`);
  const { copilot } = room;
  if (!copilot)
    return isPrivate
      ? accepted(usualCopilot())
      : refuse('not_found', `the room ${room.slug} has no copilot; PUT /api/room/${room.slug}/copilot makes one`);
  return copilot.enabled && copilot.trigger !== 'off'
    ? accepted(copilot)
    : refuse('forbidden', `the copilot of the room ${room.slug} is switched off`);
}

/** A requested run. */
export type RunDraft = Pick<
  Run,
  'id' | 'roomId' | 'triggerId' | 'startedBy' | 'prompt' | 'threadId' | 'sinceSeq' | 'audience' | 'retryOf'
>;

/** A queued run, with its reservation. */
export interface QueuedRun {
  readonly run: Run;
  /** Reserved tokens. */
  readonly reserved: number;
}

/** Queues a run within its limits; an existing one is refused. */
export function queueRun(draft: RunDraft): Change<QueuedRun> {
  const { id, roomId, triggerId, threadId, audience } = draft;
  const answerId = answerIdOf(id);
  return {
    messages: [answerId, triggerId, threadId].filter((messageId) => messageId !== null),
    decide(view) {
      const copilot = usableCopilot(view.get('room', roomId), audience !== null);
      if (!copilot.ok) return copilot;
      if (view.message(answerId)) return refuse('id_conflict', 'the copilot has answered that already');
      const place = checkPlace(view, draft);
      if (!place.ok) return place;
      const asker = { roomId, userId: draft.startedBy };
      const records = reserveRun(view, asker, copilot.value, view.now);
      if (!records.ok) return records;
      const { provider, model, maxOutputTokens: reserved } = copilot.value;
      const run: Run = { ...NEW_RUN, ...draft, provider, model, queuedAt: view.now };
      return {
        ok: true,
        write: { events: [runEvent('run.queued', run)], records: records.value, runs: [run] },
        answer: () => ({ run, reserved }),
      };
    },
  };
}

const NEW_RUN = {
  state: 'queued',
  messageId: null,
  text: null,
  saw: [],
  finishReason: null,
  usage: null,
  error: null,
  startedAt: null,
  finishedAt: null,
} as const;

function checkPlace(view: ChangeView, { roomId, triggerId, threadId }: RunDraft): Outcome<null> {
  for (const [path, id] of [
    ['messageId', triggerId],
    ['threadId', threadId],
  ] as const) {
    if (id === null) continue;
    const message = view.message(id)?.message;
    if (!message || message.roomId !== roomId)
      return refuse('invalid_body', `${path}: there is no message ${id} in this room`, { path });
    if (message.deleted && path === 'messageId') return refuse('deleted', `the message ${id} was deleted`);
    if (path === 'threadId' && message.threadId !== null)
      return refuse('invalid_body', `threadId: the message ${id} is a reply itself`, { path });
  }
  return accepted(null);
}

export interface RunRules {
  readonly maxBodyBytes: number;
}

/** Posts the message of a run: empty, and being written. A private run has none. */
export function startRun(queued: Run, model: string, { maxBodyBytes }: RunRules): Change<Run> {
  const { roomId, triggerId, threadId, audience } = queued;
  const answerId = answerIdOf(queued.id);
  return {
    messages: [answerId, triggerId, threadId].filter((id) => id !== null),
    decide(view) {
      const room = view.get('room', roomId);
      const copilot = usableCopilot(room, audience !== null);
      if (!copilot.ok || !room) return copilot.ok ? refuse('room_not_found', 'the room is not there') : copilot;
      if (triggerId !== null && view.message(triggerId)?.message.deleted !== false)
        return refuse('deleted', `the message ${triggerId} was deleted`);
      const messageId = audience === null ? answerId : null;
      const run: Run = { ...queued, state: 'running', model, messageId, startedAt: view.now };
      const started = runEvent('run.started', run);
      if (messageId === null) return { ok: true, write: { events: [started], runs: [run] }, answer: () => run };
      const caller = copilotCaller(room, copilot.value);
      const draft = { ...ANSWER, id: messageId, room: roomId, threadId, run: refOf(run) };
      const replyTo = threadId === null ? triggerId : null;
      const post = decidePost(view, caller, { ...draft, replyTo }, new Map(), { maxBodyBytes, joinOnPost: false });
      return withRun(post, run, [started]);
    },
  };
}

const ANSWER = {
  type: 'text',
  body: '',
  format: 'markdown',
  alsoInRoom: false,
  attachments: [],
  card: null,
  silent: false,
  status: 'streaming',
  byServer: true,
} as const;

/** Starts a run again whose node was lost: from the beginning, into the same message. */
export function restartRun(lost: Run, model: string): Change<Run> {
  const { roomId, triggerId, messageId, audience } = lost;
  return {
    messages: [messageId, triggerId].filter((id) => id !== null),
    decide(view) {
      const copilot = usableCopilot(view.get('room', roomId), audience !== null);
      if (!copilot.ok) return copilot;
      for (const id of [messageId, triggerId])
        if (id !== null && view.message(id)?.message.deleted !== false)
          return refuse('deleted', `the message ${id} was deleted`);
      const run: Run = { ...lost, model, text: null, attempt: attemptOf(lost) + 1 };
      return { ok: true, write: { runs: [run] }, answer: () => run };
    },
  };
}

/** 1 for a run whose node was never lost. */
export const attemptOf = ({ attempt = 1 }: Run): number => attempt;

/** Asks the node of a run to cancel it. */
export function requestCancellation(runId: string): Change<null> {
  return {
    decide: ({ now }) => ({
      ok: true,
      write: { records: [record('cancellation', runId, { requestedAt: now })] },
      answer: () => null,
    }),
  };
}

/** Removes a request that came after the end of its run. */
export function forgetCancellation(runId: string): Change<null> {
  return {
    decide: (view) => ({
      ok: true,
      write: view.get('cancellation', runId) ? { records: [record('cancellation', runId, null)] } : null,
      answer: () => null,
    }),
  };
}

/** Stores the progress of a run in case the server is killed; notifies nobody. */
export function noteRun(run: Run): Change<null> {
  return { decide: () => ({ ok: true, write: { runs: [run] }, answer: () => null }) };
}

/** The end of a run. */
export interface RunEnd {
  readonly state: Exclude<RunState, 'queued' | 'running'>;
  readonly text: string;
  readonly finishReason: string | null;
  readonly usage: RunUsage | null;
  readonly error: RunError | null;
  readonly saw: Run['saw'];
  /** The reserved tokens, and the actual cost. `null`: the reservation is the cost. */
  readonly cost: { readonly reserved: number; readonly spent: number } | null;
}

/** Ends a run and completes its message, in one commit. */
export function finishRun(running: Run, end: RunEnd, rules: RunRules): Change<Run> {
  const { roomId, audience, messageId } = running;
  return {
    messages: messageId === null ? [] : [messageId],
    decide(view) {
      const { state, finishReason, usage, error, saw, cost } = end;
      const text = audience === null ? null : end.text;
      const run: Run = { ...running, state, finishReason, usage, error, saw, text, finishedAt: view.now };
      const finished = runEvent('run.finished', run);
      const records: RecordChange[] = cost
        ? [settleRun(view, roomId, { reserved: cost.reserved, reservedAt: run.queuedAt, cost: cost.spent }, view.now)]
        : [];
      if (view.get('cancellation', run.id)) records.push(record('cancellation', run.id, null));
      // The last run must not bring a purged room back.
      if (!view.get('room', roomId)) return { ok: true, write: null, answer: () => run };
      const alone: Write = { events: [finished], runs: [run], records };
      const stored = messageId === null ? undefined : view.message(messageId)?.message;
      const target = { roomId, type: ANSWER.type, authorId: copilotUserId(roomId) };
      if (messageId === null || !stored || stored.deleted || !isTarget(target, stored))
        return { ok: true, write: alone, answer: () => run };
      const status = statusOf(state);
      const body = end.text.trim() === '' ? `No answer: ${error?.message ?? 'it was cancelled'}` : end.text;
      const changes = { body, status, run: refOf(run) };
      const rewrite = decideRewrite(view, { ...target, id: messageId }, changes, rules);
      return withRun(rewrite, run, [finished], records);
    },
  };
}

/** A decision about the run's message together with the run's change, in one commit. */
function withRun(
  decision: Decision<MessageOutcome>,
  run: Run,
  events: readonly RunChanged[],
  records: Write['records'] = [],
): Decision<Run> {
  if (!decision.ok) return decision;
  const { write } = decision;
  return {
    ok: true,
    write: {
      ...write,
      events: [...(write?.events ?? []), ...events],
      records: [...(write?.records ?? []), ...records],
      runs: [run],
    },
    answer: () => run,
  };
}

function statusOf(state: RunEnd['state']): MessageStatus {
  if (state === 'complete' || state === 'cancelled') return state;
  return 'failed';
}

function refOf({ id, triggerId, provider, model, finishReason, usage, error }: Run): RunRef {
  return { id, trigger: triggerId, model: model ?? provider, finishReason, usage, error };
}

/** The text of a run is stored in its message only, so that deleting the message deletes it. */
function runEvent(type: RunChanged['type'], run: Run): RunChanged {
  return { type, roomId: run.roomId, run, ...(run.audience === null ? {} : { audience: run.audience }) };
}
