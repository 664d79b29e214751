import { h, setAttribute } from '../../shared/dom.ts';
import type { Poller } from '../../shared/poller.ts';
import type { ApiError } from '../api.ts';
import type { Page, PageContext, PageMemory } from '../page.ts';
import { pollFor } from '../page.ts';
import { countText } from '../parts/count-text.ts';
import { FilterBox } from '../parts/filter-box.ts';
import { createMatcher, escapeRegExp, formatMatcher, parseMatchers } from '../parts/matcher-text.ts';
import { formatInstantShort } from '../parts/time-text.ts';
import type { AlertsRoute, Route } from '../route.ts';
import { ALL_ALERTS, newSilenceHash } from '../route.ts';
import { errorBox, expectApiError, loadingBox, stateBox } from '../states.ts';
import { GroupList } from './group-list.ts';
import type { AddFilter } from './label-chip.ts';
import type { AlertList } from './list.ts';
import { listAlerts, proposeFilters } from './list.ts';
import type { ListedAlert } from './model.ts';
import { mergeAlerts } from './model.ts';
import { severityCounts } from './severity-counts.ts';
import { AlertsToolbar } from './toolbar.ts';

/** The list of alerts by group, refreshed periodically and filtered by the route. */
export class AlertsPage implements Page {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #filterBox: FilterBox;
  readonly #toolbar: AlertsToolbar;
  readonly #groupList: GroupList;
  readonly #poller: Poller;
  readonly #tally = h('p', { class: 'tally' });
  readonly #updated = h('span', { class: 'updated' });
  readonly #results = h('div', { class: 'results' });
  readonly #addFilter: AddFilter = (name, value, leaveOut) =>
    this.#filterBox.add(createMatcher(name, leaveOut ? '!=' : '=', value));
  #route: AlertsRoute;
  /** The request that `#alerts` answers. */
  #answered = '';
  #alerts: ReadonlyMap<string, ListedAlert> | undefined;
  #proposals: readonly string[] | undefined;
  #receivers: readonly string[] = [];
  #receiversLoaded = false;
  #tallied = '';

  constructor(context: PageContext, route: AlertsRoute) {
    this.#context = context;
    this.#route = route;
    document.title = 'Alerts · opsdeck';
    this.#filterBox = new FilterBox({
      id: 'filter',
      label: 'Filter alerts',
      placeholder: 'Filter: severity="critical", or a word of the name',
      propose: () => this.#propose(),
      onChange: (filter) => this.#go({ filter }),
    });
    this.#toolbar = new AlertsToolbar(context.settings.values.order, {
      onRoute: (change) => this.#go(change),
      onOrder: (order) => {
        context.settings.change({ order });
        this.#draw();
      },
      onFold: (open) => this.#groupList.openAll(open),
    });
    this.#groupList = new GroupList(context.memory.openGroups, {
      times: context.times,
      addFilter: this.#addFilter,
      find: (fingerprint) => this.#alerts?.get(fingerprint),
    });
    this.#poller = pollFor(context, (signal) => this.#load(signal));
    this.element = this.#build();
    this.follow(route);
  }

  #build(): HTMLElement {
    const onclick = () => void this.#poller.refresh();
    const refresh = h('button', { type: 'button', class: 'quiet', onclick }, 'Refresh');
    const freshness = h('p', { class: 'freshness' }, this.#updated, refresh);
    const title = h('h1', { tabindex: -1 }, 'Alerts');
    return h(
      'div',
      { class: 'page' },
      h('div', { class: 'page-head' }, title, this.#tally, freshness),
      h('div', { class: 'filters' }, this.#filterBox.element, this.#toolbar.element),
      this.#results,
    );
  }

  follow(route: Route): boolean {
    if (route.page !== 'alerts') return false;
    const before = this.#asked;
    this.#route = route;
    this.#filterBox.show(route.filter);
    this.#toolbar.show(route, this.#receivers);
    this.#context.shell.newSilenceHash = newSilenceHash(route.filter);
    if (this.#alerts && this.#asked === before) {
      this.#draw();
      return true;
    }
    const remembered = this.#context.memory.groups;
    if (remembered?.asked === this.#asked) this.#receive(remembered);
    else if (!this.#alerts) this.#results.replaceChildren(loadingBox('alerts'));
    else setAttribute(this.#results, 'aria-busy', 'true');
    void this.#poller.refresh();
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

  /** The part of the route that the server filters by; its flags filter the loaded alerts. */
  get #asked(): string {
    return JSON.stringify([this.#route.filter, this.#receiverPattern()]);
  }

  /** Links contain a receiver's name, or a regular expression as on Alertmanager's page. */
  #receiverPattern(): string {
    const { receiver } = this.#route;
    return this.#receivers.includes(receiver) ? escapeRegExp(receiver) : receiver;
  }

  #go(change: Partial<AlertsRoute>): void {
    this.#context.navigate({ ...this.#route, ...change });
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { api, memory, clock, shell } = this.#context;
    try {
      // Only the list of receivers shows whether a link contains a name or a pattern.
      if (this.#route.receiver !== '') await this.#loadReceivers(signal);
      const asked = this.#asked;
      const parsed = parseMatchers(this.#route.filter);
      const filters = 'matchers' in parsed ? parsed.matchers.map(formatMatcher) : [this.#route.filter];
      const [groups] = await Promise.all([
        api.groups(filters, this.#receiverPattern(), signal),
        this.#loadReceivers(signal),
      ]);
      if (signal.aborted) return;
      memory.groups = { asked, groups, at: clock.now() };
      shell.hideBanner();
      this.#filterBox.showRefusal(undefined);
      this.#receive(memory.groups);
    } catch (error) {
      if (!signal.aborted) this.#fail(expectApiError(error));
    }
  }

  async #loadReceivers(signal: AbortSignal): Promise<void> {
    if (this.#receiversLoaded) return;
    const receivers = await this.#context.api.receivers(signal);
    this.#receivers = [...new Set(receivers.map(({ name }) => name))];
    this.#receiversLoaded = true;
    this.#toolbar.show(this.#route, this.#receivers);
  }

  #receive({ asked, groups, at }: NonNullable<PageMemory['groups']>): void {
    this.#alerts = mergeAlerts(groups);
    this.#answered = asked;
    this.#proposals = undefined;
    setAttribute(this.#results, 'aria-busy', false);
    this.#updated.replaceChildren('Updated ', this.#context.times.element(new Date(at).toISOString(), 'distance'));
    this.#draw();
  }

  #fail(error: ApiError): void {
    setAttribute(this.#results, 'aria-busy', false);
    if (error.kind === 'refused') {
      this.#alerts = undefined;
      this.#tallied = '';
      this.#tally.replaceChildren();
      this.#filterBox.showRefusal(error.message);
      this.#results.replaceChildren(
        stateBox('The server does not accept this filter.', 'Mend or remove what it names above.', this.#clearButton()),
      );
      return;
    }
    const retry = () => void this.#poller.refresh();
    // Alerts of another filter would mislead.
    if (this.#answered !== this.#asked) this.#alerts = undefined;
    if (!this.#alerts) this.#results.replaceChildren(errorBox('alerts', error, retry));
    else this.#context.shell.showBanner(`${error.message}. ${this.#ageText()}`, retry);
  }

  #ageText(): string {
    const { memory, clock } = this.#context;
    return memory.groups ? `What you see is from ${formatInstantShort(memory.groups.at, clock.now())}.` : '';
  }

  #draw(): void {
    if (!this.#alerts) return;
    const list = listAlerts(this.#alerts, this.#route, this.#context.settings.values.order);
    this.#toolbar.showCounts(list.states);
    this.#drawTally(list);
    if (list.shown === 0) {
      this.#results.replaceChildren(this.#emptyBox(list));
      return;
    }
    this.#groupList.update(list.groups);
    if (this.#groupList.element.parentNode !== this.#results) this.#results.replaceChildren(this.#groupList.element);
  }

  #drawTally({ shown, groups, severities }: AlertList): void {
    const alerts = shown === 0 ? 'No alerts' : countText(shown, 'alert');
    const text = shown === 0 ? alerts : `${alerts} in ${countText(groups.length, 'group')}`;
    document.title = `${alerts} · opsdeck`;
    this.#context.shell.announce(text);
    const signature = JSON.stringify([text, severities]);
    // The counts are buttons: redrawing equal ones would lose the focus.
    if (signature === this.#tallied) return;
    this.#tallied = signature;
    const graded = severities.some(({ severity }) => severity !== '');
    const sum = h('span', { class: 'tally-sum' }, text);
    this.#tally.replaceChildren(sum, ...(graded ? severityCounts(severities, this.#addFilter) : []));
  }

  #emptyBox({ total, states }: AlertList): HTMLElement {
    if (total > 0) {
      const hidden = (['active', 'silenced', 'inhibited', 'muted'] as const).filter(
        (state) => states[state] > 0 && !this.#route[state],
      );
      const text = `Hidden: ${hidden.map((state) => `${states[state]} ${state}`).join(', ')}.`;
      const show = () => this.#go({ active: true, silenced: true, inhibited: true, muted: true });
      return stateBox('Nothing to show.', text, h('button', { type: 'button', onclick: show }, 'Show them'));
    }
    const { filter, receiver } = this.#route;
    if (filter !== '' || receiver !== '')
      return stateBox('No alerts match.', 'No alert fits this filter now.', this.#clearButton());
    return stateBox('No alerts.', 'Nothing that was reported is still going on.');
  }

  #clearButton(): HTMLElement {
    const clear = () =>
      this.#context.navigate({ ...ALL_ALERTS, silenced: this.#route.silenced, inhibited: this.#route.inhibited });
    return h('button', { type: 'button', onclick: clear }, 'Clear the filter');
  }

  #propose(): readonly string[] {
    this.#proposals ??= proposeFilters(this.#alerts?.values() ?? [], (name, value) =>
      formatMatcher(createMatcher(name, '=', value)),
    );
    return this.#proposals;
  }
}
