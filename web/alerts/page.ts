import type { AlertGroup } from '../../src/alerts/contract/wire.ts';
import type { Clock } from '../shared/clock.ts';
import { Poller } from '../shared/poller.ts';
import { tabVisibility } from '../shared/tab-visibility.ts';
import type { Api } from './api.ts';
import type { Times } from './parts/times.ts';
import type { Route } from './route.ts';
import type { Settings } from './settings.ts';
import type { Shell } from './shell.ts';

/** What every page is handed. */
export interface PageContext {
  readonly api: Api;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly shell: Shell;
  readonly times: Times;
  /** What the alerts page last had, so that coming back to it shows something at once. */
  readonly memory: PageMemory;
  /** Follows a route; with `replace` the page that is left is not in the way of the browser's back button. */
  navigate(route: Route, options?: { readonly replace: boolean }): void;
  /** Goes back to where the person came from, or to the silences when this page was the first. */
  leave(): void;
}

export interface PageMemory {
  /** The answer to the question that `asked` spells out. */
  groups?: { readonly asked: string; readonly groups: readonly AlertGroup[]; readonly at: number };
  /** Groups that somebody opened or closed, by key. */
  readonly openGroups: Map<string, boolean>;
  /** Shown once by the silence's page, after it was saved. */
  notice?: string;
}

/** A page that stands in the main part of the document until another takes its place. */
export interface Page {
  readonly element: HTMLElement;
  /** Follows a link to the same kind of page; false when a new page has to be built. */
  follow(route: Route): boolean;
  /** Puts the focus where whoever has just come goes on; without it the heading gets it. */
  focus?(): void;
  /** Puts the focus where typing narrows the list down. */
  focusFilter?(): void;
  close(): void;
}

/** A poller for a page that somebody looks at, as often as the settings say. */
export function pollFor({ clock, settings }: PageContext, run: (signal: AbortSignal) => Promise<void>): Poller {
  return new Poller({ clock, visibility: tabVisibility, intervalMs: () => settings.values.refreshSeconds * 1000, run });
}
