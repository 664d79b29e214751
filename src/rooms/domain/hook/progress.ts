import type { Change } from '../change.ts';
import { type RecordChange, record } from '../record.ts';
import { refuse } from '../refusal.ts';
import type { HookProgress, OutgoingHook } from './hook.ts';

export const NO_PROGRESS = { failures: 0, lastStatus: null, lastError: null, failingSince: null };

export const rewindsOf = ({ rewinds = 0 }: Pick<HookProgress, 'rewinds'>): number => rewinds;

/** Without the failures of before: a change of a hook gives its receiver another day. */
export const forgiven = (progress: HookProgress): HookProgress => ({ ...progress, failures: 0, failingSince: null });

/** A new hook delivers what follows a position. */
export function beginHook(id: string, pos: number): Change<null> {
  return {
    decide: (view) => ({
      ok: true,
      // Deliveries may have begun.
      write: view.get('progress', id) ? null : { records: [record('progress', id, { ...NO_PROGRESS, cursor: pos })] },
      answer: () => null,
    }),
  };
}

/** Everything after a position is delivered again. */
export function rewindHook(hook: OutgoingHook, cursor: number): Change<OutgoingHook> {
  return {
    decide(view) {
      if (!view.get('hook', hook.id)) return refuse('hook_not_found', `there is no hook ${hook.id}`);
      const rewinds = rewindsOf(view.get('progress', hook.id) ?? {}) + 1;
      const records = [record('progress', hook.id, { ...NO_PROGRESS, cursor, rewinds })];
      return { ok: true, write: { records }, answer: () => hook };
    },
  };
}

/** Stores progress, unless the hook was removed or rewound meanwhile. */
export function noteProgress(id: string, progress: HookProgress): Change<null> {
  return {
    decide(view) {
      const isOutdated = rewindsOf(view.get('progress', id) ?? {}) !== rewindsOf(progress);
      const write = isOutdated || !view.get('hook', id) ? null : { records: [record('progress', id, progress)] };
      return { ok: true, write, answer: () => null };
    },
  };
}

/** Pauses a hook whose receiver has failed for too long. */
export function pauseHook(id: string, progress: HookProgress | undefined): Change<null> {
  return {
    decide(view) {
      const current = view.get('hook', id);
      if (current?.direction !== 'outgoing') return { ok: true, write: null, answer: () => null };
      const hook = { ...current, enabled: false, version: current.version + 1, updatedAt: view.now };
      const records: RecordChange[] = [record('hook', id, hook)];
      if (progress) records.push(record('progress', id, progress));
      const events = [{ type: 'hook.paused', roomId: current.roomId, hook }] as const;
      return { ok: true, write: { records, events }, answer: () => null };
    },
  };
}
