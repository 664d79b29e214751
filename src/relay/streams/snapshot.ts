import { createHash } from 'node:crypto';
import { type Frame, frameEvent } from '../../kernel/sse/frame.ts';
import type { FlagStore, ItemKind } from '../flag-store.ts';

const PUT = 'put';
const FRAME_TAIL_BYTES = 2;
const FRAME_HEAD_BYTES = frameEvent({ event: PUT, data: '' }).bytes.length - FRAME_TAIL_BYTES;
const ALL_HEAD = '{"path":"/","data":';
const ALL_TAIL = '}';

/** All data: framed for streams, and the same bytes as the body of a poll. */
export interface Snapshot {
  readonly frame: Frame;
  /** A slice of the frame. */
  readonly body: Buffer<ArrayBuffer>;
  /** A strong validator, unquoted. */
  readonly tag: string;
}

/**
 * The data of an environment as new clients get them. Created on demand and cached until the next change, so that any number
 * of clients shares one copy.
 */
export class Snapshots {
  readonly #store: FlagStore;
  #all: Snapshot | undefined;
  #flags: Snapshot | undefined;

  constructor(store: FlagStore) {
    this.#store = store;
  }

  /** Flags and segments; the body is `{"flags":…,"segments":…}`. */
  get all(): Snapshot {
    this.#all ??= prepare(
      `${ALL_HEAD}{"flags":${this.#store.text('flags')},"segments":${this.#store.text('segments')}}${ALL_TAIL}`,
      ALL_HEAD.length,
      ALL_TAIL.length,
    );
    return this.#all;
  }

  /** Flags alone, by key. */
  get flags(): Snapshot {
    this.#flags ??= prepare(this.#store.text('flags'), 0, 0);
    return this.#flags;
  }

  /** Must be called after every change. */
  forget(kind?: ItemKind): void {
    this.#all = undefined;
    if (kind !== 'segments') this.#flags = undefined;
  }
}

function prepare(data: string, headBytes: number, tailBytes: number): Snapshot {
  const frame = frameEvent({ event: PUT, data });
  const bytes = frame.bytes as Buffer<ArrayBuffer>;
  const body = bytes.subarray(FRAME_HEAD_BYTES + headBytes, bytes.length - FRAME_TAIL_BYTES - tailBytes);
  let tag: string | undefined;
  return {
    frame,
    body,
    get tag() {
      tag ??= createHash('sha1').update(body).digest('hex').slice(0, 15);
      return tag;
    },
  };
}
