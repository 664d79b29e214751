import type { Condition } from '../kernel/conditions.ts';
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
  /** What else the server cannot do. */
  readonly faults: readonly Condition[];
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
  /** This month of the project's CSV files and of assistants' logs, in the zone of the server; null without either. */
  readonly month: { readonly spentCents: number; readonly requests: number } | null;
  /** Whether usage is fetched live, which is not part of the month here. */
  readonly hasLive: boolean;
  /** Of a month; 0: none. */
  readonly budgetCents: number;
}

export interface RoomsSummary {
  readonly kind: 'rooms';
  readonly rooms: number;
  /** Rooms with alerts that fire. */
  readonly firing: number;
  /** Unread, of the user who asks; null if nobody is signed in. */
  readonly mentions: number | null;
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
