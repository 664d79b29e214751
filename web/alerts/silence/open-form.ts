import type { Alert } from '../../../src/alerts/contract/wire.ts';
import type { PageContext } from '../page.ts';
import { newSilenceHash } from '../route.ts';
import { expectApiError } from '../states.ts';
import { coverAlerts, formatMatcherSets } from './cover.ts';

/** Opens the form for few silences of exactly these alerts, for which it looks at all alerts of the server. */
export async function openSilenceForm(
  alerts: readonly Pick<Alert, 'fingerprint' | 'labels'>[],
  context: PageContext,
): Promise<void> {
  if (alerts.length === 0) return;
  try {
    const all = alerts.length === 1 ? [] : await context.api.alerts([]);
    location.hash = newSilenceHash(formatMatcherSets(coverAlerts(alerts, all)));
  } catch (error) {
    context.shell.toasts.show(expectApiError(error).message);
  }
}
