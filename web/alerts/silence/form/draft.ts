import type { LabelSet, Matcher, PostableSilence, Silence } from '../../../../src/alerts/contract/wire.ts';
import type { TextKey } from '../../text.ts';
import { recreatedAnnotations } from '../annotations.ts';

/**
 * The span of a silence. Without `startAt` it starts when it is saved; the end is an instant, or `forMs` after the start.
 */
export interface DraftSpan {
  readonly startAt?: number;
  readonly end: { readonly at: number } | { readonly forMs: number };
}

export interface SilenceDraft {
  readonly id?: string;
  readonly matchers: readonly Matcher[];
  readonly span: DraftSpan;
  readonly createdBy: string;
  readonly comment: string;
  readonly annotations?: LabelSet;
}

export type DraftField = 'matchers' | 'start' | 'end' | 'createdBy' | 'comment';

export interface DraftProblem {
  readonly field: DraftField;
  readonly text: TextKey;
}

export const DEFAULT_DURATION_MS = 2 * 3_600_000;

/** Instants of a span that is saved at `now`, in epoch milliseconds. */
export function resolveSpan({ startAt, end }: DraftSpan, now: number): { startAt: number; endAt: number } {
  const start = startAt ?? now;
  return { startAt: start, endAt: 'at' in end ? end.at : start + end.forMs };
}

/** Moves the start; the duration stays and the end follows. */
export function withStart(span: DraftSpan, startAt: number, now: number): DraftSpan {
  const before = resolveSpan(span, now);
  return { startAt, end: { forMs: Math.max(0, before.endAt - before.startAt) } };
}

/** Moves the end; the start stays and the duration follows. */
export function withEnd(span: DraftSpan, endAt: number): DraftSpan {
  return { ...span, end: { at: endAt } };
}

/** Sets the duration; the start stays and the end follows. */
export function withDuration(span: DraftSpan, forMs: number): DraftSpan {
  return { ...span, end: { forMs } };
}

/** A draft of the silence; for an expired one, of a new silence of the same length that starts when saved. */
export function draftOfSilence(silence: Silence): SilenceDraft {
  const startAt = Date.parse(silence.startsAt);
  const endAt = Date.parse(silence.endsAt);
  const { matchers, createdBy, comment } = silence;
  const isExpired = silence.status.state === 'expired';
  const annotations = isExpired ? recreatedAnnotations(silence) : silence.annotations;
  const same = { matchers, createdBy, comment, ...(annotations && { annotations }) };
  if (isExpired) return { ...same, span: { end: { forMs: Math.max(60_000, endAt - startAt) } } };
  return { ...same, id: silence.id, span: { startAt, end: { at: endAt } } };
}

/** The non-empty rows of the form. */
export function filledMatchers(matchers: readonly Matcher[]): Matcher[] {
  return matchers.filter(({ name, value }) => name.trim() !== '' || value !== '');
}

/** The problems of the draft, in the order of the form. */
export function findProblems(draft: SilenceDraft, now: number): DraftProblem[] {
  const problems: DraftProblem[] = [];
  const matchers = filledMatchers(draft.matchers);
  if (matchers.length === 0) problems.push({ field: 'matchers', text: 'silence.form.matchers.problem' });
  if (matchers.some(({ name }) => name.trim() === ''))
    problems.push({ field: 'matchers', text: 'silence.form.name.problem' });
  const { startAt, endAt } = resolveSpan(draft.span, now);
  if (endAt <= startAt) problems.push({ field: 'end', text: 'silence.form.end.problem' });
  else if (endAt <= now) problems.push({ field: 'end', text: 'silence.form.past.problem' });
  if (draft.createdBy.trim() === '') problems.push({ field: 'createdBy', text: 'silence.form.creator.problem' });
  if (draft.comment.trim() === '') problems.push({ field: 'comment', text: 'silence.form.comment.problem' });
  return problems;
}

/** The request to save the draft at `now`. */
export function postableOf(draft: SilenceDraft, now: number): PostableSilence {
  const { startAt, endAt } = resolveSpan(draft.span, now);
  return {
    ...(draft.id !== undefined && { id: draft.id }),
    matchers: filledMatchers(draft.matchers).map((matcher) => ({ ...matcher, name: matcher.name.trim() })),
    startsAt: new Date(startAt).toISOString(),
    endsAt: new Date(endAt).toISOString(),
    createdBy: draft.createdBy.trim(),
    comment: draft.comment.trim(),
    ...(draft.annotations && { annotations: draft.annotations }),
  };
}

/** Whether the server will answer with a new silence and expire the old one: other matchers, or another start. */
export function replacesSilence(draft: SilenceDraft, silence: Silence): boolean {
  if (draft.id === undefined) return false;
  if (draft.span.startAt !== undefined && draft.span.startAt !== Date.parse(silence.startsAt)) {
    // A pending silence may be moved in time; one that has begun may not.
    if (silence.status.state === 'active') return true;
  }
  const textOf = (matchers: readonly Matcher[]) =>
    JSON.stringify(
      filledMatchers(matchers).map(({ name, value, isRegex, isEqual }) => [name.trim(), value, isRegex, isEqual]),
    );
  return textOf(draft.matchers) !== textOf(silence.matchers);
}
