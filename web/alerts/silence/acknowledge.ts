import type { Alert } from '../../../src/alerts/contract/wire.ts';
import type { PageContext } from '../page.ts';
import { formatMatchers, matchersOfLabels } from '../parts/matcher-text.ts';
import { t } from '../text.ts';
import { acknowledgementOf } from './annotations.ts';
import { performEach } from './bulk.ts';
import { askForName } from './name-dialog.ts';
import { reportFailures } from './report-dialog.ts';

/**
 * Acknowledges the alerts: one silence for each, in the user's name, which the server renews while the alert fires and ends
 * with it. Asks for the name once. Resolves when the server has them, or the user has cancelled; failures are shown.
 */
export async function acknowledge(alerts: readonly Pick<Alert, 'labels'>[], context: PageContext): Promise<void> {
  const { api, clock, settings, shell } = context;
  if (alerts.length === 0) return;
  const name = settings.values.creator || (await askForName());
  if (name === undefined) return;
  settings.change({ creator: name });
  const now = clock.now();
  const { done, failed } = await performEach(alerts, (alert) =>
    api.saveSilence(acknowledgementOf(alert, name, t('silence.acknowledged'), now)),
  );
  if (done.length > 0) {
    const ids = done.map(({ result }) => result);
    const perform = async () => {
      const undone = await performEach(ids, (id) => api.expireSilence(id));
      shell.toasts.show(t('silence.undone', { n: undone.done.length }));
    };
    shell.toasts.show(t('silence.acknowledged.alerts', { n: done.length }), { label: t('silence.undo'), perform });
  }
  if (failed.length > 0) {
    const failures = failed.map(({ item, error }) => ({
      name: formatMatchers(matchersOfLabels(item.labels)),
      why: error.message,
    }));
    reportFailures(t('silence.acknowledged.failed', { n: failed.length, all: alerts.length }), failures);
  }
}
