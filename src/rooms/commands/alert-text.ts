import type { CommandAlerts } from '../domain/card/command-card.ts';

/** An alert as listed by the alert server. */
interface FoundAlert {
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly state: string;
}

const MAX_LISTED = 10;
/** Leaves room for the card's other fields. */
const MAX_LISTED_BYTES = 16 * 1024;

/** The first of the found alerts that fit into a card. */
export function summariseAlerts(alerts: readonly FoundAlert[]): CommandAlerts {
  const listed: CommandAlerts['listed'][number][] = [];
  let bytes = 0;
  for (const { fingerprint, labels, annotations, startsAt, state } of alerts.slice(0, MAX_LISTED)) {
    const summary = (annotations.summary ?? '').slice(0, 200).toWellFormed();
    const alert = { fingerprint, labels, summary, startedAt: startsAt, state };
    bytes += Buffer.byteLength(JSON.stringify(alert));
    if (bytes > MAX_LISTED_BYTES) break;
    listed.push(alert);
  }
  return { count: alerts.length, listed };
}

/** `1 active alert`, `3 active alerts`. */
export const countAlerts = (count: number): string => `${count} active ${count === 1 ? 'alert' : 'alerts'}`;

/** What a silence matches: `matches 3 active alerts; newly silences 1`. */
export function printMatching({ count, newlySilenced = count }: CommandAlerts): string {
  return `matches ${countAlerts(count)}; newly silences ${newlySilenced}`;
}

/** An absolute, unambiguous time: `2030-01-02 09:00 UTC`. */
export const printEnd = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

export function printAlerts({ count, listed }: CommandAlerts): string {
  const lines = listed.map(({ labels, summary }) => {
    const { alertname = '', ...others } = labels;
    const rest = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return `- **${alertname}** ${rest.join(' ')}${summary === '' ? '' : `: ${summary}`}`;
  });
  if (count > listed.length) lines.push(`- and ${count - listed.length} more`);
  return lines.join('\n');
}
