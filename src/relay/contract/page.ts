import type { Flag } from '../domain/flag.ts';

// Answers of the page's API. Times are epoch milliseconds, and null for never; keys are masked.

/** A variation with its share; `variation` is null where no variation is served. */
export interface Share {
  readonly variation: number | null;
  /** Of the variation as JSON, shortened. */
  readonly value: string;
  /** 0 to 100. */
  readonly percent: number;
}

export interface FlagRow {
  readonly key: string;
  readonly on: boolean;
  /** Served without a matching target or rule. */
  readonly default: readonly Share[];
  readonly rules: number;
  /** Keys in all targets. */
  readonly targets: number;
  readonly version: number;
  /** Null: not since the first data. */
  readonly changedAt: number | null;
  readonly evaluations: number;
  readonly requestedAt: number | null;
}

/** GET /api/flags */
export interface FlagList {
  readonly environment: string;
  /** Changes with the data. */
  readonly revision: string;
  /** Start of the counts. */
  readonly since: number;
  readonly flags: readonly FlagRow[];
}

export interface VariationCount {
  /** Null: the default of the calling code. */
  readonly variation: number | null;
  readonly count: number;
}

/** Why a flag has no switch: its source, or `value`: a file has only its value. */
export type SwitchObstacle = 'launchdarkly' | 'archive' | 'sample' | 'value';

/** GET /api/flags/{key} */
export interface FlagDetails {
  readonly environment: string;
  readonly key: string;
  readonly flag: Flag;
  /** As received. */
  readonly json: string;
  readonly changedAt: number | null;
  readonly since: number;
  readonly counts: readonly VariationCount[];
  readonly requestedAt: number | null;
  /** The required values as JSON, shortened; null: unknown. In the order of the flag's prerequisites. */
  readonly required: readonly (string | null)[];
  /** Flags with this one as a prerequisite. */
  readonly dependents: readonly string[];
  /** Null: the flag can be switched. */
  readonly switchObstacle: SwitchObstacle | null;
}

/** POST /api/flags/{key}/switch. A conflict unless the flag still has this version. */
export interface SwitchRequest {
  readonly environment: string;
  readonly on: boolean;
  readonly version: number;
  readonly comment: string;
}

export interface SwitchAnswer {
  readonly file: string;
  /** The version that the relay serves now; null if it does not serve the change yet. */
  readonly version: number | null;
}

/** POST /api/try */
export interface TryRequest {
  readonly environment: string;
  readonly flag: string;
  readonly context: unknown;
}

export interface TryAnswer {
  readonly value: unknown;
  readonly variation: number | null;
  readonly reason: unknown;
  readonly prerequisites: readonly string[];
  /** The steps, as `opsdeck relay eval --explain` prints them. */
  readonly steps: readonly string[];
}

export type SourceKind = 'launchdarkly' | 'archive' | 'file' | 'sample';

/** The environment in GET /status. */
export interface EnvironmentState {
  readonly sdkKey: string | undefined;
  readonly mobileKey: string | undefined;
  readonly envId: string | undefined;
  readonly connectionStatus: {
    readonly state: 'INITIALIZING' | 'VALID' | 'INTERRUPTED' | 'OFF';
    readonly stateSince: number;
    readonly lastError:
      | { readonly kind: string; readonly time: number; readonly statusCode?: number | undefined }
      | undefined;
  };
  readonly dataStoreStatus: {
    readonly state: 'VALID' | 'INTERRUPTED';
    readonly database?: string;
    readonly dbServer?: string;
    readonly dbPrefix?: string;
    readonly dbTable?: string;
  };
  readonly bigSegmentStatus:
    | {
        readonly available?: boolean;
        readonly potentiallyStale: boolean;
        readonly lastSynchronizedOn: number;
      }
    | undefined;
}

export interface EnvironmentSummary {
  readonly name: string;
  /** For people: LaunchDarkly's names of the project and the environment, if known. */
  readonly title: string;
  readonly state: EnvironmentState['connectionStatus']['state'];
  readonly isConnected: boolean;
  readonly flags: number;
}

export interface DifferenceRow {
  /** Such as `rules[0].clauses[1].op`; empty for the whole item. */
  readonly path: string;
  /** JSON, shortened; null: none. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface ChangeRow {
  readonly id: number;
  readonly at: number;
  readonly kind: 'flags' | 'segments';
  readonly key: string;
  readonly what: 'added' | 'changed' | 'removed';
  readonly comment: string | null;
  readonly differences: readonly DifferenceRow[];
}

export interface ProblemRow {
  readonly at: number;
  readonly level: 'warn' | 'error';
  readonly text: string;
}

export interface SdkRow {
  readonly sdkKind: 'server' | 'mobile' | 'client';
  readonly name: string;
  readonly streams: number;
  readonly requests: number;
  readonly requestedAt: number | null;
}

export interface UnknownFlagRow {
  readonly key: string;
  readonly count: number;
  readonly requestedAt: number;
}

export interface EnvironmentActivity {
  readonly name: string;
  readonly source: SourceKind;
  /** A path, or the host of LaunchDarkly's streams. */
  readonly place: string;
  readonly status: EnvironmentState;
  readonly revision: string;
  /** Of the data; null: there are none yet. */
  readonly changedAt: number | null;
  readonly since: number;
  readonly flags: number;
  readonly segments: number;
  /** Open streams by kind; only kinds with clients. */
  readonly streams: Readonly<Record<string, number>>;
  /** Clients disconnected because they did not read. */
  readonly dropped: number;
  readonly sdks: readonly SdkRow[];
  /** Newest first. */
  readonly problems: readonly ProblemRow[];
  /** Newest first. */
  readonly changes: readonly ChangeRow[];
  readonly events: {
    readonly mode: 'off' | 'discard' | 'forward';
    readonly received: number;
    readonly sent: number;
    readonly failed: number;
    readonly dropped: number;
    readonly pending: number;
  };
  readonly evaluations: number;
  /** Requested flags that the environment does not have. */
  readonly unknownFlags: readonly UnknownFlagRow[];
  /** With `RELAY_URL` and `SDK_KEY` in place of the address and the key. */
  readonly examples: readonly { readonly title: string; readonly code: string }[];
}

/** GET /api/activity */
export interface ActivityReport {
  /** Of opsdeck. */
  readonly version: string;
  readonly environments: readonly EnvironmentSummary[];
  /** The environment of the request, otherwise the first one; null without any. */
  readonly environment: EnvironmentActivity | null;
}
