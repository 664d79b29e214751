import { isResolvedAt } from '../domain/alert.ts';
import { silenceStateAt } from '../domain/silence.ts';
import type { AlertStore } from '../store/store.ts';
import type { Silencer } from './silencer.ts';
import type { SilenceStore } from './store.ts';

/** A silence with this annotation set to `true` expires when the last alert that it silenced has resolved. */
export const EXPIRE_WHEN_RESOLVED = 'expire_when_resolved';

/** Expires such silences; one that has not silenced a firing alert yet stays. */
export async function expireResolvedSilences(
  {
    silences,
    silencer,
    alerts,
  }: { readonly silences: SilenceStore; readonly silencer: Silencer; readonly alerts: AlertStore },
  now: number,
): Promise<void> {
  silencer.settle(now);
  const done: string[] = [];
  for (const silence of silences.all()) {
    if (silence.annotations[EXPIRE_WHEN_RESOLVED] !== 'true' || silenceStateAt(silence, now) !== 'active') continue;
    const silenced = [...silencer.silencedWith(silence.id)]
      .map((fingerprint) => alerts.get(fingerprint))
      .filter((alert) => alert !== undefined && alert.endsAt > silence.startsAt);
    if (silenced.length > 0 && silenced.every((alert) => alert && isResolvedAt(alert, now))) done.push(silence.id);
  }
  await Promise.all(done.map((id) => silences.expire(id, now)));
}
