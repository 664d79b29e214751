import { judgeBudget } from '../../src/dashboard/domain/budget.ts';
import type { AlertsSummary, FlagsSummary, RoomsSummary, Summary, UsageSummary } from '../../src/hub/contract.ts';
import { toneOf } from '../alerts/alert/severity.ts';
import type { TextKey } from './text.ts';

/** A number with its unit; the tone is its colour where it matters. */
export interface Figure {
  readonly value: number;
  readonly label: TextKey;
  /** `usd`: cents of a dollar; `percent`: a share of 1. */
  readonly unit?: 'usd' | 'percent';
  /** Named in the label, in cents. */
  readonly budget?: number;
  readonly tone?: 'critical' | 'warning' | 'info';
}

/** The numbers of a server in the order of their weight. */
export function figuresOf(summary: Summary): readonly Figure[] {
  switch (summary.kind) {
    case 'alerts':
      return alertFigures(summary);
    case 'relay':
      return flagFigures(summary);
    case 'dashboard':
      return usageFigures(summary);
    case 'rooms':
      return [
        ...mentionFigures(summary),
        { value: summary.firing, label: 'rooms.firing', ...(summary.firing > 0 && { tone: 'critical' }) },
        { value: summary.rooms, label: 'rooms.count' },
      ];
  }
}

function alertFigures({ severities, suppressed }: AlertsSummary): readonly Figure[] {
  const counts = { critical: 0, warning: 0, other: 0 };
  for (const [severity, count] of Object.entries(severities)) {
    const tone = toneOf(severity);
    counts[tone === 'critical' || tone === 'warning' ? tone : 'other'] += count;
  }
  return [
    { value: counts.critical, label: 'critical', ...(counts.critical > 0 && { tone: 'critical' }) },
    { value: counts.warning, label: 'warning', ...(counts.warning > 0 && { tone: 'warning' }) },
    { value: counts.other, label: 'other' },
    { value: suppressed, label: 'suppressed' },
  ];
}

function flagFigures({ flags, on }: FlagsSummary): readonly Figure[] {
  return [
    { value: flags, label: 'flags' },
    { value: on, label: 'on' },
  ];
}

const BUDGET_TONES = { warn: 'warning', over: 'critical' } as const;

function usageFigures({ month, budgetCents: budget }: UsageSummary): readonly Figure[] {
  if (!month) return [];
  const { level, share } = judgeBudget(month.spentCents, budget);
  const spent = { value: month.spentCents, unit: 'usd' } as const;
  if (share === undefined) return [{ ...spent, label: 'month' }];
  const tone = level === 'warn' || level === 'over' ? { tone: BUDGET_TONES[level] } : {};
  return [
    { ...spent, label: 'month.of', budget, ...tone },
    { value: share, unit: 'percent', label: 'month.share', ...tone },
  ];
}

/** Nobody is signed in: no figure, rather than a zero. */
function mentionFigures({ mentions }: RoomsSummary): readonly Figure[] {
  return mentions === null ? [] : [{ value: mentions, label: 'mentions', ...(mentions > 0 && { tone: 'info' }) }];
}
