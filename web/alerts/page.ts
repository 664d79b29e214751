import type { AlertGroup } from '../../src/alerts/contract/wire.ts';
import type { Clock } from '../shared/clock.ts';
import { Poller } from '../shared/poller.ts';
import { tabVisibility } from '../shared/tab-visibility.ts';
import type { Api } from './api.ts';
import type { Times } from './parts/times.ts';
import type { Route } from './route.ts';
import type { Settings } from './settings/settings.ts';
import type { Shell } from './shell.ts';

/** The context of every page. */
export interface PageContext {
  readonly api: Api;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly shell: Shell;
  readonly times: Times;
  /** The last data of the alerts page, shown at once on return. */
  readonly memory: PageMemory;
  /** Goes to a route; with `replace` the current page leaves the browser's history. */
  navigate(route: Route, options?: { readonly replace: boolean }): void;
  /** Goes back to the previous page, or to the silences when this page was the first. */
  leave(): void;
}

export interface PageMemory {
  /** The answer to the request `asked`. */
  groups?: { readonly asked: string; readonly groups: readonly AlertGroup[]; readonly at: number };
  /** Groups that the user opened or closed, by key. */
  readonly openGroups: Map<string, boolean>;
  /** Alerts that show their details, by fingerprint. */
  readonly expanded: Set<string>;
}

/** A page in the main part of the document. */
export interface Page {
  readonly element: HTMLElement;
  /** Shows another route of the same kind of page; false when a new page must be built. */
  follow(route: Route): boolean;
  /** Sets the initial focus; by default on the heading. */
  focus?(): void;
  /** Focuses the filter. */
  focusFilter?(): void;
  /** Does what the key means on this page; false when it means nothing. */
  press?(key: string): boolean;
  close(): void;
}

/** A poller for a visible page, with the interval of the settings. */
export function pollFor({ clock, settings }: PageContext, run: (signal: AbortSignal) => Promise<void>): Poller {
  return new Poller({ clock, visibility: tabVisibility, intervalMs: () => settings.values.refreshSeconds * 1000, run });
}

/** A poller that also runs while the tab is hidden. */
export function pollAlways({ clock, settings }: PageContext, run: (signal: AbortSignal) => Promise<void>): Poller {
  return new Poller({
    clock,
    visibility: { visible: () => true, watch: () => () => {} },
    intervalMs: () => settings.values.refreshSeconds * 1000,
    run,
  });
}
