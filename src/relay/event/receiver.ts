/** Which kind of SDK sends: it decides the credential and the path upstream. */
export type SdkKind = 'server' | 'mobile' | 'client';

/** What an SDK posted, as it came. */
export interface EventPost {
  readonly sdkKind: SdkKind;
  /** `analytics`: an array of events; `diagnostic`: one document about the SDK itself. */
  readonly kind: 'analytics' | 'diagnostic';
  readonly bytes: Buffer;
  /** A header of the request, its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/**
 * What a post came to. `accepted` is said before anything is parsed; `not gzip`: it is announced as gzip and is not;
 * `unreadable`: the gzip ends early, or there is more in it than may be.
 */
export type EventReceipt = 'accepted' | 'not gzip' | 'empty' | 'unreadable' | 'too large';

/** Takes the events of one environment. */
export interface EventReceiver {
  /** `off`: posts are refused; `discard`: they are accepted, and nothing is read; `forward`: they are sent on. */
  readonly mode: 'off' | 'discard' | 'forward';
  /** Takes a post. Only asked where the mode is `forward`. */
  receive(post: EventPost): Promise<EventReceipt>;
  /** Takes events out of the query of an image: an array in standard base64. Never fails. */
  receiveImage(encoded: string, header: EventPost['header']): void;
}
