import { browserClock } from '../shared/clock.ts';
import { AlertsPage } from './alerts-page.ts';
import { Api } from './api.ts';
import { NotFoundPage } from './not-found-page.ts';
import type { Page, PageContext } from './page.ts';
import type { Route } from './route.ts';
import { formatHash, parseHash } from './route.ts';
import { Settings } from './settings.ts';
import { SettingsPage } from './settings-page.ts';
import { Shell } from './shell.ts';
import { SilenceFormPage } from './silence-form-page.ts';
import { SilencePage } from './silence-page.ts';
import { SilencesPage } from './silences-page.ts';
import { StatusPage } from './status-page.ts';
import { Times } from './times.ts';

/** Relative times are written again so often. */
const TICK_MS = 5000;

function createPage(context: PageContext, route: Route): Page {
  switch (route.page) {
    case 'alerts':
      return new AlertsPage(context, route);
    case 'silences':
      return new SilencesPage(context, route);
    case 'silence':
      return new SilencePage(context, route.id);
    case 'new-silence':
      return SilenceFormPage.forNew(context, route);
    case 'edit-silence':
      return SilenceFormPage.forSilence(context, route.id);
    case 'status':
      return new StatusPage(context);
    case 'settings':
      return new SettingsPage(context);
    case 'unknown':
      return new NotFoundPage();
  }
}

/** Storage that a browser forbids throws at the first touch already. */
function browserStorage(): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => {} };
  }
}

function isTyping(event: KeyboardEvent): boolean {
  return event.target instanceof Element && event.target.closest('input, select, textarea, dialog') !== null;
}

/** Reads the link, shows its page, and follows every link after that. */
function start(): void {
  const settings = new Settings(browserStorage());
  const shell = new Shell();
  const context: PageContext = {
    api: new Api(browserClock),
    clock: browserClock,
    settings,
    shell,
    times: new Times(browserClock, settings),
    memory: { openGroups: new Map() },
    navigate: (route) => {
      const hash = formatHash(route);
      if (hash === location.hash) show();
      else location.hash = hash;
    },
  };
  let page: Page | undefined;
  const show = () => {
    const route = parseHash(location.hash);
    shell.showRoute(route);
    if (page?.follow(route)) return;
    const first = page === undefined;
    page?.close();
    page = createPage(context, route);
    shell.main.replaceChildren(page.element);
    if (first) return;
    window.scrollTo(0, 0);
    page.element.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (event.key === '/' && page?.focusFilter) page.focusFilter();
    else if (event.key === 'n') location.hash = shell.newSilenceHash;
    else return;
    event.preventDefault();
  };
  shell.mount(document.body);
  show();
  window.addEventListener('hashchange', show);
  document.addEventListener('keydown', onKey);
  browserClock.every(TICK_MS, () => context.times.redraw(shell.main));
}

start();
