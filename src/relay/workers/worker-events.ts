import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { SdkKind } from '../credentials.ts';
import type { Inflater } from '../event/body.ts';
import { readPost } from '../event/post-body.ts';
import { type EventPost, type EventReceipt, type EventReceiver, eventMode, POST_HEADERS } from '../event/receiver.ts';
import type { EnvironmentId } from './change.ts';

/** An accepted post on its way to the main thread. */
export interface AcceptedPost {
  readonly environment: EnvironmentId;
  readonly sdkKind: SdkKind;
  /** `image`: its events are in base64. */
  readonly kind: EventPost['kind'] | 'image';
  /** Bytes of its body. */
  readonly length: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Accepted posts, and their bodies one after the other. */
export interface PostBatch {
  readonly posts: readonly AcceptedPost[];
  readonly bodies: Uint8Array<ArrayBuffer>;
}

export interface WorkerEventsParts {
  readonly options: Parameters<typeof eventMode>[0];
  readonly inflater: Inflater;
  /** Moves the bodies to the main thread. */
  readonly send: (batch: PostBatch) => Promise<unknown>;
  readonly clock: Pick<Clock, 'after'>;
}

/** A message between threads costs about as much as a post. */
const BATCH_MS = 10;
const MAX_BATCH_BYTES = 2 ** 18;

/** Accepts posts of events in a worker, for the main thread: one message has those of some milliseconds. */
export class WorkerEvents {
  readonly #parts: WorkerEventsParts;
  readonly #sending = new Set<Promise<unknown>>();
  #posts: AcceptedPost[] = [];
  #bodies: Buffer[] = [];
  #bytes = 0;
  #cancelTimer: CancelTimer = () => {};

  constructor(parts: WorkerEventsParts) {
    this.#parts = parts;
  }

  /** `environment` is undefined if it is no longer served. */
  receiver(environment: EnvironmentId | undefined): EventReceiver {
    const { options, inflater } = this.#parts;
    const carry = async (post: EventPost): Promise<EventReceipt> => {
      const body = await readPost(post, options, inflater);
      if (typeof body === 'string') return body;
      this.#carry(environment, post, body);
      return 'accepted';
    };
    return {
      mode: eventMode(options),
      receive: carry,
      count: async (post) => void (await carry(post)),
      receiveImage: (encoded, header) =>
        this.#carry(environment, { sdkKind: 'client', kind: 'image', header }, Buffer.from(encoded)),
    };
  }

  /** Resolves when the main thread has everything. */
  async flush(): Promise<void> {
    this.#send();
    await Promise.all(this.#sending);
  }

  #carry(
    environment: EnvironmentId | undefined,
    { sdkKind, kind, header }: Pick<EventPost, 'sdkKind' | 'header'> & Pick<AcceptedPost, 'kind'>,
    body: Buffer,
  ): void {
    if (environment === undefined) return;
    const headers: Record<string, string> = {};
    for (const name of POST_HEADERS) {
      const value = header(name);
      if (value !== undefined) headers[name] = value;
    }
    if (this.#posts.length === 0) this.#cancelTimer = this.#parts.clock.after(BATCH_MS, () => this.#send());
    this.#posts.push({ environment, sdkKind, kind, length: body.length, headers });
    this.#bodies.push(body);
    this.#bytes += body.length;
    if (this.#bytes >= MAX_BATCH_BYTES) this.#send();
  }

  #send(): void {
    this.#cancelTimer();
    if (this.#posts.length === 0) return;
    const batch = { posts: this.#posts, bodies: joined(this.#bodies, this.#bytes) };
    this.#posts = [];
    this.#bodies = [];
    this.#bytes = 0;
    // Without the main thread there is no upstream either.
    const sending = this.#parts.send(batch).catch(() => {});
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }
}

/** One movable buffer. */
function joined(bodies: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const body of bodies) at += body.copy(whole, at);
  return whole;
}

/** Passes posts on in the main thread; `receiverOf` returns undefined for a removed environment. */
export function deliverPosts(
  { posts, bodies }: PostBatch,
  receiverOf: (
    environment: EnvironmentId,
  ) => (Pick<EventReceiver, 'receiveImage'> & { take(post: EventPost): void }) | undefined,
): void {
  let at = 0;
  for (const { environment, sdkKind, kind, length, headers } of posts) {
    const bytes = Buffer.from(bodies.buffer, at, length);
    at += length;
    const receiver = receiverOf(environment);
    const header = (name: string) => headers[name];
    if (kind === 'image') receiver?.receiveImage(bytes.toString(), header);
    else receiver?.take({ sdkKind, kind, bytes, header });
  }
}
