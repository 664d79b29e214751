import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { attemptOf } from '../../domain/run/change.ts';
import type { Run } from '../../domain/run/run.ts';

/** A part of an answer that another node writes. */
export interface RunPiece {
  readonly runId: string;
  /** Of the run: a later one begins the text anew. */
  readonly attempt: number;
  /** Of its message; 0 without one. */
  readonly seq: number;
  /** The length of the text before it, in UTF-16 units. */
  readonly offset: number;
  readonly text: string;
}

/** At most 20 pieces a second and run. */
const EVERY_MS = 50;
/** Of a piece's text as JSON; a notification may have 7,999. */
const MAX_TEXT_BYTES = 7_000;
const MAX_TEXT = 6_500;

/** Tells the other nodes the words of runs as they are written. */
export class RunPieces {
  readonly #send: (piece: RunPiece) => void;
  readonly #clock: Clock;
  /** What the other nodes do not know yet, by run. */
  readonly #unsent = new Map<string, RunPiece>();
  #cancel: CancelTimer | undefined;

  constructor(send: (piece: RunPiece) => void, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
  }

  add(run: Run, seq: number, offset: number, text: string): void {
    const attempt = attemptOf(run);
    const unsent = this.#unsent.get(run.id);
    const piece = { runId: run.id, attempt, seq, offset, text };
    this.#unsent.set(run.id, unsent?.attempt === attempt ? { ...unsent, text: unsent.text + text } : piece);
    this.#cancel ??= this.#clock.after(EVERY_MS, () => this.#flush());
  }

  /** The rest of a run that has ended is in its message. */
  end(runId: string): void {
    this.#unsent.delete(runId);
  }

  #flush(): void {
    this.#cancel = undefined;
    for (const [id, piece] of this.#unsent) {
      const { offset, text } = piece;
      const part = beginningOf(text);
      this.#send({ ...piece, text: part });
      const rest = text.slice(part.length);
      if (rest === '') this.#unsent.delete(id);
      else this.#unsent.set(id, { ...piece, offset: offset + part.length, text: rest });
    }
    if (this.#unsent.size > 0) this.#cancel = this.#clock.after(EVERY_MS, () => this.#flush());
  }
}

/** As much of a text as one piece holds. */
function beginningOf(text: string): string {
  let part = text.slice(0, MAX_TEXT);
  while (Buffer.byteLength(JSON.stringify(part)) > MAX_TEXT_BYTES) part = part.slice(0, part.length / 2);
  return part;
}
