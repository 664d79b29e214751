import { gunzip } from 'node:zlib';
import { systemCodeOf } from '../../kernel/errors.ts';

export type InflatedBody =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly reason: 'not gzip' | 'unreadable' | 'too large' };

/** Bodies that may be inflated at the same time: each may grow to its limit before it is refused. */
const MAX_AT_ONCE = 4;

/** Inflates gzip of whatever size its sender chose, a few bodies at a time. */
export class Inflater {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `limit` is of the inflated bytes. */
  async inflate(bytes: Buffer, limit: number): Promise<InflatedBody> {
    if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return { ok: false, reason: 'not gzip' };
    if (this.#running >= MAX_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await gunzipBelow(bytes, limit);
    } finally {
      // Who waits takes over the place.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

function gunzipBelow(bytes: Buffer, limit: number): Promise<InflatedBody> {
  return new Promise((resolve) => {
    gunzip(bytes, { maxOutputLength: limit }, (error, inflated) => {
      if (!error) resolve({ ok: true, bytes: inflated });
      else resolve({ ok: false, reason: systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : 'unreadable' });
    });
  });
}
