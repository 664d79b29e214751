import type { AlertGroup } from './alert-group.ts';
import type { Alert } from './domain/alert.ts';
import type { AlertStatus } from './domain/alert-status.ts';
import type { Route } from './domain/route.ts';

/** Where the newest version of one alert is found; it stays the same object as long as the alert is held. */
export interface AlertSlot {
  /** Its place on disk. */
  readonly id: number;
  alert: Alert;
  /** Whether labels, annotations or generator are not yet on disk as they are. */
  hasNewContent: boolean;
  /** Resolved, and every group has told of it: nobody but the listing holds it any more. */
  isSettled: boolean;
  /** The routes that take it, and at the same place its group there, as long as that holds it. */
  membership?: { readonly routes: readonly Route[]; readonly groups: (AlertGroup | undefined)[] };
  /** Its own fingerprint, as what inhibits others. */
  asInhibitor?: readonly string[];
  /** How the alert was last listed. */
  printed?: PrintedAlert;
}

/** The text of an alert, with all that it was made of: it serves as long as these are the same. */
export interface PrintedAlert {
  readonly alert: Alert;
  readonly silencedBy: readonly string[];
  readonly inhibitedBy: readonly string[];
  readonly status: AlertStatus;
  readonly receiversJson: string;
  readonly text: string;
}
