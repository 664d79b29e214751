import type { Environment } from '../environment.ts';
import type { OfrepStreams } from '../ofrep/streams.ts';
import { STREAM_KINDS, type StreamKind } from '../streams/streams.ts';

/** Clients of the streams of one environment. */
export interface SubscriberCounts {
  readonly sizes: Readonly<Record<StreamKind | 'ofrep', number>>;
  /** Disconnected so far because they did not read. */
  readonly dropped: number;
}

/** Those in this thread. */
export function countSubscribers(
  environment: Environment,
  ofrep: Pick<OfrepStreams, 'size' | 'dropped'>,
): SubscriberCounts {
  const { streams } = environment;
  const sizes = STREAM_KINDS.map((kind) => [kind, streams.size(kind)] as const);
  return {
    sizes: { ...(Object.fromEntries(sizes) as Record<StreamKind, number>), ofrep: ofrep.size(environment) },
    dropped: streams.dropped + ofrep.dropped(environment),
  };
}

export function addSubscribers(one: SubscriberCounts, other: SubscriberCounts): SubscriberCounts {
  const sizes = Object.entries(one.sizes).map(([kind, size]) => [kind, size + other.sizes[kind as StreamKind]]);
  return { sizes: Object.fromEntries(sizes) as SubscriberCounts['sizes'], dropped: one.dropped + other.dropped };
}
