/** The colour class of a severity; its text is the label's value. */
export type Tone = 'critical' | 'warning' | 'info' | 'neutral';

const WORDS: Readonly<Record<Exclude<Tone, 'neutral'>, string>> = {
  critical: 'critical crit page pager emergency fatal disaster alert error high p0 p1 sev0 sev1',
  warning: 'warning warn major average medium minor ticket p2 p3 sev2 sev3',
  info: 'info information informational notice low p4 sev4',
};
const TONES = new Map(
  Object.entries(WORDS).flatMap(([tone, words]) => words.split(' ').map((word) => [word, tone as Tone])),
);

const RANKS: Readonly<Record<Tone, number>> = { critical: 0, warning: 1, info: 2, neutral: 3 };

export function toneOf(severity: string | undefined): Tone {
  return TONES.get(severity?.toLowerCase() ?? '') ?? 'neutral';
}

/** From 0, most severe, to 3, without a known severity. */
export function rankOf(severity: string | undefined): number {
  return RANKS[toneOf(severity)];
}
