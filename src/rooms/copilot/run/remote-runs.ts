import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { StorageAwayError } from '../../../kernel/postgres/storage-error.ts';
import type { Committed } from '../../domain/event.ts';
import { attemptOf, isOver } from '../../domain/run/change.ts';
import type { Run } from '../../domain/run/run.ts';
import type { RoomStore } from '../../store/store.ts';
import type { RunAudience } from './audience.ts';
import type { RunPiece } from './pieces.ts';

/** Between two reads of a run's stored text, which is written about as often. */
const REPAIR_MS = 1_000;

/** A run of another node, as far as this node has heard of it. */
export interface RemoteRun {
  run: Run;
  attempt: number;
  /** Of its message; 0 before the message is placed. */
  seq: number;
  text: string;
  /** What was heard after a gap, and the length of the text before it. */
  ahead: { offset: number; text: string } | undefined;
  repairedAt: number;
  /** Called with the run when it has ended. */
  readonly waiting: ((run: Run) => void)[];
}

export interface RemoteRunsParts {
  readonly store: Pick<RoomStore, 'run'>;
  readonly audience: RunAudience;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether this node performs the run. */
  readonly isOwn: (runId: string) => boolean;
}

/** The unfinished runs that other nodes perform, and their text. */
export class RemoteRuns {
  readonly #parts: RemoteRunsParts;
  readonly #runs = new Map<string, RemoteRun>();

  constructor(parts: RemoteRunsParts) {
    this.#parts = parts;
  }

  get(id: string): RemoteRun | undefined {
    return this.#runs.get(id);
  }

  of(roomId: string): readonly RemoteRun[] {
    return [...this.#runs.values()].filter(({ run }) => run.roomId === roomId);
  }

  /** Takes an unfinished run as it is stored, and the number of its message; returns it with the longest text known. */
  see(run: Run, seq = 0): Run {
    const known = this.#runs.get(run.id) ?? this.#add(run);
    known.seq ||= seq;
    known.run = run;
    if (attemptOf(run) > known.attempt) this.#begin(known, attemptOf(run));
    if ((run.text ?? '').length > known.text.length) known.text = run.text ?? '';
    return withText(known);
  }

  /** This node performs the run from now on. */
  forget(id: string): void {
    this.#runs.delete(id);
  }

  /** Everything may have changed. */
  clear(): void {
    this.#runs.clear();
  }

  /** Resolves with the run when it has ended. */
  ended(id: string): Promise<Run> {
    return new Promise((resolve) => this.#runs.get(id)?.waiting.push(resolve));
  }

  /** A listener to commits, of all nodes. */
  follow(committed: readonly Committed[], isOwn: boolean): void {
    for (const { event } of committed) {
      if (event.type === 'run.queued' && !isOwn && !this.#runs.has(event.run.id)) this.#add(event.run);
      if (!('message' in event || 'run' in event)) continue;
      const known = this.#runs.get('run' in event ? event.run.id : (event.message.run?.id ?? ''));
      if (!known) continue;
      if ('message' in event) {
        known.seq = event.message.seq;
        // The end of a run follows its whole text.
        if (event.message.status !== 'streaming') known.text = event.message.body;
      } else if (event.type === 'run.finished') this.#finish(known, event.run);
      else known.run = event.run;
    }
  }

  /** Takes a piece that another node has sent. */
  hear(piece: RunPiece): void {
    const { runId, attempt, seq, offset, text } = piece;
    if (this.#parts.isOwn(runId)) return;
    const known = this.#runs.get(runId);
    if (!known) return void this.#load(runId);
    if (attempt < known.attempt) return;
    const { audience } = this.#parts;
    known.seq = seq;
    if (attempt > known.attempt) this.#begin(known, attempt);
    if (text === '') return;
    if (offset <= known.text.length) known.text = known.text.slice(0, offset) + text;
    else this.#keepAhead(known, offset, text);
    audience.publish(known.run, seq, offset, text);
  }

  #add(run: Run): RemoteRun {
    const { id, text } = run;
    const repairedAt = Number.NEGATIVE_INFINITY;
    const attempt = attemptOf(run);
    const known: RemoteRun = { run, attempt, seq: 0, text: text ?? '', ahead: undefined, repairedAt, waiting: [] };
    this.#runs.set(id, known);
    return known;
  }

  /** It was started again. */
  #begin(known: RemoteRun, attempt: number): void {
    Object.assign(known, { attempt, text: '', ahead: undefined });
    this.#parts.audience.replace(known.run, known.seq, '');
  }

  #finish(known: RemoteRun, run: Run): void {
    this.#runs.delete(run.id);
    this.#parts.audience.finish({ ...run, text: run.text ?? known.text });
    for (const resolve of known.waiting) resolve(run);
  }

  #keepAhead(known: RemoteRun, offset: number, text: string): void {
    const { ahead } = known;
    if (ahead && offset === ahead.offset + ahead.text.length) ahead.text += text;
    else known.ahead = { offset, text };
    const now = this.#parts.clock.now();
    if (now - known.repairedAt < REPAIR_MS) return;
    known.repairedAt = now;
    void this.#load(known.run.id);
  }

  /** A run that this node has not heard from its beginning: its stored text closes the gap, now or a second later. */
  async #load(id: string): Promise<void> {
    const { store, audience, log } = this.#parts;
    try {
      const run = await store.run(id);
      if (!run || isOver(run) || this.#parts.isOwn(id)) return;
      this.see(run);
    } catch (error) {
      if (!(error instanceof StorageAwayError)) log.warn('a run could not be read', { run: id, err: messageOf(error) });
      return;
    }
    const known = this.#runs.get(id);
    if (!known?.ahead || known.text.length < known.ahead.offset) return;
    known.text = known.text.slice(0, known.ahead.offset) + known.ahead.text;
    known.ahead = undefined;
    audience.replace(known.run, known.seq, known.text);
  }
}

/** A run that has not ended, with its text so far. */
export function withText({ run, text }: Pick<RemoteRun, 'run' | 'text'>): Run {
  return text === '' ? run : { ...run, text };
}
