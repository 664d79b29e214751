import { followAlerts, hasFollowingEnd } from '../domain/acknowledgement.ts';
import type { Alert } from '../domain/alert.ts';
import type { Silence } from '../domain/silence.ts';
import type { AlertStore } from '../store/store.ts';
import type { Silencer } from './silencer.ts';
import type { SilenceStore } from './store.ts';

/**
 * Expires silences whose alerts have resolved, and renews acknowledgements. Every node does so; a change is decided on the
 * newest version of a silence, so that one node renews it, and none revives a silence that anyone has expired.
 */
export async function followAllAlerts(
  {
    silences,
    silencer,
    alerts,
  }: { readonly silences: SilenceStore; readonly silencer: Silencer; readonly alerts: AlertStore },
  now: number,
): Promise<void> {
  silencer.settle(now);
  const silencedWith = (id: string): readonly Alert[] =>
    [...silencer.silencedWith(id)].flatMap((fingerprint) => alerts.get(fingerprint) ?? []);
  const follow = (silence: Silence) => followAlerts(silence, silencedWith(silence.id), now);
  const due = [...silences.all()].filter((silence) => hasFollowingEnd(silence) && follow(silence) !== silence);
  await Promise.all(due.map(({ id }) => silences.change(id, follow)));
}
