import type { SdkKind } from '../credentials.ts';
import type { Inflater } from '../event/body.ts';
import { readPost } from '../event/post-body.ts';
import { type EventPost, type EventReceipt, type EventReceiver, eventMode, POST_HEADERS } from '../event/receiver.ts';
import type { EnvironmentId } from './change.ts';

/** An accepted post on its way to the main thread; an image's events are text. */
export interface AcceptedPost {
  readonly environment: EnvironmentId;
  readonly sdkKind: SdkKind;
  readonly kind: EventPost['kind'];
  readonly body: Uint8Array<ArrayBuffer> | string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WorkerEventsParts {
  readonly options: Parameters<typeof eventMode>[0];
  readonly inflater: Inflater;
  /** Moves the buffers to the main thread. */
  readonly send: (posts: readonly AcceptedPost[], moved: readonly ArrayBuffer[]) => Promise<unknown>;
}

/** Accepts posts of events in a worker, for the main thread: one message has those of a turn. */
export class WorkerEvents {
  readonly #parts: WorkerEventsParts;
  readonly #sending = new Set<Promise<unknown>>();
  #waiting: AcceptedPost[] = [];

  constructor(parts: WorkerEventsParts) {
    this.#parts = parts;
  }

  /** `environment` is undefined if it is no longer served. */
  receiver(environment: EnvironmentId | undefined): EventReceiver {
    const { options, inflater } = this.#parts;
    return {
      mode: eventMode(options),
      receive: async (post): Promise<EventReceipt> => {
        const body = await readPost(post, options, inflater);
        if (typeof body === 'string') return body;
        this.#carry(environment, { ...post, body: new Uint8Array(body) });
        return 'accepted';
      },
      count: async (post) => {
        const body = await readPost(post, options, inflater);
        if (typeof body !== 'string') this.#carry(environment, { ...post, body: new Uint8Array(body) });
      },
      receiveImage: (encoded, header) =>
        this.#carry(environment, { sdkKind: 'client', kind: 'analytics', body: encoded, header }),
    };
  }

  /** Resolves when the main thread has everything. */
  async flush(): Promise<void> {
    this.#send();
    await Promise.all(this.#sending);
  }

  #carry(
    environment: EnvironmentId | undefined,
    { sdkKind, kind, body, header }: Omit<EventPost, 'bytes'> & Pick<AcceptedPost, 'body'>,
  ): void {
    if (environment === undefined) return;
    const headers: Record<string, string> = {};
    for (const name of POST_HEADERS) {
      const value = header(name);
      if (value !== undefined) headers[name] = value;
    }
    this.#waiting.push({ environment, sdkKind, kind, body, headers });
    if (this.#waiting.length === 1) setImmediate(() => this.#send());
  }

  #send(): void {
    const posts = this.#waiting;
    if (posts.length === 0) return;
    this.#waiting = [];
    const moved = posts.flatMap(({ body }) => (typeof body === 'string' ? [] : body.buffer));
    // Without the main thread there is no upstream either.
    const sending = this.#parts.send(posts, moved).catch(() => {});
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }
}

/** Passes a post on in the main thread. */
export function deliverPost(
  { sdkKind, kind, body, headers }: AcceptedPost,
  receiver: Pick<EventReceiver, 'receiveImage'> & { take(post: EventPost): void },
): void {
  const header = (name: string) => headers[name];
  if (typeof body === 'string') receiver.receiveImage(body, header);
  else receiver.take({ sdkKind, kind, bytes: Buffer.from(body.buffer), header });
}
