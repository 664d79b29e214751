import type { SdkKind } from '../credentials.ts';

/** SDKs of one kind and name. */
export interface SeenSdk {
  readonly sdkKind: SdkKind;
  /** As the SDK names itself, with its version. */
  readonly name: string;
  /** Open streams. */
  readonly streams: number;
  /** Requests since the start. */
  readonly requests: number;
  /** Of the last request, in epoch milliseconds. */
  readonly lastAt: number;
}

/** Of each kind; clients choose them. */
const MAX_NAMES = 50;
const MAX_NAME_CHARS = 100;
/** In place of further names. */
const OTHER = 'other';

/** The SDKs of an environment by the names that they give themselves. */
export class SdkLog {
  readonly #now: () => number;
  readonly #seen: Readonly<Record<SdkKind, Map<string, { streams: number; requests: number; lastAt: number }>>> = {
    server: new Map(),
    mobile: new Map(),
    client: new Map(),
  };

  constructor(now: () => number) {
    this.#now = now;
  }

  get sdks(): readonly SeenSdk[] {
    return (Object.keys(this.#seen) as SdkKind[]).flatMap((sdkKind) =>
      [...this.#seen[sdkKind]].map(([name, counts]) => ({ sdkKind, name, ...counts })),
    );
  }

  /** One request, or `count`. */
  request(sdkKind: SdkKind, userAgent: string, count = 1): void {
    const sdk = this.#of(sdkKind, userAgent);
    sdk.requests += count;
    sdk.lastAt = this.#now();
  }

  /** Streams that were opened (or, below 0, have ended) in another thread. */
  addStreams(sdkKind: SdkKind, userAgent: string, change: number): void {
    this.#of(sdkKind, userAgent).streams += change;
  }

  /** An opened stream; the returned function is called when it ends. */
  stream(sdkKind: SdkKind, userAgent: string): () => void {
    const sdk = this.#of(sdkKind, userAgent);
    sdk.streams++;
    let isOpen = true;
    return () => {
      if (isOpen) sdk.streams--;
      isOpen = false;
    };
  }

  #of(sdkKind: SdkKind, userAgent: string) {
    const seen = this.#seen[sdkKind];
    const known = seen.get(userAgent);
    if (known) return known;
    const wanted = userAgent.length > MAX_NAME_CHARS ? userAgent.slice(0, MAX_NAME_CHARS) : userAgent;
    const name = seen.has(wanted) || seen.size < MAX_NAMES ? wanted : OTHER;
    const sdk = seen.get(name) ?? { streams: 0, requests: 0, lastAt: 0 };
    seen.set(name, sdk);
    return sdk;
  }
}
