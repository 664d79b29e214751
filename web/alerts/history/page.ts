import type { SentNotification } from '../../../src/alerts/contract/wire.ts';
import { h, setText } from '../../shared/dom.ts';
import type { Poller } from '../../shared/poller.ts';
import type { ApiError } from '../api.ts';
import type { Page, PageContext } from '../page.ts';
import { pollFor } from '../page.ts';
import { FilterBox } from '../parts/filter-box.ts';
import { formatMatcher, matchersOfLabels, parseMatchers } from '../parts/matcher-text.ts';
import { HISTORY_OUTCOMES, HISTORY_SPANS, type HistoryRoute, type Route } from '../route.ts';
import { errorBox, expectApiError, loadingBox, stateBox } from '../states.ts';
import { t } from '../text.ts';
import { notificationTable } from './list.ts';

const STEP = 100;
const SPAN_MS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000 } as const;

/** What was sent to whom, when, why, and with which result. */
export class HistoryPage implements Page {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #filterBox: FilterBox;
  readonly #poller: Poller;
  readonly #count = h('p', { class: 'count' });
  readonly #results = h('div', { class: 'results' }, loadingBox(t('history.what')));
  readonly #receiver = h('select', { onchange: () => this.#go({ receiver: this.#receiver.value }) });
  readonly #outcome = h('select', {
    onchange: () => this.#go({ outcome: this.#outcome.value as HistoryRoute['outcome'] }),
  });
  readonly #span = h('select', { onchange: () => this.#go({ span: this.#span.value as HistoryRoute['span'] }) });
  readonly #more = h('button', { type: 'button', class: 'more', onclick: () => this.#showMore() }, t('history.more'));
  #route: HistoryRoute;
  #limit = STEP;
  #notifications: readonly SentNotification[] | undefined;

  constructor(context: PageContext, route: HistoryRoute) {
    this.#context = context;
    this.#route = route;
    document.title = `${t('history.title')} · opsdeck`;
    this.#filterBox = new FilterBox({
      id: 'filter',
      label: t('history.filter'),
      placeholder: t('history.filter.hint'),
      propose: () => this.#proposals(),
      onChange: (filter) => this.#go({ filter }),
    });
    this.#poller = pollFor(context, (signal) => this.#load(signal));
    this.element = this.#build();
    this.#show(route);
    void this.#loadReceivers();
    void this.#poller.refresh();
  }

  follow(route: Route): boolean {
    if (route.page !== 'history') return false;
    this.#limit = STEP;
    this.#show(route);
    void this.#poller.refresh();
    return true;
  }

  focusFilter(): void {
    this.#filterBox.focus();
  }

  close(): void {
    this.#poller.stop();
    this.#context.shell.hideBanner();
  }

  #build(): HTMLElement {
    this.#span.append(
      option('', t('history.span.all')),
      ...HISTORY_SPANS.map((span) => option(span, t(`history.span.${span}`))),
    );
    this.#outcome.append(
      option('', t('history.outcome.all')),
      ...HISTORY_OUTCOMES.map((outcome) => option(outcome, t(`history.outcome.${outcome}`))),
    );
    const field = (title: string, select: HTMLElement) =>
      h('label', { class: 'history-field' }, h('span', {}, title), select);
    return h(
      'div',
      { class: 'page' },
      h('div', { class: 'page-head' }, h('h1', { tabindex: -1 }, t('history.title')), this.#count),
      h(
        'div',
        { class: 'filters history-filters' },
        this.#filterBox.element,
        field(t('history.receiver'), this.#receiver),
        field(t('history.outcome'), this.#outcome),
        field(t('history.span'), this.#span),
      ),
      this.#results,
    );
  }

  #go(change: Partial<HistoryRoute>): void {
    this.#context.navigate({ ...this.#route, ...change });
  }

  #show(route: HistoryRoute): void {
    this.#route = route;
    this.#filterBox.show(route.filter);
    this.#offerReceivers([...this.#receiver.options].map(({ value }) => value));
    this.#receiver.value = route.receiver;
    this.#outcome.value = route.outcome;
    this.#span.value = route.span;
  }

  async #loadReceivers(): Promise<void> {
    try {
      const receivers = await this.#context.api.receivers();
      this.#offerReceivers(receivers.map(({ name }) => name));
    } catch (error) {
      // The list of notifications says it.
      expectApiError(error);
    }
  }

  #offerReceivers(names: readonly string[]): void {
    const { receiver } = this.#route;
    const offered = [...new Set([...names, receiver])].filter((name) => name !== '');
    this.#receiver.replaceChildren(option('', t('history.receiver.all')), ...offered.map((name) => option(name, name)));
    this.#receiver.value = receiver;
  }

  #proposals(): readonly string[] {
    const sets = (this.#notifications ?? []).map(({ groupLabels }) => groupLabels);
    return [...new Set(sets.flatMap((labels) => matchersOfLabels(labels).map(formatMatcher)))];
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { api, shell } = this.#context;
    try {
      this.#notifications = await api.report('notifications', this.#query(), signal);
      if (signal.aborted) return;
      shell.hideBanner();
      this.#filterBox.showRefusal(undefined);
      this.#draw(this.#notifications);
    } catch (error) {
      if (!signal.aborted) this.#fail(expectApiError(error));
    }
  }

  #query(): Readonly<Record<string, readonly string[]>> {
    const { filter, receiver, outcome, span } = this.#route;
    const parsed = parseMatchers(filter);
    return {
      filter: 'matchers' in parsed ? parsed.matchers.map(formatMatcher) : [filter],
      receiver: receiver ? [receiver] : [],
      failed: outcome ? [String(outcome === 'failed')] : [],
      since: span ? [new Date(this.#context.clock.now() - SPAN_MS[span]).toISOString()] : [],
      limit: [String(this.#limit)],
    };
  }

  #draw(notifications: readonly SentNotification[]): void {
    const isCut = notifications.length >= this.#limit;
    setText(this.#count, t(isCut ? 'history.count.more' : 'history.count', { n: notifications.length }));
    this.#results.replaceChildren(
      notifications.length === 0
        ? this.#emptyBox()
        : notificationTable(notifications, this.#context, t('history.title')),
      ...(isCut ? [this.#more] : []),
    );
  }

  #emptyBox(): HTMLElement {
    const { filter, receiver, outcome, span } = this.#route;
    const isNarrowed = [filter, receiver, outcome, span].some((value) => value !== '');
    return stateBox(t('history.none'), t(isNarrowed ? 'history.none.fits' : 'history.none.yet'));
  }

  #fail(error: ApiError): void {
    const retry = () => void this.#poller.refresh();
    if (error.kind === 'refused') {
      this.#filterBox.showRefusal(error.message);
      this.#results.replaceChildren(stateBox(t('history.refused'), ''));
    } else if (!this.#notifications) this.#results.replaceChildren(errorBox(t('history.what'), error, retry));
    else this.#context.shell.showBanner(t('history.old', { error: error.message }), retry);
  }

  #showMore(): void {
    const next = this.#limit;
    this.#limit += STEP;
    void this.#poller.refresh().then(() => {
      this.#results.querySelectorAll<HTMLElement>('tbody tr')[next]?.querySelector('a')?.focus();
    });
  }
}

function option(value: string, text: string): HTMLOptionElement {
  return h('option', { value }, text);
}
