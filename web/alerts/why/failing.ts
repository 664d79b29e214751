import type { FailingIntegration } from '../../../src/alerts/contract/integration-health.ts';
import { type Child, h } from '../../shared/dom.ts';
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
    const isOpen = this.element.querySelector('details')?.open === true;
    this.element.replaceChildren(...(failing.length > 0 ? [this.#box(failing, isOpen)] : []));
  }

  /** One line, however many fail; the details name each. */
  #box(failing: readonly FailingIntegration[], isOpen: boolean): HTMLElement {
    const [first] = failing as [FailingIntegration];
    const summary = h('span', { class: 'failing-sum' }, failing.length === 1 ? this.#texts(first) : this.#sum(failing));
    return h(
      'details',
      { class: 'failing', open: isOpen },
      h('summary', {}, icon('warning'), summary, icon('chevron')),
      h(
        'ul',
        {},
        failing.map((one) => this.#row(one)),
      ),
    );
  }

  #sum(failing: readonly FailingIntegration[]): Child[] {
    const names = [...new Set(failing.map(({ receiver }) => receiver))];
    const since = failing.map((one) => one.since).sort()[0] ?? '';
    return [
      `${t('failing.receivers', { n: names.length })} `,
      this.#times.element(since, 'age'),
      ': ',
      h('strong', {}, names.join(', ')),
    ];
  }

  #row(failing: FailingIntegration): HTMLElement {
    const href = historyHash({ receiver: failing.receiver, outcome: 'failed' });
    return h('li', {}, h('p', {}, this.#texts(failing)), h('a', { href }, t('failing.history')));
  }

  #texts({ receiver, integration, index, groups, since, error }: FailingIntegration): Child[] {
    return [
      h('strong', {}, receiver),
      ` (${placeOf(integration, index)}): ${t('failing.groups', { n: groups })} `,
      this.#times.element(since, 'age'),
      error !== '' && ': ',
      error !== '' && h('span', { class: 'failing-error' }, plainError(error)),
    ];
  }
}
