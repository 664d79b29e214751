import { gunzip } from 'node:zlib';
import { systemCodeOf } from '../../kernel/errors.ts';
import { accepted, type Outcome } from '../../kernel/outcome.ts';

type InflatedBody = Outcome<Buffer, { readonly reason: 'not gzip' | 'unreadable' | 'too large' }>;

/** Maximum concurrent inflations: each may take memory up to its limit. */
const MAX_CONCURRENT = 4;

/** Inflates gzip bodies, a few at a time. */
export class Inflater {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `limit`: maximum size after inflation, in bytes. */
  async inflate(bytes: Buffer, limit: number): Promise<InflatedBody> {
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return { ok: false, reason: 'not gzip' };
    if (this.#running >= MAX_CONCURRENT) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await gunzipBelow(bytes, limit);
    } finally {
      // The next waiting call takes over the slot.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

function gunzipBelow(bytes: Buffer, limit: number): Promise<InflatedBody> {
  return new Promise((resolve) => {
    gunzip(bytes, { maxOutputLength: limit }, (error, inflated) => {
      if (!error) resolve(accepted(inflated));
      else resolve({ ok: false, reason: systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'unreadable' });
    });
  });
}
