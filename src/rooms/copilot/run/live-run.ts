import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { CopilotSettings, ProviderKind } from '../../domain/copilot/copilot.ts';
import { estimateTokens, type Prompt } from '../../domain/copilot/prompt.ts';
import { type AnswerText, addPiece, NO_ANSWER } from '../../domain/message/answer-text.ts';
import type { Room } from '../../domain/room/room.ts';
import type { RunEnd } from '../../domain/run/change.ts';
import type { Run, RunError, RunUsage } from '../../domain/run/run.ts';
import { ModelError, type ModelPart, type ModelProvider, type ModelTarget } from '../model/model.ts';
import type { ModelTargets } from '../model/targets.ts';
import type { PromptSource } from '../prompt-source.ts';

const DELTA_MS = 50;
const DELTA_BYTES = 512;
const CHECKPOINT_MS = 1_000;
const CHECKPOINT_CHARS = 4_096;
const MAX_RETRIES = 2;
const FIRST_RETRY_MS = 500;
const MAX_WAIT_MS = 20_000;

/** Ends a run before its answer is complete. */
export class RunStop extends Error {
  override readonly name = 'RunStop';
  readonly state: 'cancelled' | 'timed_out' | 'interrupted';

  constructor(state: RunStop['state'], message: string) {
    super(message);
    this.state = state;
  }
}

export interface LiveRunParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly providers: Readonly<Record<ProviderKind, ModelProvider>>;
  readonly targets: ModelTargets;
  readonly prompts: PromptSource;
  readonly maxBodyBytes: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** Called for each piece, with the length of the text before it in UTF-16 units. */
  readonly publish: (run: Run, offset: number, text: string) => void;
  /** Stores the progress of a run. */
  readonly save: (run: Run) => Promise<void>;
}

/** A run, its room and its copilot. */
export interface RunTask {
  readonly run: Run;
  readonly room: Room;
  readonly copilot: CopilotSettings;
  readonly reserved: number;
}

/** An answer while it is written. */
export class LiveRun {
  readonly #task: RunTask;
  readonly #parts: LiveRunParts;
  readonly #abort: AbortController;
  #answer: AnswerText = NO_ANSWER;
  #published = 0;
  #saved = 0;
  #savedAt: number;
  #isSaving = false;
  #finishReason: string | null = null;
  #usage: Partial<RunUsage> | undefined;
  #prompt: Prompt | undefined;
  #cancelDelta: CancelTimer | undefined;
  #cancelIdle: CancelTimer = () => {};

  /** `abort`: its reason is a RunStop. */
  constructor(task: RunTask, abort: AbortController, parts: LiveRunParts) {
    this.#task = task;
    this.#parts = parts;
    this.#abort = abort;
    this.#savedAt = parts.clock.now();
  }

  /** The text published so far. */
  get text(): string {
    return this.#answer.text.slice(0, this.#published);
  }

  /** Writes the answer; resolves when it is complete or ends early. Never rejects. */
  async perform(): Promise<RunEnd> {
    const { clock } = this.#parts;
    const { totalMs } = this.#task.copilot.timeouts;
    const cancelTotal = clock.after(totalMs, () => this.#timeOut(`it took longer than ${totalMs / 1000} s`));
    try {
      await this.#answerOnce();
      return this.#end('complete', null);
    } catch (error) {
      return this.#endBy(error);
    } finally {
      cancelTotal();
      this.#cancelIdle();
      this.#cancelDelta?.();
    }
  }

  async #answerOnce(): Promise<void> {
    const { targets, prompts } = this.#parts;
    const { run, room, copilot } = this.#task;
    const { signal } = this.#abort;
    const target = await unlessAborted(signal, targets.find(room.id, copilot));
    const prompt = await unlessAborted(signal, prompts.gather(run, room, copilot));
    this.#prompt = prompt;
    for (let retries = 0; ; retries++) {
      try {
        return await this.#attempt(target, prompt);
      } catch (error) {
        signal.throwIfAborted();
        const waitMs = this.#waitBefore(error, retries);
        if (waitMs === undefined) throw error;
        await this.#wait(waitMs);
      }
    }
  }

  async #attempt(target: ModelTarget, prompt: Prompt): Promise<void> {
    const { providers, maxBodyBytes } = this.#parts;
    const { maxOutputTokens, temperature, timeouts } = this.#task.copilot;
    const { signal } = this.#abort;
    const request = { ...prompt, target, maxOutputTokens, temperature, connectMs: timeouts.connectMs };
    this.#finishReason = null;
    this.#expect(timeouts.firstTokenMs, 'it did not begin');
    for await (const part of providers[target.kind].stream(request, signal)) {
      signal.throwIfAborted();
      this.#expect(timeouts.idleMs, 'it did not go on');
      this.#take(part, maxBodyBytes);
      if (this.#answer.isFull) break;
    }
    this.#cancelIdle();
    signal.throwIfAborted();
    if (this.#answer.isFull) this.#finishReason = 'length';
    if (this.#finishReason === null) throw new ModelError('truncated', 'the answer was cut off');
    if (this.#answer.text.trim() === '') throw new ModelError('empty_reply', 'the model gave an empty reply');
  }

  #take(part: ModelPart, maxBodyBytes: number): void {
    if (part.kind === 'finish') this.#finishReason = part.reason;
    if (part.kind === 'usage') {
      const { inputTokens, outputTokens } = part;
      if (inputTokens !== undefined) this.#usage = { ...this.#usage, inputTokens };
      if (outputTokens !== undefined) this.#usage = { ...this.#usage, outputTokens };
    }
    if (part.kind !== 'text') return;
    this.#answer = addPiece(this.#answer, part.text, maxBodyBytes);
    if (Buffer.byteLength(this.#answer.text.slice(this.#published)) >= DELTA_BYTES) this.#publish();
    else this.#cancelDelta ??= this.#parts.clock.after(DELTA_MS, () => this.#publish());
    this.#checkpoint();
  }

  #publish(): void {
    this.#cancelDelta?.();
    this.#cancelDelta = undefined;
    const { text } = this.#answer;
    const offset = this.#published;
    if (text.length === offset) return;
    this.#published = text.length;
    this.#parts.publish(this.#task.run, offset, text.slice(offset));
  }

  /** A killed server loses at most a second of the answer. */
  #checkpoint(): void {
    const { clock, save } = this.#parts;
    const { text } = this.#answer;
    const now = clock.now();
    const isDue = text.length - this.#saved >= CHECKPOINT_CHARS || now - this.#savedAt >= CHECKPOINT_MS;
    if (!isDue || this.#isSaving || text.length === this.#saved) return;
    this.#saved = text.length;
    this.#savedAt = now;
    this.#isSaving = true;
    void save({ ...this.#task.run, text }).finally(() => {
      this.#isSaving = false;
    });
  }

  /** Aborts unless something comes within these milliseconds. */
  #expect(ms: number, words: string): void {
    this.#cancelIdle();
    this.#cancelIdle = this.#parts.clock.after(ms, () => this.#timeOut(`${words} within ${ms / 1000} s`));
  }

  #timeOut(words: string): void {
    this.#abort.abort(new RunStop('timed_out', `the answer was given up: ${words}`));
  }

  /** The delay of the next attempt; `undefined`: none. Published text is not taken back. */
  #waitBefore(error: unknown, retries: number): number | undefined {
    if (!(error instanceof ModelError) || !error.isPassing || retries >= MAX_RETRIES || this.#answer.text !== '')
      return undefined;
    const { retryAfterMs } = error;
    if (retryAfterMs !== undefined) return retryAfterMs <= MAX_WAIT_MS ? retryAfterMs : undefined;
    return this.#parts.random() * FIRST_RETRY_MS * 2 ** (retries + 1);
  }

  #wait(ms: number): Promise<void> {
    this.#cancelIdle();
    let cancel: CancelTimer = () => {};
    const pause = new Promise<void>((resolve) => {
      cancel = this.#parts.clock.after(ms, resolve);
    });
    return unlessAborted(this.#abort.signal, pause).finally(cancel);
  }

  #endBy(error: unknown): RunEnd {
    const { signal } = this.#abort;
    if (signal.aborted && signal.reason instanceof RunStop) {
      const { state, message } = signal.reason;
      return this.#end(state, { code: state, message });
    }
    if (error instanceof ModelError) return this.#end('failed', { code: error.code, message: error.message });
    this.#parts.log.error('a copilot failed unexpectedly', { run: this.#task.run.id, err: messageOf(error) });
    return this.#end('failed', { code: 'internal', message: 'the copilot failed; see the log of the server' });
  }

  #end(state: RunEnd['state'], error: RunError | null): RunEnd {
    this.#publish();
    const { text } = this.#answer;
    const { reserved } = this.#task;
    const usage = this.#usage && this.#prompt ? wholeUsage(this.#usage, this.#prompt, text) : null;
    const estimated = this.#prompt ? wholeUsage({}, this.#prompt, text) : { inputTokens: 0, outputTokens: 0 };
    const { inputTokens, outputTokens } = usage ?? estimated;
    return {
      state,
      text,
      finishReason: state === 'complete' ? this.#finishReason : null,
      usage,
      error,
      saw: this.#prompt?.saw ?? [],
      cost: { reserved, spent: inputTokens + outputTokens },
    };
  }
}

/** Rejects with the signal's reason once it is aborted, even while the work is pending. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Token counts that the provider does not report are estimated. */
function wholeUsage(
  { inputTokens, outputTokens }: Partial<RunUsage>,
  { system, turns }: Prompt,
  text: string,
): RunUsage {
  const sent = turns.reduce((sum, turn) => sum + turn.text.length, system.length);
  return {
    inputTokens: inputTokens ?? estimateTokens(sent),
    outputTokens: outputTokens ?? estimateTokens(text.length),
  };
}
