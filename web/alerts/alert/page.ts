import type { CancelTimer } from '../../shared/clock.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import type { ApiError } from '../api.ts';
import type { KeyAction } from '../keys.ts';
import { actionOf } from '../keys.ts';
import type { Page, PageContext } from '../page.ts';
import { FilterBox } from '../parts/filter-box.ts';
import { createMatcher, formatMatcher } from '../parts/matcher-text.ts';
import { formatInstantShort } from '../parts/time-text.ts';
import type { AlertsRoute, Route } from '../route.ts';
import { ALL_ALERTS, newSilenceHash } from '../route.ts';
import type { Density } from '../settings/settings.ts';
import { errorBox, loadingBox, stateBox } from '../states.ts';
import { t } from '../text.ts';
import { whyPanel } from '../why/panel.ts';
import { AlertCommands } from './commands.ts';
import { AlertFeed } from './feed.ts';
import { GroupList } from './group-list.ts';
import type { AddFilter } from './label-chip.ts';
import type { AlertList, GroupOrder } from './list.ts';
import { listAlerts, proposeFilters } from './list.ts';
import type { ListedAlert } from './model.ts';
import { searchFor } from './search.ts';
import { Tally } from './tally.ts';
import { AlertsToolbar } from './toolbar.ts';

/** The pause in typing after which the address has the words. */
const TYPED_MS = 400;
const STATES = ['active', 'silenced', 'inhibited', 'muted'] as const;

/** A list, and what it was made from. */
interface Listed {
  readonly alerts: ReadonlyMap<string, ListedAlert>;
  readonly route: AlertsRoute;
  readonly order: GroupOrder;
  readonly list: AlertList;
}

/** The list of alerts by group, refreshed periodically and filtered by the route. */
export class AlertsPage implements Page {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #filterBox: FilterBox;
  readonly #toolbar: AlertsToolbar;
  readonly #groupList: GroupList;
  readonly #commands: AlertCommands;
  readonly #feed: AlertFeed;
  readonly #tally: Tally;
  readonly #updated = h('span', { class: 'updated' });
  readonly #results = h('div', { class: 'results' });
  #route: AlertsRoute;
  #alerts: ReadonlyMap<string, ListedAlert> | undefined;
  #listed: Listed | undefined;
  #proposals: readonly string[] | undefined;
  #receivers: readonly string[] = [];
  #cancelTyped: CancelTimer = () => {};

  constructor(context: PageContext, route: AlertsRoute) {
    this.#context = context;
    this.#route = route;
    document.title = `${t('alert.page')} · opsdeck`;
    const addFilter: AddFilter = (name, value, leaveOut) =>
      this.#filterBox.add(createMatcher(name, leaveOut ? '!=' : '=', value));
    this.#tally = new Tally(addFilter);
    this.#filterBox = this.#createFilterBox();
    this.#toolbar = this.#createToolbar();
    this.#feed = new AlertFeed(context, route, {
      prepare: (alerts) => void this.#list(alerts),
      onAlerts: (alerts, at) => this.#receive(alerts, at),
      onReceivers: (receivers) => {
        this.#receivers = receivers;
        this.#toolbar.show(this.#route, receivers);
      },
      onFailure: (error) => this.#fail(error),
    });
    this.#commands = new AlertCommands(
      context,
      () => this.#groupList,
      () => void this.#feed.refresh(),
    );
    this.#groupList = new GroupList(context.memory.openGroups, {
      times: context.times,
      expanded: context.memory.expanded,
      addFilter,
      find: (fingerprint) => this.#alerts?.get(fingerprint),
      isSelected: ({ fingerprint }) => this.#commands.isSelected(fingerprint),
      select: ({ fingerprint }, isSelected, isRange) => this.#commands.select(fingerprint, isSelected, isRange),
      whyPanel: (alert) => whyPanel(alert, context),
      acknowledge: ({ fingerprint }) => void this.#commands.acknowledge([this.#alerts?.get(fingerprint) ?? []].flat()),
    });
    this.element = this.#build();
    this.follow(route);
  }

  #createFilterBox(): FilterBox {
    return new FilterBox({
      id: 'filter',
      label: t('alert.filter'),
      placeholder: t('alert.filter.placeholder'),
      propose: () => this.#propose(),
      onChange: (filter) => this.#go({ filter, search: this.#filterBox.typed }),
      onType: () => this.#onType(),
      keepsWords: true,
    });
  }

  #createToolbar(): AlertsToolbar {
    const { settings } = this.#context;
    return new AlertsToolbar(settings, {
      onRoute: (change) => this.#go(change),
      onOrder: (order) => {
        settings.change({ order });
        this.#draw();
      },
      onDensity: (density) => this.#setDensity(density),
      onFold: (open) => this.#groupList.openAll(open),
    });
  }

  #build(): HTMLElement {
    const onclick = () => void this.#feed.refresh();
    const refresh = h('button', { type: 'button', class: 'quiet', onclick }, t('alert.refresh'));
    const freshness = h('p', { class: 'freshness' }, this.#updated, refresh);
    const title = h('h1', { tabindex: -1 }, t('alert.page'));
    setAttribute(this.#results, 'data-density', this.#context.settings.values.density);
    return h(
      'div',
      { class: 'page alerts-page' },
      h('div', { class: 'page-head' }, title, this.#tally.element, freshness),
      h('div', { class: 'filters' }, this.#filterBox.element, this.#toolbar.element),
      this.#commands.bar.element,
      this.#results,
    );
  }

  follow(route: Route): boolean {
    if (route.page !== 'alerts' || route.wall) return false;
    this.#route = route;
    this.#cancelTyped();
    this.#filterBox.show(route.filter);
    this.#filterBox.typed = route.search;
    this.#toolbar.show(route, this.#receivers);
    this.#context.shell.newSilenceHash = newSilenceHash(route.filter);
    if (this.#alerts) this.#draw();
    else this.#results.replaceChildren(loadingBox(t('alert.what')));
    const before = this.#alerts;
    const isLoading = this.#feed.follow(route);
    if (before && before === this.#alerts && !this.#feed.isCurrent) setAttribute(this.#results, 'aria-busy', 'true');
    void isLoading;
    return true;
  }

  focusFilter(): void {
    this.#filterBox.focus();
  }

  press(key: string): boolean {
    const action = actionOf(key);
    return action !== undefined && (this.#perform(action) || this.#commands.perform(action));
  }

  #perform(action: KeyAction): boolean {
    if (action === 'next' || action === 'previous') this.#groupList.move(action === 'next' ? 1 : -1);
    else if (action === 'open-all' || action === 'close-all') this.#groupList.openAll(action === 'open-all');
    else if (action === 'why') return this.#groupList.toggleWhy();
    else if (action === 'refresh') void this.#feed.refresh();
    else if (action === 'density')
      this.#setDensity(this.#context.settings.values.density === 'compact' ? 'comfortable' : 'compact');
    else return false;
    return true;
  }

  close(): void {
    this.#cancelTyped();
    this.#feed.stop();
    this.#context.shell.hideBanner();
    this.#context.shell.newSilenceHash = newSilenceHash('');
  }

  #setDensity(density: Density): void {
    this.#context.settings.change({ density });
    this.#toolbar.showDensity(density);
    setAttribute(this.#results, 'data-density', density);
  }

  #go(change: Partial<AlertsRoute>): void {
    this.#context.navigate({ ...this.#route, ...change });
  }

  /** The list follows every letter, the address a pause. */
  #onType(): void {
    this.#route = { ...this.#route, search: this.#filterBox.typed };
    this.#draw();
    this.#cancelTyped();
    this.#cancelTyped = this.#context.clock.after(TYPED_MS, () =>
      this.#context.navigate(this.#route, { replace: true }),
    );
  }

  #receive(alerts: ReadonlyMap<string, ListedAlert>, at: number): void {
    this.#alerts = alerts;
    this.#proposals = undefined;
    this.#context.shell.hideBanner();
    this.#filterBox.showRefusal(undefined);
    setAttribute(this.#results, 'aria-busy', false);
    const [before = '', after = ''] = t('alert.updated', { at: '\n' }).split('\n');
    const time = this.#context.times.element(new Date(at).toISOString(), 'distance');
    this.#updated.replaceChildren(before, time, after);
    this.#draw();
  }

  #fail(error: ApiError): void {
    setAttribute(this.#results, 'aria-busy', false);
    if (error.kind === 'refused') {
      this.#alerts = undefined;
      this.#tally.clear();
      this.#filterBox.showRefusal(error.message);
      this.#results.replaceChildren(stateBox(t('alert.refused'), t('alert.refused.remedy'), this.#clearButton()));
      return;
    }
    const retry = () => void this.#feed.refresh();
    // Alerts of another filter would mislead.
    if (!this.#feed.isCurrent) this.#alerts = undefined;
    if (!this.#alerts) this.#results.replaceChildren(errorBox(t('alert.what'), error, retry));
    else this.#context.shell.showBanner(`${error.message}. ${this.#ageText()}`, retry);
  }

  #ageText(): string {
    const { memory, clock } = this.#context;
    return memory.groups ? t('alert.stale', { at: formatInstantShort(memory.groups.at, clock.now()) }) : '';
  }

  /** The list of alerts by the current route and order; that of the last ones is kept. */
  #list(alerts: ReadonlyMap<string, ListedAlert>): AlertList {
    const { order } = this.#context.settings.values;
    const last = this.#listed;
    if (last?.alerts === alerts && last.route === this.#route && last.order === order) return last.list;
    const list = listAlerts(alerts, this.#route, order, searchFor(this.#route.search));
    this.#listed = { alerts, route: this.#route, order, list };
    return list;
  }

  #draw(): void {
    if (!this.#alerts) return;
    const list = this.#list(this.#alerts);
    this.#toolbar.showCounts(list.states);
    this.#context.shell.announce(this.#tally.show(list));
    const sum = list.shown === 0 ? t('alert.none') : t('alert.some', { n: list.shown });
    document.title = `${sum} · opsdeck`;
    if (list.shown > 0) this.#groupList.update(list.groups);
    const shown = list.shown > 0 ? this.#groupList.element : this.#emptyBox(list);
    if (shown.parentNode !== this.#results) this.#results.replaceChildren(shown);
    this.#commands.showList(list);
  }

  #emptyBox({ total, states }: AlertList): HTMLElement {
    const { filter, receiver, search } = this.#route;
    const hidden = STATES.filter((state) => states[state] > 0 && !this.#route[state]);
    if (hidden.length > 0 && search === '') {
      const names = hidden.map((state) => `${states[state]} ${t(`alert.state.${state}`)}`).join(', ');
      const show = () => this.#go({ active: true, silenced: true, inhibited: true, muted: true });
      const button = h('button', { type: 'button', onclick: show }, t('alert.show-hidden'));
      return stateBox(t('alert.nothing'), t('alert.hidden', { states: names }), button);
    }
    if (filter === '' && receiver === '' && total === 0) return stateBox(t('alert.quiet'), t('alert.quiet.text'));
    return stateBox(t('alert.no-match'), t('alert.no-match.text'), this.#clearButton());
  }

  #clearButton(): HTMLElement {
    const clear = () =>
      this.#context.navigate({ ...ALL_ALERTS, silenced: this.#route.silenced, inhibited: this.#route.inhibited });
    return h('button', { type: 'button', onclick: clear }, t('alert.clear-filter'));
  }

  #propose(): readonly string[] {
    this.#proposals ??= proposeFilters(this.#alerts?.values() ?? [], (name, value) =>
      formatMatcher(createMatcher(name, '=', value)),
    );
    return this.#proposals;
  }
}
