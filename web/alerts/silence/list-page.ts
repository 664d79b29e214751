import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h, setAttribute, setText } from '../../shared/dom.ts';
import type { Poller } from '../../shared/poller.ts';
import type { ApiError } from '../api.ts';
import type { Page, PageContext } from '../page.ts';
import { pollFor } from '../page.ts';
import { countText } from '../parts/count-text.ts';
import { FilterBox } from '../parts/filter-box.ts';
import { formatMatcher, parseMatchers } from '../parts/matcher-text.ts';
import type { Route, SilenceTab } from '../route.ts';
import { formatHash, newSilenceHash, SILENCE_TABS } from '../route.ts';
import { errorBox, expectApiError, loadingBox, stateBox } from '../states.ts';
import { silenceCard } from './card.ts';
import { countSilenced, silenceHasWords, splitSilences } from './list.ts';

const STEP = 50;
type SilencesRoute = Extract<Route, { page: 'silences' }>;

/** The silences by state, filtered by matchers on the server and by words on the page. */
export class SilencesPage implements Page {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #filterBox: FilterBox;
  readonly #poller: Poller;
  readonly #title = h('h1', { tabindex: -1 }, 'Silences');
  readonly #tabs = new Map<SilenceTab, HTMLAnchorElement>();
  readonly #results = h('div', { class: 'results' }, loadingBox('silences'));
  #route: SilencesRoute;
  #silences: readonly Silence[] | undefined;
  #affected = new Map<string, number>();
  #limit = STEP;
  #drawn = '';

  constructor(context: PageContext, route: SilencesRoute) {
    this.#context = context;
    this.#route = route;
    document.title = 'Silences · opsdeck';
    this.#filterBox = new FilterBox({
      id: 'filter',
      label: 'Filter silences',
      placeholder: 'Words of the comment, or a matcher and Enter',
      propose: () => [...new Set((this.#silences ?? []).flatMap(({ matchers }) => matchers.map(formatMatcher)))],
      onChange: (filter) => context.navigate({ ...this.#route, filter }),
      onType: () => this.#draw(),
    });
    this.#poller = pollFor(context, (signal) => this.#load(signal));
    this.element = this.#build();
    this.#show(route);
    void this.#poller.refresh();
  }

  #build(): HTMLElement {
    const tabs = SILENCE_TABS.map((tab) => {
      const link = h('a', { href: '' });
      this.#tabs.set(tab, link);
      return h('li', {}, link);
    });
    return h(
      'div',
      { class: 'page' },
      h(
        'div',
        { class: 'page-head' },
        this.#title,
        h('nav', { class: 'tabs', 'aria-label': 'States of silences' }, h('ul', {}, tabs)),
      ),
      h('div', { class: 'filters' }, this.#filterBox.element),
      this.#results,
    );
  }

  follow(route: Route): boolean {
    if (route.page !== 'silences') return false;
    const reload = route.filter !== this.#route.filter;
    this.#show(route);
    this.#draw();
    if (reload) void this.#poller.refresh();
    return true;
  }

  focusFilter(): void {
    this.#filterBox.focus();
  }

  close(): void {
    this.#poller.stop();
    this.#context.shell.hideBanner();
    this.#context.shell.newSilenceHash = newSilenceHash('');
  }

  #show(route: SilencesRoute): void {
    this.#route = route;
    this.#limit = STEP;
    this.#filterBox.show(route.filter);
    this.#context.shell.newSilenceHash = newSilenceHash(route.filter);
    for (const [tab, link] of this.#tabs) {
      link.href = formatHash({ ...route, tab });
      setAttribute(link, 'aria-current', tab === route.tab && 'page');
    }
    this.#drawTabs();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { api, shell } = this.#context;
    try {
      const parsed = parseMatchers(this.#route.filter);
      const filters = 'matchers' in parsed ? parsed.matchers.map(formatMatcher) : [this.#route.filter];
      const [silences, alerts] = await Promise.all([api.silences(filters, signal), api.suppressedAlerts(signal)]);
      if (signal.aborted) return;
      shell.hideBanner();
      this.#filterBox.showRefusal(undefined);
      this.#silences = silences;
      this.#affected = countSilenced(alerts);
      this.#drawTabs();
      this.#draw();
    } catch (error) {
      if (!signal.aborted) this.#fail(expectApiError(error));
    }
  }

  #fail(error: ApiError): void {
    const retry = () => void this.#poller.refresh();
    this.#drawn = '';
    if (error.kind === 'refused') {
      this.#silences = undefined;
      this.#filterBox.showRefusal(error.message);
      this.#results.replaceChildren(
        stateBox('The server does not accept this filter.', 'Mend or remove what it names above.'),
      );
    } else if (!this.#silences) this.#results.replaceChildren(errorBox('silences', error, retry));
    else this.#context.shell.showBanner(`${error.message}. What you see may be old.`, retry);
  }

  #drawTabs(): void {
    const split = this.#silences && splitSilences(this.#silences);
    for (const [tab, link] of this.#tabs) {
      const title = tab.charAt(0).toUpperCase() + tab.slice(1);
      link.replaceChildren(title, ...(split ? [' ', h('span', { class: 'count' }, split[tab].length)] : []));
    }
  }

  #draw(): void {
    if (!this.#silences) return;
    const { tab, filter } = this.#route;
    const words = this.#filterBox.typed;
    const found = splitSilences(this.#silences)[tab].filter((silence) => silenceHasWords(silence, words));
    const shown = found.slice(0, this.#limit);
    const signature = JSON.stringify([tab, found.length, shown, shown.map(({ id }) => this.#affected.get(id))]);
    // Unchanged: keep the page with its focus and selection.
    if (signature === this.#drawn) return;
    this.#drawn = signature;
    this.#context.shell.announce(countText(found.length, `${tab} silence`));
    if (found.length === 0) {
      const narrowed = filter !== '' || words !== '';
      const text = narrowed ? 'None fits the filter.' : tab === 'active' ? 'Every alert notifies as it is routed.' : '';
      this.#results.replaceChildren(stateBox(`No ${tab} silences.`, text));
      return;
    }
    const cards = shown.map((silence) =>
      silenceCard(silence, this.#affected.get(silence.id) ?? 0, this.#context, () => this.#onChanged()),
    );
    const rest = found.length - shown.length;
    const more = h('button', { type: 'button', class: 'more', hidden: rest === 0, onclick: () => this.#showMore() });
    setText(more, `Show ${Math.min(rest, STEP)} more of ${rest}`);
    this.#results.replaceChildren(h('ul', { class: 'silences' }, cards), more);
  }

  /** The pressed button is gone: keyboard focus moves to the top. */
  async #onChanged(): Promise<void> {
    await this.#poller.refresh();
    this.#title.focus();
  }

  #showMore(): void {
    const next = this.#limit;
    this.#limit += STEP;
    this.#draw();
    this.#results.querySelectorAll<HTMLElement>('.matchers')[next]?.focus();
  }
}
