// The API on the wire, as types alone: what this server prints, its page and its terminal commands read. Instants are
// RFC 3339 texts. An older Alertmanager leaves some fields out; the terminal's schemas say which.

export type LabelSet = Readonly<Record<string, string>>;

export interface Matcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export interface Receiver {
  readonly name: string;
}

/** GET /alerts answers with an array of these. */
export interface Alert {
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  readonly fingerprint: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly updatedAt: string;
  /** Absent when it would be empty. */
  readonly generatorURL?: string;
  readonly receivers: readonly Receiver[];
  readonly status: {
    readonly state: 'active' | 'suppressed' | 'unprocessed';
    readonly silencedBy: readonly string[];
    readonly inhibitedBy: readonly string[];
    readonly mutedBy: readonly string[];
  };
}

/** GET /alerts/groups answers with an array of these. */
export interface AlertGroup {
  readonly labels: LabelSet;
  readonly receiver: Receiver;
  readonly routeLabels: LabelSet;
  readonly alerts: readonly Alert[];
}

/** POST /alerts takes an array of these. */
export interface PostableAlert {
  readonly labels: LabelSet;
  readonly annotations?: LabelSet;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly generatorURL?: string;
}

export type SilenceState = 'active' | 'pending' | 'expired';

/** POST /silences takes one; with an id it updates that silence. */
export interface PostableSilence {
  readonly id?: string;
  readonly matchers: readonly (Omit<Matcher, 'isEqual'> & { readonly isEqual?: boolean | null | undefined })[];
  readonly startsAt: string;
  readonly endsAt: string;
  readonly createdBy: string;
  readonly comment: string;
  readonly annotations?: LabelSet;
}

/** GET /silences answers with an array of these. */
export interface Silence {
  readonly id: string;
  readonly status: { readonly state: SilenceState };
  readonly updatedAt: string;
  readonly matchers: readonly Matcher[];
  readonly startsAt: string;
  readonly endsAt: string;
  readonly createdBy: string;
  readonly comment: string;
  /** Absent when there is none. */
  readonly annotations?: LabelSet;
}

/** POST /silences answers with it. */
export interface SilenceId {
  readonly silenceID: string;
}

/** A node of the cluster. */
export interface ClusterMember {
  readonly name: string;
  /** `host:port` */
  readonly address: string;
}

/** The program that answers; the names are Alertmanager's. */
export interface VersionInfo {
  readonly version: string;
  readonly revision: string;
  readonly branch: string;
  readonly buildUser: string;
  readonly buildDate: string;
  readonly goVersion: string;
}

/** GET /status */
export interface ServerStatus {
  /** Without a name when clustering is off. */
  readonly cluster: {
    readonly name?: string;
    readonly status: 'ready' | 'settling' | 'disabled';
    readonly peers: readonly ClusterMember[];
  };
  /** YAML */
  readonly config: { readonly original: string };
  /** The instant of the start. */
  readonly uptime: string;
  readonly versionInfo: VersionInfo;
}

/** GET /notifications answers with an array of these, newest first. opsdeck's own. */
export interface SentNotification {
  readonly id: number;
  readonly at: string;
  readonly receiver: string;
  readonly integration: string;
  /** Counted from 0 among the receiver's integrations of this kind. */
  readonly index: number;
  readonly result: 'sent' | 'failed';
  readonly groupKey: string;
  readonly groupLabels: LabelSet;
  readonly reason: string;
  readonly attempts: number;
  readonly durationMs: number;
  readonly firing: number;
  readonly resolved: number;
  /** The first of them; the numbers above count all. */
  readonly alerts: readonly {
    readonly fingerprint: string;
    readonly status: 'firing' | 'resolved';
    readonly labels: LabelSet;
  }[];
  /** Absent when it was sent. */
  readonly error?: string;
  /** The node that sent it; absent where there is only one. */
  readonly node?: string;
  /** The fields in which other words stood for a template that could not be rendered, and its errors; absent otherwise. */
  readonly templateError?: string;
}
