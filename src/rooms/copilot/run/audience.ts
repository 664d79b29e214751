import { printSnapshot } from '../../contract/feed.ts';
import { printDelta } from '../../contract/run.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Announcer } from '../../feed/live.ts';

/** A follower of one run. */
export interface RunWatcher {
  delta(data: string): void;
  /** The text so far is another one: the run was started again, or pieces of it were missing. */
  replaced(run: Run): void;
  finished(run: Run): void;
}

/** The clients of this node that follow runs, wherever these are performed. */
export class RunAudience {
  /** The streams of this node. */
  readonly #announcer: Announcer;
  /** By run. */
  readonly #watchers = new Map<string, Set<RunWatcher>>();

  constructor(announcer: Announcer) {
    this.#announcer = announcer;
  }

  /** The returned function ends the watch. */
  watch(runId: string, watcher: RunWatcher): () => void {
    const watchers = this.#watchers.get(runId) ?? new Set();
    this.#watchers.set(runId, watchers.add(watcher));
    return () => watchers.delete(watcher);
  }

  /** `seq`: of its message. `offset`: the length of the text before, in UTF-16 units. */
  publish({ id: runId, roomId, messageId, audience }: Run, seq: number, offset: number, text: string): void {
    const data = printDelta({ roomId, messageId, runId, offset, text });
    const whom = audience === null ? { seq } : { audience };
    this.#announcer.announce({ type: 'message.delta', roomId, data, ...whom });
    for (const watcher of this.#watchers.get(runId) ?? []) watcher.delta(data);
  }

  /** Sends the whole text so far. */
  replace(run: Run, seq: number, text: string): void {
    const { id: runId, roomId, messageId, audience } = run;
    if (messageId !== null && audience === null) {
      const data = printSnapshot(roomId, { messageId, runId, text });
      this.#announcer.announce({ type: 'message.snapshot', roomId, seq, data });
    }
    for (const watcher of this.#watchers.get(runId) ?? []) watcher.replaced({ ...run, text });
  }

  /** With its text. */
  finish(run: Run): void {
    for (const watcher of this.#watchers.get(run.id) ?? []) watcher.finished(run);
    this.#watchers.delete(run.id);
  }
}
