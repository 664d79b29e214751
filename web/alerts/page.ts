import type { Clock } from '../shared/clock.ts';
import type { Alert, AlertGroup, Api } from './api.ts';
import type { Route } from './route.ts';
import type { Settings } from './settings.ts';
import type { Shell } from './shell.ts';
import type { Times } from './times.ts';

/** What every page is handed. */
export interface PageContext {
  readonly api: Api;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly shell: Shell;
  readonly times: Times;
  /** What the alerts page last had, so that coming back to it shows something at once. */
  readonly memory: PageMemory;
  navigate(route: Route): void;
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
  /** Puts the focus where typing narrows the list down. */
  focusFilter?(): void;
  close(): void;
}

/** Every alert of the groups once. */
export function alertsOf(groups: readonly AlertGroup[]): Map<string, Alert> {
  return new Map(groups.flatMap(({ alerts }) => alerts.map((alert) => [alert.fingerprint, alert])));
}
