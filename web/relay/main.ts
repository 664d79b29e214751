import { browserClock } from '../shared/clock.ts';
import { h } from '../shared/dom.ts';
import { type Language, readLanguage } from '../shared/language.ts';
import { Poller } from '../shared/poller.ts';
import { statePage } from '../shared/shell/states.ts';
import { tabVisibility } from '../shared/tab-visibility.ts';
import { Api, ApiError } from './api.ts';
import { ChangesSection } from './changes-section.ts';
import { ConnectSection } from './connect-section.ts';
import { FlagsSection } from './flag/section.ts';
import type { PageContext, Section, Shown } from './page.ts';
import { formatHash, parseHash, type Route } from './route.ts';
import { Shell } from './shell.ts';
import { signInForm } from './sign-in.ts';
import { StatusSection } from './status-section.ts';
import { Ui } from './ui.ts';

const REFRESH_MS = 2000;
const TICK_MS = 5000;

/** Shows the section of the address, and follows the relay. */
class Browser {
  readonly #api = new Api(browserClock);
  readonly #poller: Poller;
  #ui: Ui;
  #shell: Shell;
  #section: Section | undefined;
  #sectionName = '';
  #route: Route = parseHash('');
  #shown: Shown | undefined;
  #tag = '';
  #isSignedOut = false;

  constructor() {
    this.#ui = new Ui(readLanguage(), browserClock);
    this.#shell = this.#createShell();
    this.#poller = new Poller({
      clock: browserClock,
      visibility: tabVisibility,
      intervalMs: () => (this.#isSignedOut ? 0 : REFRESH_MS),
      run: (signal) => this.#load(signal),
    });
  }

  start(): void {
    this.#shell.mount(document.body);
    window.addEventListener('hashchange', () => this.#follow());
    document.addEventListener('keydown', (event) => this.#onKey(event));
    browserClock.every(TICK_MS, () => this.#ui.redrawTimes(this.#shell.main));
    this.#follow();
  }

  #createShell(): Shell {
    return new Shell(this.#ui, {
      onEnvironment: (environment) => {
        location.hash = formatHash({ ...this.#route, flag: undefined, environment });
      },
      onLanguage: (language) => this.#speak(language),
      onRetry: () => void this.#poller.refresh(),
    });
  }

  #speak(language: Language): void {
    const { skewMs } = this.#ui;
    this.#ui = new Ui(language, browserClock);
    this.#ui.skewMs = skewMs;
    this.#shell.close();
    this.#shell = this.#createShell();
    this.#shell.mount(document.body);
    this.#sectionName = '';
    this.#draw();
    this.#shell.focusLanguage();
  }

  #follow(): void {
    const before = this.#route.environment;
    this.#route = parseHash(location.hash);
    if (this.#route.environment !== before || !this.#shown) void this.#poller.refresh();
    this.#draw();
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { environment } = this.#route;
    // A tag holds for the environment that it came with.
    const tag =
      this.#shown && (environment ?? this.#shown.environment.name) === this.#shown.environment.name ? this.#tag : '';
    try {
      const answer = await this.#api.activity(environment, tag, signal);
      if (answer.at !== undefined) this.#ui.skewMs = answer.at - browserClock.now();
      this.#isSignedOut = false;
      this.#shell.showBanner(undefined);
      if (!answer.value) return;
      this.#tag = answer.tag;
      const report = answer.value;
      this.#shown = report.environment ? { report, environment: report.environment } : undefined;
      if (!this.#shown) this.#showNoEnvironment();
      else this.#draw();
    } catch (error) {
      if (!signal.aborted) this.#onFailure(error);
    }
  }

  #onFailure(error: unknown): void {
    const { t } = this.#ui;
    if (!(error instanceof ApiError)) throw error;
    if (error.kind === 'signed out') this.#askForToken();
    else if (error.kind === 'unreachable') this.#shell.showBanner(t(this.#shown ? 'unreachable' : 'unreachable.first'));
    else this.#shell.showBanner(t('failed', { reason: this.#ui.words(error.message) }));
  }

  #askForToken(wasTried = false): void {
    this.#isSignedOut = true;
    this.#sectionName = '';
    const form = signInForm(this.#ui.t, wasTried, (token) => {
      this.#api.signIn(token);
      this.#tag = '';
      void this.#signIn();
    });
    this.#shell.main.replaceChildren(form);
  }

  async #signIn(): Promise<void> {
    await this.#poller.refresh();
    if (this.#isSignedOut) this.#askForToken(true);
  }

  #showNoEnvironment(): void {
    const { t } = this.#ui;
    this.#sectionName = '';
    this.#shell.main.replaceChildren(statePage(t('no-environment'), t('no-environment.text')));
  }

  /** The environment was removed, or the address is wrong. */
  #showUnknown(): void {
    if (this.#sectionName === 'unknown environment') return;
    this.#sectionName = 'unknown environment';
    this.#section = undefined;
    const { t } = this.#ui;
    const back = h('a', { href: '#/flags' }, t('back'));
    this.#shell.main.replaceChildren(statePage(t('unknown-environment'), '', back));
  }

  #draw(): void {
    this.#shell.showRoute(this.#route);
    const shown = this.#shown;
    if (!shown || this.#isSignedOut) return;
    this.#shell.showEnvironments(shown.report.environments, shown.environment.name);
    const status = formatHash({ ...this.#route, section: 'status', flag: undefined });
    this.#shell.showCondition(shown.environment.status.connectionStatus.state, status);
    const { environment = shown.environment.name } = this.#route;
    if (!shown.report.environments.some(({ name }) => name === environment)) {
      this.#showUnknown();
      return;
    }
    // The answer of another environment is on its way.
    if (environment !== shown.environment.name) return;
    const name = `${this.#route.section} ${shown.environment.name}`;
    const isOther = name !== this.#sectionName;
    const isFirst = this.#sectionName === '';
    if (isOther) {
      this.#sectionName = name;
      this.#section = this.#createSection();
      this.#shell.main.replaceChildren(this.#section?.element ?? this.#notFound());
      window.scrollTo(0, 0);
    }
    this.#section?.update(shown, this.#route);
    if (isOther && !isFirst) this.#shell.main.querySelector('h1')?.focus({ preventScroll: true });
  }

  #createSection(): Section | undefined {
    const context: PageContext = {
      ui: this.#ui,
      api: this.#api,
      hashOf: (flag) => formatHash({ section: 'flags', flag, environment: this.#route.environment }),
      refresh: () => void this.#poller.refresh(),
      onFailure: (error) => this.#onFailure(error),
    };
    switch (this.#route.section) {
      case 'flags':
        return new FlagsSection(context);
      case 'changes':
        return new ChangesSection(context);
      case 'status':
        return new StatusSection(context);
      case 'connect':
        return new ConnectSection(context);
      case 'unknown':
        return undefined;
    }
  }

  #notFound(): HTMLElement {
    const { t } = this.#ui;
    return statePage(t('not-found'), t('not-found.text'), h('a', { href: '#/flags' }, t('back')));
  }

  #onKey(event: KeyboardEvent): void {
    const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
    if (!this.#section?.focusSearch) return;
    this.#section.focusSearch();
    event.preventDefault();
  }
}

new Browser().start();
