import { Random } from '../../../testing/random.ts';

const WORDS = [
  'const total',
  'return rows',
  '"quoted \\ text"',
  'naïve café 東京 🚀',
  '{"usage": 12}',
  'if (x < 3) {',
  '}\n',
  '\t// why',
  'npm test',
  "it's",
];
const POOL_LENGTH = 65_536;

/** What generated logs look like. */
export interface LogShape {
  readonly seed: number;
  /** About how many bytes to write. */
  readonly bytes: number;
  /** Epoch milliseconds of the first session; the others begin some hours apart. */
  readonly startAt: number;
  /** Stands in every text of a conversation. */
  readonly secret: string;
  /** Mean length of such a text, in characters. */
  readonly textLength: number;
}

export const LOG_SHAPE: LogShape = {
  seed: 1,
  bytes: 300_000,
  startAt: Date.UTC(2026, 9, 30, 19, 30),
  secret: 'SECRET-7f3a91',
  textLength: 900,
};

/** One answer as it counts, whatever is repeated in the files. */
export interface Answer {
  readonly at: number;
  readonly model: string;
  readonly project: string;
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheRead: number;
}

export interface WrittenLogs {
  readonly bytes: number;
  readonly files: readonly string[];
  readonly answers: readonly Answer[];
}

/** Texts, ids and times of generated sessions: the same for the same shape. */
export class Conversation {
  readonly random: Random;
  readonly #shape: LogShape;
  readonly #pool: string;
  at: number;

  constructor(shape: LogShape) {
    this.random = new Random(shape.seed);
    this.#shape = shape;
    this.at = shape.startAt;
    const words: string[] = [];
    for (let length = 0; length < POOL_LENGTH; length += (words.at(-1)?.length ?? 0) + 1)
      words.push(this.random.pick(WORDS));
    this.#pool = words.join(' ');
  }

  /** A text with the secret in its middle; one in twenty is much longer, as files that tools print are. */
  text(): string {
    const mean = this.#shape.textLength * (this.random.chance(0.05) ? 8 : 1);
    const length = Math.min(this.random.int(1, 2 * mean), POOL_LENGTH / 2);
    const start = this.random.int(0, POOL_LENGTH / 2 - 1);
    const middle = start + Math.floor(length / 2);
    return `${this.#pool.slice(start, middle)} ${this.#shape.secret} ${this.#pool.slice(middle, start + length)}`;
  }

  id(prefix: string): string {
    const part = () =>
      Math.floor(this.random.next() * 2 ** 32)
        .toString(36)
        .padStart(7, '0');
    return `${prefix}${part()}${part()}${part()}`;
  }

  uuid(): string {
    const hex = (length: number) => Array.from({ length }, () => this.random.int(0, 15).toString(16)).join('');
    return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  }

  /** ISO text of the current time, after some milliseconds to minutes have passed. */
  tick(mostMs = 90_000): string {
    this.at += this.random.int(1_500, mostMs);
    return new Date(this.at).toISOString();
  }

  pause(): void {
    this.at += this.random.int(1, 9) * 3_600_000;
  }
}
