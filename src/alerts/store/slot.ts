import type { Alert } from '../domain/alert.ts';
import type { AlertStatus } from '../domain/alert-status.ts';
import type { Route } from '../domain/route.ts';
import { forgetListed, type ListedText, type Page } from '../listing-pages/alert-pages.ts';
import type { AlertGroup } from './group.ts';

/** Holds the newest version of one alert; the same object as long as the alert is stored. */
export interface AlertSlot {
  /** Its place on disk. */
  readonly id: number;
  alert: Alert;
  /** Whether labels, annotations or generator differ from those on disk. */
  hasNewContent: boolean;
  /** Resolved, and every group has notified of it: only the listing still needs it. */
  isSettled: boolean;
  /** A notification may have been sent since it was new, or since it was settled. */
  isAnnounced: boolean;
  /** That may have happened in a process that died before recording it. */
  isInDoubt: boolean;
  /** The routes that take it and, at the same index, its group there, as long as it is a member. */
  membership?: { readonly routes: readonly Route[]; readonly groups: (AlertGroup | undefined)[] };
  /** Its own fingerprint, as the `inhibitedBy` of others. */
  asInhibitor?: readonly string[];
  /** Its place among all alerts; undefined until the next listing. */
  page?: Page<AlertSlot>;
  /** Its listed text; undefined when it has changed since. */
  listed?: ListedAlert | undefined;
}

/** The text of an alert, and what it contains beside the alert itself. */
export interface ListedAlert extends ListedText {
  readonly status: AlertStatus;
  readonly receiversJson: string;
  /** Its text with other receivers, or in another order, as in its groups. */
  regrouped?: { readonly receiversJson: string; readonly bytes: Buffer };
}

/** The alert has changed: the next listing prints it and its groups again. */
export function forgetAlert(slot: AlertSlot): void {
  forgetListed(slot);
  if (slot.membership) for (const group of slot.membership.groups) if (group) forgetListed<AlertGroup>(group);
}
