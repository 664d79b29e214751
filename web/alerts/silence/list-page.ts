import type { Silence } from '../../../src/alerts/contract/wire.ts';
import { h, setAttribute, setText, syncChildren } from '../../shared/dom.ts';
import type { Poller } from '../../shared/poller.ts';
import type { ApiError } from '../api.ts';
import type { Page, PageContext } from '../page.ts';
import { pollFor } from '../page.ts';
import { FilterBox } from '../parts/filter-box.ts';
import { formatMatcher, parseMatchers } from '../parts/matcher-text.ts';
import type { Route, SilenceTab } from '../route.ts';
import { formatHash, newSilenceHash, SILENCE_TABS } from '../route.ts';
import { errorBox, expectApiError, loadingBox, stateBox } from '../states.ts';
import { t } from '../text.ts';
import { askAndExtend } from './actions.ts';
import { expireSilences, extendSilences } from './changes.ts';
import { countSilenced, silenceHasWords, sortSilences, splitSilences } from './list.ts';
import { SelectionBar } from './selection-bar.ts';
import { SilenceTable } from './table.ts';

const STEP = 50;
type SilencesRoute = Extract<Route, { page: 'silences' }>;

/** The silences by state, filtered by matchers on the server and by words on the page. */
export class SilencesPage implements Page {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #filterBox: FilterBox;
  readonly #poller: Poller;
  readonly #title = h('h1', { tabindex: -1 }, t('silence.title'));
  readonly #tabs = new Map<SilenceTab, HTMLAnchorElement>();
  readonly #results = h('div', { class: 'results' }, loadingBox(t('silence.title')));
  #route: SilencesRoute;
  #silences: readonly Silence[] | undefined;
  #affected = new Map<string, number>();
  #limit = STEP;
  #announced = '';
  readonly #table: SilenceTable;
  readonly #bar: SelectionBar;
  readonly #more = h('button', { type: 'button', class: 'more', onclick: () => this.#showMore() });

  constructor(context: PageContext, route: SilencesRoute) {
    this.#context = context;
    this.#route = route;
    document.title = `${t('silence.title')} · opsdeck`;
    this.#filterBox = new FilterBox({
      id: 'filter',
      label: t('silence.filter'),
      placeholder: t('silence.filter.hint'),
      propose: () => [...new Set((this.#silences ?? []).flatMap(({ matchers }) => matchers.map(formatMatcher)))],
      onChange: (filter) => context.navigate({ ...this.#route, filter }),
      onType: () => this.#draw(),
    });
    const onChanged = () => this.#onChanged();
    this.#bar = new SelectionBar({
      extend: (ms) => void extendSilences(this.#table.selected, ms, context, onChanged),
      expire: () => void expireSilences(this.#table.selected, context, onChanged),
      clear: () => this.#table.clearSelection(),
    });
    this.#table = new SilenceTable({
      context,
      onSelect: (count) => this.#bar.show(count),
      onOrder: () => this.#draw(),
      onChanged,
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
        h('nav', { class: 'tabs', 'aria-label': t('silence.tabs') }, h('ul', {}, tabs)),
      ),
      h('div', { class: 'filters' }, this.#filterBox.element),
      this.#bar.element,
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

  press(key: string): boolean {
    const { selected, focused } = this.#table;
    const concerned = selected.length > 0 ? selected : focused && focused.status.state !== 'expired' ? [focused] : [];
    const onChanged = () => this.#onChanged();
    if (key === 'j') this.#table.move(1);
    else if (key === 'k') this.#table.move(-1);
    else if (key === 'x') this.#table.toggleFocused();
    else if (key === 'Escape') this.#table.clearSelection();
    else if (key === 'e') void askAndExtend(concerned, this.#context, onChanged);
    else if (key === 'd') void expireSilences(concerned, this.#context, onChanged);
    else return false;
    return true;
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
    if (error.kind === 'refused') {
      this.#silences = undefined;
      this.#filterBox.showRefusal(error.message);
      this.#results.replaceChildren(stateBox(t('silence.refused'), t('silence.refused.what')));
    } else if (!this.#silences) this.#results.replaceChildren(errorBox(t('silence.title'), error, retry));
    else this.#context.shell.showBanner(t('silence.old', { error: error.message }), retry);
  }

  #drawTabs(): void {
    const split = this.#silences && splitSilences(this.#silences);
    for (const [tab, link] of this.#tabs) {
      const title = t(`silence.tab.${tab}`);
      link.replaceChildren(title, ...(split ? [' ', h('span', { class: 'count' }, split[tab].length)] : []));
    }
  }

  #draw(): void {
    if (!this.#silences) return;
    const { tab } = this.#route;
    const words = this.#filterBox.typed;
    const ofTab = splitSilences(this.#silences)[tab].filter((silence) => silenceHasWords(silence, words));
    const found = sortSilences(ofTab, this.#table.order, this.#affected);
    const shown = found.slice(0, this.#limit);
    this.#table.show(tab, shown, this.#affected);
    this.#announce(t(`silence.count.${tab}`, { n: found.length }));
    const rest = found.length - shown.length;
    setText(this.#more, t('silence.more', { n: Math.min(rest, STEP), all: rest }));
    this.#more.hidden = rest === 0;
    syncChildren(this.#results, found.length === 0 ? [this.#emptyBox()] : [this.#table.element, this.#more]);
  }

  #emptyBox(): HTMLElement {
    const { tab, filter } = this.#route;
    const isNarrowed = filter !== '' || this.#filterBox.typed !== '';
    const text = isNarrowed ? t('silence.none.fits') : tab === 'active' ? t('silence.none.active') : '';
    return stateBox(t(`silence.none.${tab}.title`), text);
  }

  /** Announces a number when it changes. */
  #announce(text: string): void {
    if (text !== this.#announced) this.#context.shell.announce(text);
    this.#announced = text;
  }

  /** The pressed button is gone: keyboard focus moves to the top. */
  async #onChanged(): Promise<void> {
    await this.#poller.refresh();
    if (document.activeElement === document.body) this.#title.focus();
  }

  #showMore(): void {
    const next = this.#limit;
    this.#limit += STEP;
    this.#draw();
    this.#results.querySelectorAll<HTMLElement>('.matchers')[next]?.focus();
  }
}
