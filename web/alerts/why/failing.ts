import type { FailingIntegration } from '../../../src/alerts/contract/integration-health.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { placeOf, plainError } from '../history/list.ts';
import type { Times } from '../parts/times.ts';
import { historyHash } from '../route.ts';
import { t } from '../text.ts';

/** The integrations that accept no notifications, above every page; nothing while all do. */
export class FailingNotifications {
  /** In the document before its texts, so that screen readers announce them. */
  readonly element = h('div', { role: 'status', 'aria-label': t('failing.title') });
  readonly #times: Times;
  #shown = '';

  constructor(times: Times) {
    this.#times = times;
  }

  show(failing: readonly FailingIntegration[]): void {
    const shown = JSON.stringify(failing);
    if (shown === this.#shown) {
      this.#times.redraw(this.element);
      return;
    }
    this.#shown = shown;
    const rows = failing.map((one) => this.#row(one));
    this.element.replaceChildren(...(rows.length > 0 ? [h('ul', { class: 'failing' }, rows)] : []));
  }

  #row({ receiver, integration, index, groups, since, error }: FailingIntegration): HTMLElement {
    return h(
      'li',
      {},
      icon('warning'),
      h(
        'p',
        {},
        h('strong', {}, receiver),
        ` (${placeOf(integration, index)}): ${t('failing.groups', { n: groups })} `,
        this.#times.element(since, 'age'),
        error !== '' && ': ',
        error !== '' && h('span', { class: 'failing-error' }, plainError(error)),
      ),
      h('a', { href: historyHash({ receiver, outcome: 'failed' }) }, t('failing.history')),
    );
  }
}
