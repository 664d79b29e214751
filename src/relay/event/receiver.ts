import type { RelayOptions } from '../config/relay-options.ts';
import type { SdkKind } from '../credentials.ts';

/** Limit of a post, as received and inflated, if none is configured; an SDK's largest batch of events has about 6 MB. */
export const DEFAULT_MAX_POST_BYTES = 20 * 2 ** 20;

/** The post of an SDK, as received. */
export interface EventPost {
  readonly sdkKind: SdkKind;
  /** `analytics`: an array of events; `diagnostic`: one document about the SDK itself. */
  readonly kind: 'analytics' | 'diagnostic';
  readonly bytes: Buffer;
  /** A header of the request, its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

/** Headers of a diagnostic that are sent on. */
export const DIAGNOSTIC_HEADERS = [
  'user-agent',
  'x-launchdarkly-user-agent',
  'x-launchdarkly-wrapper',
  'x-launchdarkly-tags',
  'x-launchdarkly-instance-id',
  'x-launchdarkly-event-schema',
  'x-launchdarkly-payload-id',
];

/** Headers that are read after a post is decompressed. */
export const POST_HEADERS = [...DIAGNOSTIC_HEADERS, 'x-launchdarkly-unsummarized'];

/**
 * The result of a post. `accepted`: before parsing; `not gzip`: announced as gzip but not compressed; `unreadable`: truncated
 * gzip, or beyond the payload limit.
 */
export type EventReceipt = 'accepted' | 'not gzip' | 'empty' | 'unreadable' | 'too large';

/** Receives the events of one environment. */
export interface EventReceiver {
  /** `off`: posts are refused; `discard`: accepted unread; `forward`: sent upstream. */
  readonly mode: 'off' | 'discard' | 'forward';
  /** Called in mode `forward` only. */
  receive(post: EventPost): Promise<EventReceipt>;
  /** Counts the evaluations in a discarded post. Never rejects. */
  count?(post: EventPost): Promise<void>;
  /** Receives events from the query of an image: an array in standard base64. Never fails. */
  receiveImage(encoded: string, header: EventPost['header']): void;
}

/** Without upstream events have no destination. */
export function eventMode({
  isLocal,
  archive,
  events,
}: Pick<RelayOptions, 'isLocal' | 'archive' | 'events'>): EventReceiver['mode'] {
  return isLocal || archive ? 'discard' : events.mode;
}
