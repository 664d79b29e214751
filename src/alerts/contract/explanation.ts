import type { LabelSet } from './wire.ts';

/** GET /explain: what happens to an alert. Instants are RFC 3339 texts, durations Prometheus'. */
export interface Explanation {
  readonly labels: LabelSet;
  readonly fingerprint: string;
  /** Null: the server has no such alert. */
  readonly alert: {
    readonly status: 'firing' | 'resolved';
    readonly startsAt: string;
    readonly endsAt: string;
    readonly updatedAt: string;
    readonly annotations: LabelSet;
  } | null;
  /** Ids of active silences. */
  readonly silencedBy: readonly string[];
  /** At most one: the first rule that inhibits it. `rule`: its name, or its place from 0. */
  readonly inhibitedBy: readonly { readonly fingerprint: string; readonly rule: string; readonly labels: LabelSet }[];
  readonly routes: readonly RouteExplanation[];
}

export interface RouteExplanation {
  /** Of the route in the routing tree. */
  readonly routeId: string;
  readonly receiver: string;
  /** The matchers of each route from the root down. */
  readonly path: readonly string[];
  readonly groupKey: string;
  readonly groupLabels: LabelSet;
  readonly groupWait: string;
  readonly groupInterval: string;
  readonly repeatInterval: string;
  /** Null: there is no such group now. */
  readonly group: { readonly alerts: number; readonly nextFlush: string } | null;
  /** Time intervals that mute the route now. */
  readonly mutedBy: readonly string[];
  /** What each integration would do if the group were flushed now; empty without a group. */
  readonly verdict: readonly IntegrationDecision[];
}

export interface IntegrationDecision {
  readonly integration: string;
  readonly index: number;
  readonly wouldSend: boolean;
  /** Empty when nothing would be sent. */
  readonly reason: string;
  readonly words: string;
}
