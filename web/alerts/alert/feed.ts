import type { Poller } from '../../shared/poller.ts';
import { nextTask } from '../../shared/task.ts';
import type { ApiError } from '../api.ts';
import { showFavicon } from '../news/favicon.ts';
import { News } from '../news/news.ts';
import type { PageContext } from '../page.ts';
import { pollAlways } from '../page.ts';
import { escapeRegExp, formatMatcher, parseMatchers } from '../parts/matcher-text.ts';
import type { AlertsRoute } from '../route.ts';
import { expectApiError } from '../states.ts';
import type { ListedAlert } from './model.ts';
import { mergeAlerts } from './model.ts';
import { rankOf, toneOf } from './severity.ts';

export interface FeedParts {
  /** Before an answer from the server is shown, in a task of its own. */
  prepare?(alerts: ReadonlyMap<string, ListedAlert>): void;
  /** The alerts of an answer, and its instant. */
  onAlerts(alerts: ReadonlyMap<string, ListedAlert>, at: number): void;
  onReceivers?(receivers: readonly string[]): void;
  onFailure(error: ApiError): void;
}

/** The alerts of a route, repeated also while the tab is hidden: its title and icon show their count, new critical ones are reported. */
export class AlertFeed {
  readonly #context: PageContext;
  readonly #parts: FeedParts;
  readonly #poller: Poller;
  readonly #news: News;
  #route: AlertsRoute;
  #answered = '';
  #receivers: readonly string[] | undefined;

  constructor(context: PageContext, route: AlertsRoute, parts: FeedParts) {
    this.#context = context;
    this.#route = route;
    this.#parts = parts;
    this.#news = new News(context.settings);
    this.#poller = pollAlways(context, (signal) => this.#load(signal));
  }

  /** Whether the last answer was one to the current route. */
  get isCurrent(): boolean {
    return this.#answered === this.#asked;
  }

  /** Loads another route, or the same again; the last answer is given at once if it was one to this route. */
  async follow(route: AlertsRoute): Promise<void> {
    this.#route = route;
    const { groups } = this.#context.memory;
    if (!this.isCurrent && groups?.asked === this.#asked) {
      this.#answered = groups.asked;
      this.#parts.onAlerts(mergeAlerts(groups.groups), groups.at);
    }
    await this.#poller.refresh();
  }

  async refresh(): Promise<void> {
    await this.#poller.refresh();
  }

  stop(): void {
    this.#poller.stop();
    showFavicon(0, 'neutral');
  }

  /** The part of the route that the server filters by; the page filters by the rest. */
  get #asked(): string {
    return JSON.stringify([this.#route.filter, this.#receiverPattern()]);
  }

  /** Links contain a receiver's name, or a regular expression as on Alertmanager's page. */
  #receiverPattern(): string {
    const { receiver } = this.#route;
    return this.#receivers?.includes(receiver) ? escapeRegExp(receiver) : receiver;
  }

  async #load(signal: AbortSignal): Promise<void> {
    const { api, memory, clock } = this.#context;
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
      // With thousands of alerts each of these steps is long: each gets a task of its own.
      await nextTask();
      const alerts = mergeAlerts(groups);
      await nextTask();
      if (signal.aborted) return;
      this.#parts.prepare?.(alerts);
      await nextTask();
      if (signal.aborted) return;
      memory.groups = { asked, groups, at: clock.now() };
      this.#answered = asked;
      this.#parts.onAlerts(alerts, clock.now());
      await nextTask();
      if (!signal.aborted) this.#signal([...alerts.values()]);
    } catch (error) {
      if (!signal.aborted) this.#parts.onFailure(expectApiError(error));
    }
  }

  #signal(alerts: readonly ListedAlert[]): void {
    this.#news.report(alerts);
    const active = alerts.filter(({ status }) => status.state === 'active');
    const worst = active.reduce((rank, { labels }) => Math.min(rank, rankOf(labels.severity)), Infinity);
    showFavicon(active.length, toneOf(active.find(({ labels }) => rankOf(labels.severity) === worst)?.labels.severity));
  }

  async #loadReceivers(signal: AbortSignal): Promise<void> {
    if (this.#receivers) return;
    const receivers = await this.#context.api.receivers(signal);
    this.#receivers = [...new Set(receivers.map(({ name }) => name))];
    this.#parts.onReceivers?.(this.#receivers);
  }
}
