import type { Announcer } from '../feed/live.ts';
import type { Signals } from './signals.ts';

/** Announces to the streams of all nodes. `feed`: those of this one. */
export function announceEverywhere(feed: Announcer, signals: Signals): Announcer {
  signals.listen((signal) => {
    if (signal.type === 'event') feed.announce(signal.event);
  });
  return {
    announce(event) {
      feed.announce(event);
      signals.send({ type: 'event', event });
    },
  };
}
