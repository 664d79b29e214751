import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import { isClassicLabelName, isUtf8LabelName } from './label-name.ts';
import { createSilenceMatcher, type Matcher, matchesEmpty, sameMatcher } from './matcher/matcher.ts';
import { quoteGo } from './quote.ts';

export type SilenceState = 'pending' | 'active' | 'expired';

/** A silence as the server holds it. Instants are epoch milliseconds. Immutable. */
export interface Silence {
  readonly id: string;
  /** All must match an alert's labels. In the order of the post. */
  readonly matchers: readonly Matcher[];
  readonly startsAt: number;
  readonly endsAt: number;
  readonly updatedAt: number;
  readonly createdBy: string;
  readonly comment: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A matcher as posted; its regular expression is not validated. */
export interface PostedMatcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

export interface PostedSilence {
  readonly id: string;
  readonly matchers: readonly PostedMatcher[];
  /** Undefined: now. */
  readonly startsAt: number | undefined;
  readonly endsAt: number | undefined;
  readonly createdBy: string;
  readonly comment: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Expired from the millisecond of its end, so that a silence that was just expired reads as such. */
export function silenceStateAt(silence: Pick<Silence, 'startsAt' | 'endsAt'>, now: number): SilenceState {
  if (now < silence.startsAt) return 'pending';
  return now < silence.endsAt ? 'active' : 'expired';
}

/** Compiles and checks the matchers of a posted silence. Source: Alertmanager silence.validateSilence. */
export function acceptMatchers(posted: readonly PostedMatcher[], classicNames: boolean): Outcome<readonly Matcher[]> {
  const matchers: Matcher[] = [];
  const isGoodName = classicNames ? isClassicLabelName : isUtf8LabelName;
  for (const [index, { name, value, isRegex, isEqual }] of posted.entries()) {
    const place = `invalid silence: invalid label matcher ${index} in set 0`;
    if (!isGoodName(name)) return refused(`${place}: invalid label name ${quoteGo(name)}`);
    const matcher = createSilenceMatcher(name, isRegex ? (isEqual ? '=~' : '!~') : isEqual ? '=' : '!=', value);
    if (!matcher.ok) return refused(`${place}: invalid regular expression ${quoteGo(value)}: ${matcher.reason}`);
    matchers.push(matcher.value);
  }
  if (matchers.every(matchesEmpty)) {
    return refused('invalid silence: matcher set 0: at least one matcher must not match the empty string');
  }
  return accepted(matchers);
}

/** Whether a stored silence may be updated in place; otherwise the posted one becomes a new silence. */
export function canUpdate(
  known: Silence,
  matchers: readonly Matcher[],
  startsAt: number,
  endsAt: number,
  now: number,
): boolean {
  if (known.matchers.length !== matchers.length) return false;
  if (!known.matchers.every((matcher, index) => sameMatcher(matcher, matchers[index] as Matcher))) return false;
  switch (silenceStateAt(known, now)) {
    case 'active':
      return Math.floor(startsAt / 1000) === Math.floor(known.startsAt / 1000) && endsAt >= now;
    case 'pending':
      return startsAt >= now;
    case 'expired':
      return false;
  }
}

/** The silence with its end moved to now; an expired one stays as it is. */
export function expireSilence(silence: Silence, now: number): Silence {
  switch (silenceStateAt(silence, now)) {
    case 'active':
      return { ...silence, endsAt: now, updatedAt: now };
    case 'pending':
      return { ...silence, startsAt: now, endsAt: now, updatedAt: now };
    case 'expired':
      return silence;
  }
}

/** The silences to write for a post, the new one last. */
export interface SilenceDecision {
  readonly silence: Silence;
  /** The silence that the new one replaces, expired, when it could not be updated in place. */
  readonly replaced: Silence | undefined;
}

/**
 * Decides whether a posted silence is created, updates `known` in place, or replaces it under a new id. `matchers` are
 * the posted ones, accepted. Source: Alertmanager silence.Silences.Set.
 */
export function decideSilence(
  posted: PostedSilence & { readonly endsAt: number },
  matchers: readonly Matcher[],
  known: Silence | undefined,
  now: number,
  newId: string,
): SilenceDecision {
  const startsAt = posted.startsAt ?? now;
  const { endsAt, createdBy, comment, annotations } = posted;
  const content = { matchers, createdBy, comment, annotations, endsAt, updatedAt: now };
  if (known && canUpdate(known, matchers, startsAt, endsAt, now)) {
    return { silence: { id: known.id, ...content, startsAt }, replaced: undefined };
  }
  return {
    silence: { id: newId, ...content, startsAt: Math.max(startsAt, now) },
    replaced: known && silenceStateAt(known, now) !== 'expired' ? expireSilence(known, now) : undefined,
  };
}

const STATE_ORDER: Readonly<Record<SilenceState, number>> = { active: 0, pending: 1, expired: 2 };

/** Orders a listing: active by end, pending by start, expired by end with the latest first. */
export function compareSilences(a: Silence, b: Silence, now: number): number {
  const state = silenceStateAt(a, now);
  const order = STATE_ORDER[state] - STATE_ORDER[silenceStateAt(b, now)];
  if (order !== 0) return order;
  if (state === 'active') return a.endsAt - b.endsAt;
  return state === 'pending' ? a.startsAt - b.startsAt : b.endsAt - a.endsAt;
}
