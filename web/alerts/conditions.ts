import { Poller } from '../shared/poller.ts';
import { tabVisibility } from '../shared/tab-visibility.ts';
import type { PageContext } from './page.ts';
import { expectApiError } from './states.ts';

const INTERVAL_MS = 5000;

/** Shows on every page what the server cannot do at present, until it can again. */
export function watchConditions({ api, clock, shell }: Pick<PageContext, 'api' | 'clock' | 'shell'>): void {
  const poller = new Poller({
    clock,
    visibility: tabVisibility,
    intervalMs: () => INTERVAL_MS,
    async run(signal) {
      try {
        shell.showConditions(await api.conditions(signal));
      } catch (error) {
        // That the server does not answer is said by the page.
        expectApiError(error);
      }
    },
  });
  void poller.refresh();
}
