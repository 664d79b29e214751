import type { Alert, Silence } from '../../../src/alerts/contract/wire.ts';
import { h } from '../../shared/dom.ts';
import type { Poller } from '../../shared/poller.ts';
import { AlertRows } from '../alert/rows.ts';
import { Stops } from '../alert/stops.ts';
import type { ApiError } from '../api.ts';
import type { Page, PageContext } from '../page.ts';
import { pollFor } from '../page.ts';
import { formatMatcher, formatMatchers } from '../parts/matcher-text.ts';
import type { Route } from '../route.ts';
import { everyAlertHash } from '../route.ts';
import { errorBox, expectApiError, loadingBox, stateBox } from '../states.ts';
import { t } from '../text.ts';
import { silenceDetails } from './details.ts';

/** One silence with all its data, and the alerts that it matches now. */
export class SilencePage implements Page {
  readonly element = h('div', { class: 'page silence-page' });
  readonly #context: PageContext;
  readonly #id: string;
  readonly #poller: Poller;
  readonly #title = h('h1', { tabindex: -1 }, t('silence.one'));
  readonly #details = h('div', { class: 'silence-details' }, loadingBox(t('silence.one')));
  readonly #affectedTitle = h('h2', {}, t('silence.matching'));
  readonly #affected = h('section', { class: 'affected', hidden: true });
  readonly #rows: AlertRows;
  readonly #stops: Stops;
  #drawn = '';

  constructor(context: PageContext, id: string) {
    this.#context = context;
    this.#id = id;
    document.title = `${t('silence.one')} · opsdeck`;
    this.#rows = new AlertRows({ times: context.times, expanded: new Set() }, t('silence.matching'));
    this.#stops = new Stops(this.#rows.element);
    this.#affected.append(this.#affectedTitle, this.#rows.element);
    const head = h('p', { class: 'crumb' }, h('a', { href: '#/silences' }, t('silence.title')));
    this.element.append(head, this.#title, this.#details, this.#affected);
    this.#poller = pollFor(context, (signal) => this.#load(signal));
    void this.#poller.refresh();
  }

  follow(route: Route): boolean {
    return route.page === 'silence' && route.id === this.#id;
  }

  close(): void {
    this.#poller.stop();
    this.#context.shell.hideBanner();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { api, shell } = this.#context;
    try {
      const silence = await api.silence(this.#id, signal);
      const alerts = await api.alerts(silence.matchers.map(formatMatcher), signal);
      if (signal.aborted) return;
      shell.hideBanner();
      this.#drawDetails(silence);
      this.#drawAffected(silence, alerts);
    } catch (error) {
      if (!signal.aborted) this.#fail(expectApiError(error));
    }
  }

  #fail(error: ApiError): void {
    const retry = () => void this.#poller.refresh();
    if (error.status === 404 || error.status === 422) {
      const link = h('a', { class: 'button', href: '#/silences' }, t('silence.to-list'));
      this.#drawn = '';
      this.#affected.hidden = true;
      this.#details.replaceChildren(stateBox(t('silence.unknown'), t('silence.unknown.why'), link));
    } else if (this.#drawn === '') this.#details.replaceChildren(errorBox(t('silence.one'), error, retry));
    else this.#context.shell.showBanner(t('silence.old', { error: error.message }), retry);
  }

  #drawDetails(silence: Silence): void {
    const signature = JSON.stringify(silence);
    if (signature === this.#drawn) return;
    this.#drawn = signature;
    this.#details.replaceChildren(silenceDetails(silence, this.#context, () => this.#onChanged()));
  }

  /** The pressed button is gone: keyboard focus moves to the top. */
  async #onChanged(): Promise<void> {
    await this.#poller.refresh();
    this.#title.focus();
  }

  #drawAffected({ matchers }: Silence, alerts: readonly Alert[]): void {
    this.#affected.hidden = false;
    const title = alerts.length === 0 ? t('silence.matching.none') : t('silence.matching.count', { n: alerts.length });
    const link =
      alerts.length > 0 && h('a', { href: everyAlertHash(formatMatchers(matchers)) }, t('silence.matching.list'));
    this.#affectedTitle.replaceChildren(title, ...(link ? [' ', link] : []));
    // Labels that the matchers fix are not repeated for each alert.
    const fixed = matchers
      .filter(({ isRegex, isEqual }) => isEqual && !isRegex)
      .map(({ name, value }) => [name, value]);
    this.#rows.update(alerts, alerts.length > 1 ? Object.fromEntries(fixed) : {});
    this.#stops.refresh();
  }
}
