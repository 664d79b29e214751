import type { Alert, Matcher } from '../../../../src/alerts/contract/wire.ts';
import type { CancelTimer, Clock } from '../../../shared/clock.ts';
import { h, setText } from '../../../shared/dom.ts';
import { formError } from '../../../shared/shell/states.ts';
import { labelList } from '../../alert/label-chip.ts';
import { toneOf } from '../../alert/severity.ts';
import type { Api } from '../../api.ts';
import { formatMatcher, matchesEverything } from '../../parts/matcher-text.ts';
import { expectApiError } from '../../states.ts';
import { t } from '../../text.ts';
import { filledMatchers } from './draft.ts';

const PAUSE_MS = 250;
const SHOWN = 8;

/** The alerts that a silence would match, loaded while it is edited. */
export class SilencePreview {
  readonly element: HTMLElement;
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #title = h('h2', { 'aria-live': 'polite' }, t('silence.matching'));
  readonly #warning = h('p', { class: 'warning', role: 'alert', hidden: true });
  readonly #body = h('div', {});
  /** The number of all alerts, if known. */
  readonly #total: () => number | undefined;
  #cancelTimer: CancelTimer = () => {};
  #abort = new AbortController();

  constructor(api: Api, clock: Clock, total: () => number | undefined) {
    this.#api = api;
    this.#clock = clock;
    this.#total = total;
    this.element = h(
      'section',
      { class: 'preview', 'aria-label': t('silence.preview') },
      this.#title,
      this.#warning,
      this.#body,
    );
  }

  /** Loads again after a pause in typing; of several silences what any of them matches. */
  show(sets: readonly (readonly Matcher[])[]): void {
    this.close();
    const filled = sets.map(filledMatchers).filter((matchers) => matchers.length > 0);
    this.#cancelTimer = this.#clock.after(PAUSE_MS, () => void this.#load(filled));
  }

  close(): void {
    this.#cancelTimer();
    this.#abort.abort();
  }

  async #load(sets: readonly (readonly Matcher[])[]): Promise<void> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    if (sets.length === 0) {
      this.#draw([], sets, t('silence.preview.empty'));
      return;
    }
    try {
      const found = await Promise.all(sets.map((matchers) => this.#api.alerts(matchers.map(formatMatcher), signal)));
      const alerts = [...new Map(found.flat().map((alert) => [alert.fingerprint, alert])).values()];
      if (!signal.aborted) this.#draw(alerts, sets, t('silence.preview.none'));
    } catch (error) {
      if (signal.aborted) return;
      setText(this.#title, t('silence.matching'));
      this.#warning.hidden = true;
      this.#body.replaceChildren(formError(expectApiError(error).message));
    }
  }

  #draw(alerts: readonly Alert[], sets: readonly (readonly Matcher[])[], whenNone: string): void {
    setText(this.#title, sets.length === 0 ? t('silence.matching') : t('silence.matching.count', { n: alerts.length }));
    this.#warn(alerts.length, sets);
    if (alerts.length === 0) {
      this.#body.replaceChildren(h('p', { class: 'soft' }, whenNone));
      return;
    }
    const rows = alerts.slice(0, SHOWN).map(({ labels }) => {
      const { alertname, ...others } = labels;
      return h(
        'li',
        { 'data-tone': toneOf(labels.severity) },
        h('strong', {}, alertname ?? t('silence.unnamed')),
        labelList(others, {}, t('silence.labels')),
      );
    });
    const rest = alerts.length - rows.length;
    this.#body.replaceChildren(
      h('ul', { class: 'preview-list' }, rows),
      ...(rest > 0 ? [h('p', { class: 'soft' }, t('silence.preview.more', { n: rest }))] : []),
    );
  }

  #warn(count: number, sets: readonly (readonly Matcher[])[]): void {
    const all = count > 1 && count === this.#total();
    const text = sets.some(matchesEverything)
      ? t('silence.preview.every')
      : all
        ? t('silence.preview.all', { n: count })
        : '';
    this.#warning.hidden = text === '';
    setText(this.#warning, text);
  }
}
