import { h, setText, syncChildren } from '../../shared/dom.ts';
import { AlertFeed } from '../alert/feed.ts';
import { listAlerts } from '../alert/list.ts';
import type { ListedAlert } from '../alert/model.ts';
import { searchFor } from '../alert/search.ts';
import { rankOf, toneOf } from '../alert/severity.ts';
import { severityCounts } from '../alert/severity-counts.ts';
import { titleOf } from '../alert/title.ts';
import { actionOf } from '../keys.ts';
import type { Page, PageContext } from '../page.ts';
import type { AlertsRoute, Route } from '../route.ts';
import { language, t } from '../text.ts';

/** Alerts that fit a wall in letters large enough for a room. */
const MAX_SHOWN = 14;
const CLOCK_MS = 1000;

/** The alerts for a wall: the newest of the worst severity first, in letters as large as they fit, without controls. */
export class WallPage implements Page {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #feed: AlertFeed;
  readonly #sum = h('h1', { tabindex: -1 }, t('alert.page'));
  readonly #counts = h('p', { class: 'wall-counts' });
  readonly #clock = h('p', { class: 'wall-clock' });
  readonly #state = h('p', { class: 'wall-state', role: 'status' });
  readonly #list = h('ul', { class: 'wall-alerts' });
  readonly #time = new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  readonly #stopClock: () => void;
  #rows = new Map<string, HTMLLIElement>();
  #route: AlertsRoute;

  constructor(context: PageContext, route: AlertsRoute) {
    this.#context = context;
    this.#route = route;
    const head = h('div', { class: 'wall-head' }, this.#sum, this.#counts, this.#state, this.#clock);
    this.element = h('div', { class: 'wall' }, head, this.#list);
    document.body.classList.add('on-wall');
    this.#stopClock = context.clock.every(CLOCK_MS, () => this.#tick());
    this.#tick();
    this.#feed = new AlertFeed(context, route, {
      onAlerts: (alerts) => this.#draw(alerts),
      onFailure: (error) => this.#showState(false, error.message),
    });
    void this.#feed.follow(route);
  }

  follow(route: Route): boolean {
    if (route.page !== 'alerts' || !route.wall) return false;
    this.#route = route;
    void this.#feed.follow(route);
    return true;
  }

  /** Escape leaves the wall. */
  press(key: string): boolean {
    if (actionOf(key) !== 'clear') return false;
    this.#context.navigate({ ...this.#route, wall: false });
    return true;
  }

  close(): void {
    document.body.classList.remove('on-wall');
    this.#stopClock();
    this.#feed.stop();
  }

  #tick(): void {
    setText(this.#clock, this.#time.format(this.#context.clock.now()));
  }

  #showState(isConnected: boolean, text: string): void {
    setText(this.#state, text);
    this.#state.dataset.state = isConnected ? 'connected' : 'lost';
  }

  #draw(every: ReadonlyMap<string, ListedAlert>): void {
    const { shown, severities, groups } = listAlerts(every, this.#route, 'severity', searchFor(this.#route.search));
    const text = shown === 0 ? t('alert.none') : t('alert.some', { n: shown });
    document.title = `${text} · opsdeck`;
    setText(this.#sum, text);
    this.#counts.replaceChildren(...severityCounts(severities));
    this.#showState(true, t('wall.connected'));
    const alerts = groups.flatMap((group) => group.alerts).sort(worstAndNewest);
    const before = this.#rows;
    this.#rows = new Map();
    for (const alert of alerts.slice(0, MAX_SHOWN)) {
      const key = JSON.stringify([alert.fingerprint, titleOf(alert), alert.startsAt]);
      this.#rows.set(key, before.get(key) ?? this.#row(alert));
    }
    const rest = shown - this.#rows.size;
    const more = rest > 0 ? [h('li', { class: 'wall-more' }, t('wall.more', { n: rest }))] : [];
    syncChildren(this.#list, [...this.#rows.values(), ...more]);
    this.element.style.setProperty('--rows', String(Math.max(4, this.#rows.size + more.length)));
  }

  #row(alert: ListedAlert): HTMLLIElement {
    const { alertname, severity, ...others } = alert.labels;
    const labels = Object.values(others).join(' · ');
    const tone = toneOf(severity);
    return h(
      'li',
      { 'data-tone': tone },
      h('p', { class: 'wall-title' }, titleOf(alert)),
      h('p', { class: 'wall-labels' }, [severity, alertname, labels].filter(Boolean).join(' · ')),
      h('p', { class: 'wall-age' }, this.#context.times.element(alert.startsAt, 'age')),
    );
  }
}

function worstAndNewest(a: ListedAlert, b: ListedAlert): number {
  return rankOf(a.labels.severity) - rankOf(b.labels.severity) || Date.parse(b.startsAt) - Date.parse(a.startsAt);
}
