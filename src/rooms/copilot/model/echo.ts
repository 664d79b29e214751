import type { Clock } from '../../../kernel/clock.ts';
import { ModelError, type ModelPart, type ModelProvider, type ModelRequest } from './model.ts';

const MAX_DELAY_MS = 10_000;
const MAX_TOKENS = 100_000;
const WORDS_A_TURN = 64;

/** Options of the echo, given after its model's name: `echo?delayMs=20&tokens=200&failAfter=10&script=hello`. */
export interface EchoOptions {
  /** Between two words, in milliseconds. */
  readonly delayMs: number;
  /** The number of words, repeating the answer; `null`: the answer once. */
  readonly tokens: number | null;
  /** Fails after this number of words; `null`: never. */
  readonly failAfter: number | null;
  /** The answer, in place of `echo: ` and the question. */
  readonly script: string | null;
}

export function readEchoOptions(model: string): EchoOptions {
  const query = new URLSearchParams(model.split('?').slice(1).join('?'));
  const count = (name: string, most: number) => {
    const text = query.get(name) ?? '';
    return /^\d{1,9}$/.test(text) ? Math.min(Number(text), most) : null;
  };
  return {
    delayMs: count('delayMs', MAX_DELAY_MS) ?? 0,
    tokens: count('tokens', MAX_TOKENS),
    failAfter: count('failAfter', MAX_TOKENS),
    script: query.get('script'),
  };
}

/** A provider for tests and demonstrations: repeats the question, without a network. */
export class EchoProvider implements ModelProvider {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async *stream({ question, target, system, turns, maxOutputTokens }: ModelRequest, signal: AbortSignal) {
    const options = readEchoOptions(target.model);
    const words = wordsOf(options, question);
    let said = 0;
    for (const word of words) {
      if (options.failAfter !== null && said >= options.failAfter)
        throw new ModelError('provider_failed', `the echo was told to fail after ${options.failAfter} words`);
      if (said >= maxOutputTokens) break;
      // Without a pause the whole answer would block the event loop.
      if (options.delayMs > 0 || said % WORDS_A_TURN === 0) await this.#wait(options.delayMs, signal);
      signal.throwIfAborted();
      const part: ModelPart = { kind: 'text', text: said === 0 ? word : ` ${word}` };
      yield part;
      said++;
    }
    const inputTokens = Math.ceil(turns.reduce((sum, { text }) => sum + text.length, system.length) / 4);
    const usage: ModelPart = { kind: 'usage', inputTokens, outputTokens: said };
    yield usage;
    const finish: ModelPart = { kind: 'finish', reason: said < words.length ? 'length' : 'stop' };
    yield finish;
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = () => {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.#clock.after(ms, done);
      signal.addEventListener('abort', done);
    });
  }
}

function wordsOf({ tokens, script }: EchoOptions, question: string): readonly string[] {
  const words = (script ?? `echo: ${question}`).split(/\s+/).filter((word) => word !== '');
  if (tokens === null || words.length === 0) return words;
  return Array.from({ length: tokens }, (_, index) => words[index % words.length] ?? '');
}
