import type { Log } from '../../kernel/log.ts';
import { printMatchers } from '../domain/matcher/matcher.ts';
import { silenceStateAt } from '../domain/silence.ts';
import type { SilenceListener } from './store.ts';

/** A listener that logs every silence that is created, updated or expired (`--log.silences`). */
export function logSilenceChanges(log: Log, now: () => number): SilenceListener {
  return (changes) => {
    for (const { before, after } of changes) {
      if (!after) continue;
      const expired = silenceStateAt(after, now()) === 'expired';
      log.info(before ? (expired ? 'silence expired' : 'silence updated') : 'silence created', {
        id: after.id,
        matchers: printMatchers(after.matchers),
        createdBy: after.createdBy,
        startsAt: new Date(after.startsAt).toISOString(),
        endsAt: new Date(after.endsAt).toISOString(),
      });
    }
  };
}
