/** The state of an alert and what suppresses it. */
export interface AlertStatus {
  readonly state: 'unprocessed' | 'active' | 'suppressed';
  /** Ids of active silences that match the alert. */
  readonly silencedBy: readonly string[];
  /** Fingerprints of alerts that inhibit it. */
  readonly inhibitedBy: readonly string[];
  /** Names of time intervals that mute its group. */
  readonly mutedBy: readonly string[];
}

/** The wanted states; each is a parameter of the API. */
export interface StateSelection {
  readonly active: boolean;
  readonly silenced: boolean;
  readonly inhibited: boolean;
  readonly unprocessed: boolean;
}

const NOBODY: readonly string[] = [];

/** The status of every alert that nothing suppresses. */
export const ACTIVE: AlertStatus = { state: 'active', silencedBy: NOBODY, inhibitedBy: NOBODY, mutedBy: NOBODY };

/** Suppressed when anything silences, inhibits or mutes the alert. */
export function statusOf(
  silencedBy: readonly string[] = NOBODY,
  inhibitedBy: readonly string[] = NOBODY,
  mutedBy: readonly string[] = NOBODY,
): AlertStatus {
  if (silencedBy.length + inhibitedBy.length + mutedBy.length === 0) return ACTIVE;
  return { state: 'suppressed', silencedBy, inhibitedBy, mutedBy };
}

export function isSelected(status: AlertStatus, selection: StateSelection): boolean {
  return (
    (selection.active || status.state !== 'active') &&
    (selection.unprocessed || status.state !== 'unprocessed') &&
    (selection.silenced || status.silencedBy.length === 0) &&
    (selection.inhibited || status.inhibitedBy.length === 0)
  );
}
