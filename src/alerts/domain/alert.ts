import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { isClassicLabelName, isUtf8LabelName } from './label-name.ts';
import { compareUtf8, createLabelSet, fingerprintOf, type LabelSet, printPairs } from './label-set.ts';
import { quoteGo } from './quote.ts';

/** An alert as the server holds it. Instants are epoch milliseconds. Immutable. */
export interface Alert {
  /** Of its labels. */
  readonly fingerprint: string;
  readonly labels: LabelSet;
  /** The annotations as a JSON object; only listings and notifications need them. */
  readonly annotationsJson: string;
  readonly generatorURL: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly updatedAt: number;
  /** The end was assumed, not posted: the alert resolves unless it is posted again. */
  readonly timeout: boolean;
}

/** An alert as posted. */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly generatorURL: string;
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
}

export interface AlertRules {
  /** How long an alert without an end fires after its last post. */
  readonly resolveTimeoutMs: number;
  /** Label names: any UTF-8, or letters, digits and underscores only. */
  readonly classicNames: boolean;
}

export function isResolvedAt(alert: Alert, now: number): boolean {
  return alert.endsAt <= now;
}

/** Validates a posted alert and completes its times. Source: Alertmanager api/v2 and types.Alert.Validate. */
export function acceptAlert(posted: PostedAlert, now: number, rules: AlertRules): Outcome<Alert> {
  const startsAt = posted.startsAt ?? posted.endsAt ?? now;
  const timeout = posted.endsAt === undefined;
  const endsAt = posted.endsAt ?? now + rules.resolveTimeoutMs;
  if (endsAt < startsAt) return refused('start time must be before end time');
  const labels = createLabelSet(posted.labels);
  if (labels.names.length === 0) return refused('at least one label pair required');
  const badLabel = findBadName(labels.names, rules);
  if (badLabel !== undefined) return refused(`invalid label set: invalid name ${quoteGo(badLabel)}`);
  const badAnnotation = findBadName(Object.keys(posted.annotations), rules);
  if (badAnnotation !== undefined) return refused(`invalid annotations: invalid name ${quoteGo(badAnnotation)}`);
  return accepted({
    fingerprint: fingerprintOf(labels),
    labels,
    annotationsJson: printAnnotations(posted.annotations),
    generatorURL: posted.generatorURL,
    startsAt,
    endsAt,
    updatedAt: now,
    timeout,
  });
}

function findBadName(names: readonly string[], rules: AlertRules): string | undefined {
  const isGood = rules.classicNames ? isClassicLabelName : isUtf8LabelName;
  return names.find((name) => !isGood(name));
}

/** Annotations as a JSON object, sorted by the UTF-8 bytes of their names. */
export function printAnnotations(annotations: Readonly<Record<string, string>>): string {
  const names = Object.keys(annotations);
  // As Prometheus sends them.
  if (isSorted(names)) return JSON.stringify(annotations);
  names.sort(compareUtf8);
  return printPairs(
    names,
    names.map((name) => annotations[name] as string),
  );
}

function isSorted(names: readonly string[]): boolean {
  for (let index = 1; index < names.length; index++) {
    if (compareUtf8(names[index - 1] as string, names[index] as string) > 0) return false;
  }
  return true;
}

/**
 * Merges the known alert with a newer post of it where their times overlap; otherwise the newer one replaces it.
 * Source: Alertmanager types.Alert.Merge and provider/mem.
 */
export function mergeAlerts(known: Alert, posted: Alert): Alert {
  const overlap =
    (posted.endsAt > known.startsAt && posted.endsAt < known.endsAt) ||
    (posted.startsAt > known.startsAt && posted.startsAt < known.endsAt);
  if (!overlap) return posted;
  return { ...posted, startsAt: Math.min(known.startsAt, posted.startsAt), endsAt: mergeEnds(known, posted) };
}

function mergeEnds(known: Alert, posted: Alert): number {
  const now = posted.updatedAt;
  const keepsKnown = isResolvedAt(posted, now) ? isResolvedAt(known, now) : !known.timeout;
  return keepsKnown ? Math.max(known.endsAt, posted.endsAt) : posted.endsAt;
}

/** Merges two versions of an alert that may have reached different nodes; the same in either order. */
export function joinVersions(a: Alert, b: Alert): Alert {
  return isOlder(a, b) ? mergeAlerts(a, b) : mergeAlerts(b, a);
}

function isOlder(a: Alert, b: Alert): boolean {
  const times = a.updatedAt - b.updatedAt || a.endsAt - b.endsAt || a.startsAt - b.startsAt;
  const difference = times || Number(a.timeout) - Number(b.timeout) || compareUtf8(contentOf(a), contentOf(b));
  return difference < 0;
}

/** As it is stored, since PostgreSQL compares versions too. */
function contentOf({ annotationsJson, generatorURL }: Alert): string {
  return annotationsJson + JSON.stringify(generatorURL);
}

/** Whether nothing differs but the time of the last post. */
export function isSameVersion(a: Alert, b: Alert): boolean {
  return (
    a.startsAt === b.startsAt &&
    a.endsAt === b.endsAt &&
    a.timeout === b.timeout &&
    a.annotationsJson === b.annotationsJson &&
    a.generatorURL === b.generatorURL
  );
}
