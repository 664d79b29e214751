import { browserClock } from '../shared/clock.ts';
import { nextTask } from '../shared/task.ts';
import { AlertsPage } from './alert/page.ts';
import { Api } from './api.ts';
import { watchConditions } from './conditions.ts';
import { HistoryPage } from './history/page.ts';
import { showKeys } from './key-dialog.ts';
import { actionOf } from './keys.ts';
import { NotFoundPage } from './not-found-page.ts';
import type { Page, PageContext } from './page.ts';
import { Times } from './parts/times.ts';
import type { Route } from './route.ts';
import { ALL_ALERTS, formatHash, parseHash } from './route.ts';
import { RoutingPage } from './routing/page.ts';
import { SettingsPage } from './settings/page.ts';
import type { SettingValues } from './settings/settings.ts';
import { Settings } from './settings/settings.ts';
import { Shell } from './shell.ts';
import { SilenceFormPage } from './silence/form-page.ts';
import { SilencesPage } from './silence/list-page.ts';
import { SilencePage } from './silence/page.ts';
import { StatusPage } from './status/page.ts';
import { t } from './text.ts';
import { WallPage } from './wall/page.ts';

/** The interval for updating relative times. */
const TICK_MS = 5000;

function createPage(context: PageContext, route: Route): Page {
  switch (route.page) {
    case 'alerts':
      return route.wall ? new WallPage(context, route) : new AlertsPage(context, route);
    case 'silences':
      return new SilencesPage(context, route);
    case 'silence':
      return new SilencePage(context, route.id);
    case 'new-silence':
      return SilenceFormPage.forNew(context, route);
    case 'edit-silence':
      return SilenceFormPage.forSilence(context, route.id);
    case 'history':
      return new HistoryPage(context, route);
    case 'routing':
      return new RoutingPage(context, route);
    case 'status':
      return new StatusPage(context);
    case 'settings':
      return new SettingsPage(context);
    case 'unknown':
      return new NotFoundPage();
  }
}

/** Forbidden storage throws at the first access. */
function browserStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}

const TYPING = 'input:not([type="checkbox"], [type="radio"]), select, textarea, dialog';

function isTyping(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest(TYPING) !== null;
}

/** The first view of an address without a hash: the wall for `?wall`, else the saved filter that is to begin with. */
function startHash({ filters, startFilter }: SettingValues): string | undefined {
  if (new URLSearchParams(location.search).has('wall')) return formatHash({ ...ALL_ALERTS, wall: true });
  return filters.find(({ name }) => name === startFilter)?.hash;
}

/** Shows the page of the URL's hash, and follows its changes. */
class Browser {
  readonly #context: PageContext;
  readonly #shell = new Shell();
  /** The scroll position of each page when it was left, by hash. */
  readonly #scrolled = new Map<string, number>();
  #page: Page | undefined;
  #hash = '';
  #shown = 0;

  constructor() {
    const settings = new Settings(browserStorage());
    this.#context = {
      api: new Api(browserClock, nextTask),
      clock: browserClock,
      settings,
      shell: this.#shell,
      times: new Times(browserClock, settings),
      memory: { openGroups: new Map(), expanded: new Set() },
      navigate: (route, options) => this.#navigate(formatHash(route), options?.replace === true),
      leave: () => {
        if (this.#shown > 1) history.back();
        else this.#navigate('#/silences', true);
      },
    };
  }

  async start(): Promise<void> {
    history.scrollRestoration = 'manual';
    this.#shell.mount(document.body);
    watchConditions(this.#context);
    // The header and the page are long tasks together.
    await nextTask();
    const start = startHash(this.#context.settings.values);
    if (start !== undefined && location.hash === '') history.replaceState(null, '', start);
    this.#show();
    window.addEventListener('hashchange', () => this.#show());
    document.addEventListener('keydown', (event) => this.#onKey(event));
    browserClock.every(TICK_MS, () => this.#context.times.redraw(this.#shell.main));
    await nextTask();
    // Creates the format of large numbers while the alerts are under way: with the first list it would be a long task.
    t('alert.some', { n: 1000 });
  }

  #navigate(hash: string, replace: boolean): void {
    if (hash === location.hash) this.#show();
    else if (replace) location.replace(hash);
    else location.hash = hash;
  }

  #show(): void {
    const route = parseHash(location.hash);
    // Before the first page, reading the position would only cause a layout.
    if (this.#page) this.#scrolled.set(this.#hash, window.scrollY);
    this.#hash = location.hash;
    this.#shown += 1;
    // A marked entry of the browser's history means that the page was visited before.
    const isReturn = history.state !== null;
    if (!isReturn) history.replaceState({ seen: true }, '');
    this.#shell.showRoute(route);
    if (this.#page?.follow(route)) return;
    const isFirst = this.#page === undefined;
    this.#page?.close();
    this.#page = createPage(this.#context, route);
    this.#shell.main.replaceChildren(this.#page.element);
    if (isFirst) return;
    window.scrollTo(0, isReturn ? (this.#scrolled.get(this.#hash) ?? 0) : 0);
    if (this.#page.focus) this.#page.focus();
    else this.#page.element.querySelector('h1')?.focus({ preventScroll: true });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    const action = actionOf(event.key);
    if (action === 'search' && this.#page?.focusFilter) this.#page.focusFilter();
    else if (action === 'new-silence') location.hash = this.#shell.newSilenceHash;
    else if (action === 'help') showKeys();
    else if (!this.#page?.press?.(event.key)) return;
    event.preventDefault();
  }
}

void new Browser().start();
