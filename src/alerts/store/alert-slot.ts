import type { Alert } from '../domain/alert.ts';
import type { AlertStatus } from '../domain/alert-status.ts';
import type { Route } from '../domain/route.ts';
import { forgetListed, type ListedText, type Page } from '../listing-pages/alert-pages.ts';
import type { AlertGroup } from './alert-group.ts';

/** Where the newest version of one alert is found; it stays the same object as long as the alert is held. */
export interface AlertSlot {
  /** Its place on disk. */
  readonly id: number;
  alert: Alert;
  /** Whether labels, annotations or generator are not yet on disk as they are. */
  hasNewContent: boolean;
  /** Resolved, and every group has told of it: nobody but the listing holds it any more. */
  isSettled: boolean;
  /** Somebody may have been told of it since it came, or since it was settled. */
  isAnnounced: boolean;
  /** That may have happened in a process which died before it could record so. */
  isInDoubt: boolean;
  /** The routes that take it, and at the same place its group there, as long as that holds it. */
  membership?: { readonly routes: readonly Route[]; readonly groups: (AlertGroup | undefined)[] };
  /** Its own fingerprint, as what inhibits others. */
  asInhibitor?: readonly string[];
  /** Where it stands among all alerts; undefined until somebody lists. */
  page?: Page<AlertSlot>;
  /** How it is listed; undefined when something in it has changed since. */
  listed?: ListedAlert | undefined;
}

/** The text of an alert, and what it says beside the alert itself. */
export interface ListedAlert extends ListedText {
  readonly status: AlertStatus;
  readonly receiversJson: string;
  /** Its text where its receivers are other ones, or in another order, as in its groups. */
  regrouped?: { readonly receiversJson: string; readonly bytes: Buffer };
}

/** Something in the alert has changed: it is printed anew when somebody lists it, and so are its groups. */
export function forgetAlert(slot: AlertSlot): void {
  forgetListed(slot);
  if (slot.membership) for (const group of slot.membership.groups) if (group) forgetListed<AlertGroup>(group);
}
