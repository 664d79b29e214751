import type { FailingIntegration, IntegrationHealth } from '../../src/alerts/contract/integration-health.ts';
import { conditionWords } from '../shared/condition-words.ts';
import { Poller } from '../shared/poller.ts';
import { tabVisibility } from '../shared/tab-visibility.ts';
import type { PageContext } from './page.ts';
import { formatInstantShort } from './parts/time-text.ts';
import { expectApiError } from './states.ts';
import { language } from './text.ts';
import { FailingNotifications } from './why/failing.ts';

const INTERVAL_MS = 5000;
/** The code of failing notifications, which are shown in their own place. */
const FAILING = 'notifications_fail';

/** Shows on every page which notifications fail, and what else the server cannot do at present, until it can again. */
export function watchConditions({
  api,
  clock,
  shell,
  times,
}: Pick<PageContext, 'api' | 'clock' | 'shell' | 'times'>): void {
  const failing = new FailingNotifications(times);
  document.querySelector('header')?.after(failing.element);
  const poller = new Poller({
    clock,
    visibility: tabVisibility,
    intervalMs: () => INTERVAL_MS,
    async run(signal) {
      try {
        const conditions = await api.report('conditions', {}, signal);
        const others = conditions.filter(({ code }) => code !== FAILING);
        failing.show(others.length < conditions.length ? failingOf(await api.report('integrations', {}, signal)) : []);
        const print = (at: number) => formatInstantShort(at, clock.now());
        shell.showConditions(others.map((condition) => conditionWords(condition, language, print)));
      } catch (error) {
        // That the server does not answer is said by the page.
        expectApiError(error);
      }
    },
  });
  void poller.refresh();
}

function failingOf(integrations: readonly IntegrationHealth[]): readonly FailingIntegration[] {
  return integrations.flatMap(({ receiver, integration, index, failing }) =>
    failing ? [{ receiver, integration, index, ...failing }] : [],
  );
}
