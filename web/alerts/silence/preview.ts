import type { Alert, Matcher } from '../../../src/alerts/contract/wire.ts';
import type { CancelTimer, Clock } from '../../shared/clock.ts';
import { h, setText } from '../../shared/dom.ts';
import { labelList } from '../alert/label-chip.ts';
import { toneOf } from '../alert/severity.ts';
import type { Api } from '../api.ts';
import { countText } from '../parts/count-text.ts';
import { formatMatcher, matchesEverything } from '../parts/matcher-text.ts';
import { expectApiError } from '../states.ts';
import { filledMatchers } from './draft.ts';

const PAUSE_MS = 250;
const SHOWN = 8;

/** The alerts that a silence would match, loaded while it is edited. */
export class SilencePreview {
  readonly element: HTMLElement;
  readonly #api: Api;
  readonly #clock: Clock;
  readonly #title = h('h2', { 'aria-live': 'polite' }, 'Matching alerts');
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
    this.element = h('section', { class: 'preview', 'aria-label': 'Preview' }, this.#title, this.#warning, this.#body);
  }

  /** Loads again after a pause in typing. */
  show(matchers: readonly Matcher[]): void {
    this.close();
    this.#cancelTimer = this.#clock.after(PAUSE_MS, () => void this.#load(filledMatchers(matchers)));
  }

  close(): void {
    this.#cancelTimer();
    this.#abort.abort();
  }

  async #load(matchers: readonly Matcher[]): Promise<void> {
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    if (matchers.length === 0) {
      this.#draw([], matchers, 'Fill in a matcher to see which alerts it concerns.');
      return;
    }
    try {
      const alerts = await this.#api.alerts(matchers.map(formatMatcher), signal);
      if (!signal.aborted)
        this.#draw(alerts, matchers, 'None now. The silence concerns later ones too, as long as it runs.');
    } catch (error) {
      if (signal.aborted) return;
      setText(this.#title, 'Matching alerts');
      this.#warning.hidden = true;
      this.#body.replaceChildren(h('p', { class: 'form-error' }, expectApiError(error).message));
    }
  }

  #draw(alerts: readonly Alert[], matchers: readonly Matcher[], whenNone: string): void {
    setText(this.#title, matchers.length === 0 ? 'Matching alerts' : countText(alerts.length, 'matching alert'));
    this.#warn(alerts.length, matchers);
    if (alerts.length === 0) {
      this.#body.replaceChildren(h('p', { class: 'soft' }, whenNone));
      return;
    }
    const rows = alerts.slice(0, SHOWN).map(({ labels }) => {
      const { alertname, ...others } = labels;
      return h(
        'li',
        { 'data-tone': toneOf(labels.severity) },
        h('strong', {}, alertname ?? 'Unnamed alert'),
        labelList(others, {}, 'Labels'),
      );
    });
    const rest = alerts.length - rows.length;
    this.#body.replaceChildren(
      h('ul', { class: 'preview-list' }, rows),
      ...(rest > 0 ? [h('p', { class: 'soft' }, `and ${rest} more`)] : []),
    );
  }

  #warn(count: number, matchers: readonly Matcher[]): void {
    const all = count > 1 && count === this.#total();
    const text = matchesEverything(matchers)
      ? 'This matches every alert there is and will be.'
      : all
        ? `This matches all ${count} alerts that there are now.`
        : '';
    this.#warning.hidden = text === '';
    setText(this.#warning, text);
  }
}
