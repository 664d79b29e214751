import type { ServerState } from '../kernel/deck/report.ts';

/** Counts of alerts that fire now. */
export interface AlertsSummary {
  readonly kind: 'alerts';
  /** Active alerts by the value of their label `severity`; '' without one. */
  readonly severities: Readonly<Record<string, number>>;
  /** Silenced and inhibited ones. */
  readonly suppressed: number;
  /** Integrations that have not accepted notifications; `since` is an RFC 3339 text. */
  readonly failing: readonly { readonly receiver: string; readonly groups: number; readonly since: string }[];
}

export interface FlagsSummary {
  readonly kind: 'relay';
  readonly flags: number;
  readonly on: number;
  /** The source of each environment. */
  readonly sources: readonly {
    readonly environment: string;
    readonly state: 'INITIALIZING' | 'VALID' | 'INTERRUPTED' | 'OFF';
  }[];
}

export interface UsageSummary {
  readonly kind: 'dashboard';
  /** This month of the project's CSV files, in the zone of the server; null without such files. */
  readonly month: { readonly spentCents: number; readonly requests: number } | null;
}

export interface RoomsSummary {
  readonly kind: 'rooms';
  readonly rooms: number;
  /** Rooms with alerts that fire. */
  readonly firing: number;
}

/** What the hub shows of a server. */
export type Summary = AlertsSummary | FlagsSummary | UsageSummary | RoomsSummary;

/** One server in the hub's `servers.json`. */
export interface HubEntry {
  readonly name: string;
  readonly title: string;
  readonly url: string;
  readonly state: ServerState;
  /** Null: it could not be determined. */
  readonly summary: Summary | null;
  /** A shell command that works as it stands. */
  readonly example: string;
}
