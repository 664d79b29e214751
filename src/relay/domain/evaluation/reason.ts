export type BigSegmentsStatus = 'HEALTHY' | 'STALE' | 'NOT_CONFIGURED' | 'STORE_ERROR';

/** Why a flag has its value. Property order as in LaunchDarkly's SDKs. */
export interface Reason {
  readonly kind: 'OFF' | 'FALLTHROUGH' | 'TARGET_MATCH' | 'RULE_MATCH' | 'PREREQUISITE_FAILED' | 'ERROR';
  readonly ruleIndex?: number;
  readonly ruleId?: string;
  readonly inExperiment?: true;
  readonly prerequisiteKey?: string;
  readonly errorKind?: 'MALFORMED_FLAG';
  readonly bigSegmentsStatus?: BigSegmentsStatus;
}

export const OFF: Reason = { kind: 'OFF' };
export const FALLTHROUGH: Reason = { kind: 'FALLTHROUGH' };
export const TARGET_MATCH: Reason = { kind: 'TARGET_MATCH' };
export const MALFORMED_FLAG: Reason = { kind: 'ERROR', errorKind: 'MALFORMED_FLAG' };

/** Omits an empty id. */
export function ruleMatch(ruleIndex: number, ruleId: string): Reason {
  return { kind: 'RULE_MATCH', ruleIndex, ...(ruleId === '' ? {} : { ruleId }) };
}

export const prerequisiteFailed = (prerequisiteKey: string): Reason => ({
  kind: 'PREREQUISITE_FAILED',
  prerequisiteKey,
});

export const inExperiment = (reason: Reason): Reason => ({ ...reason, inExperiment: true });
