import type { Alert, Silence, SilenceState } from '../../../src/alerts/contract/wire.ts';
import { formatMatchers } from '../parts/matcher-text.ts';

/** The silences by state; each list keeps the server's order, by the next end or start. */
export function splitSilences(silences: readonly Silence[]): Readonly<Record<SilenceState, readonly Silence[]>> {
  const inState = (state: SilenceState) => silences.filter(({ status }) => status.state === state);
  return { active: inState('active'), pending: inState('pending'), expired: inState('expired') };
}

/** Whether matchers, comment, author and id of the silence contain all words, ignoring case. */
export function silenceHasWords(silence: Silence, words: string): boolean {
  const text = [formatMatchers(silence.matchers), silence.comment, silence.createdBy, silence.id]
    .join('\n')
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The number of alerts that each silence suppresses, by the silence's id. */
export function countSilenced(alerts: readonly Alert[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of alerts) {
    for (const id of status.silencedBy) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}
