import type { Alert } from './domain/alert.ts';
import type { AlertStatus } from './domain/alert-status.ts';

/** Where the newest version of one alert is found; it stays the same object as long as the alert is held. */
export interface AlertSlot {
  /** Its place on disk. */
  readonly id: number;
  alert: Alert;
  /** Whether labels, annotations or generator are not yet on disk as they are. */
  hasNewContent: boolean;
  /** How the alert was last listed. */
  printed?: PrintedAlert;
}

/** The text of an alert, with all that it was made of: it serves as long as these are the same. */
export interface PrintedAlert {
  readonly alert: Alert;
  readonly silencedBy: readonly string[];
  readonly status: AlertStatus;
  readonly receiversJson: string;
  readonly text: string;
}
