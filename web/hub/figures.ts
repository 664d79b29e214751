import type { AlertsSummary, FlagsSummary, Summary, UsageSummary } from '../../src/hub/contract.ts';
import { toneOf } from '../alerts/alert/severity.ts';
import type { TextKey } from './text.ts';

/** A number with its unit; the tone is its colour where it matters. */
export interface Figure {
  readonly value: number;
  readonly label: TextKey;
  /** `usd`: cents of a dollar. */
  readonly unit?: 'usd';
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
        { value: summary.rooms, label: 'rooms.count' },
        { value: summary.firing, label: 'rooms.firing', ...(summary.firing > 0 && { tone: 'critical' }) },
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

function usageFigures({ month }: UsageSummary): readonly Figure[] {
  if (!month) return [];
  return [
    { value: month.spentCents, label: 'month', unit: 'usd' },
    { value: month.requests, label: 'requests' },
  ];
}
