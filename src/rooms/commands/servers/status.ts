import type { AlertsClient, ListedAlert } from '../../alerts-client.ts';
import { accepted, type Outcome } from '../../domain/refusal.ts';
import { onCallOf } from '../../domain/room/duty.ts';
import { countAlerts, printEnd } from '../alert-text.ts';
import { LIVE_MS } from '../alerts.ts';
import { type CommandMessage, type CommandParts, type CommandRequest, cardOf, type SlashCommand } from '../command.ts';
import { codeSpan } from '../markdown.ts';

const SEVERITIES = ['critical', 'warning', 'info'];

export const status: SlashCommand<null> = {
  name: 'status',
  help: '/status — alerts by severity, live silences and who is on call; updates itself for five minutes',
  hint: 'alerts by severity, live silences, who is on call',
  read: () => accepted(null),
  async run(request, _args, parts) {
    const { posts, lists, alertUsers, clock } = parts;
    const alerts = alertUsers.admit(request);
    if (!alerts.ok) return alerts;
    const untilAt = clock.now() + LIVE_MS;
    const read = () => readStatus(request, alerts.value, untilAt, parts);
    const now = await read();
    if (!now.ok) return now;
    const posted = await posts.post(request, now.value);
    if (posted.ok) lists.keep({ request, read, posted: now.value, untilAt });
    return posted;
  },
};

async function readStatus(
  request: CommandRequest,
  alerts: AlertsClient,
  untilAt: number,
  { state, clock }: CommandParts,
): Promise<Outcome<CommandMessage>> {
  const found = await alerts.alerts([], { onlyActive: false });
  if (!found.ok) return found;
  const silences = await alerts.liveSilences();
  if (!silences.ok) return silences;
  const active = found.value.filter((alert) => alert.state === 'active');
  const muted = found.value.filter((alert) => alert.state === 'suppressed').length;
  const [first] = silences.value;
  const next = first ? `, the next one ends ${printEnd(first.endsAt)}` : '';
  const onCall = onCallOf(state, request.access.room.id, clock.now());
  const lines = [
    `${countAlerts(active.length)}${bySeverity(active)}; ${muted} silenced or inhibited`,
    `- silences: ${silences.value.length}${next}`,
    // A code span: a repeated status mentions nobody.
    `- on call: ${onCall === undefined ? 'nobody' : codeSpan(`@${onCall}`)}`,
  ];
  const liveUntil = new Date(untilAt).toISOString();
  return accepted({ body: lines.join('\n'), card: { ...cardOf(request, 'status'), title: 'Status', liveUntil } });
}

/** `: 1 critical, 2 other`; empty without alerts. */
function bySeverity(alerts: readonly ListedAlert[]): string {
  const counts = new Map<string, number>();
  for (const { labels } of alerts) {
    const severity = SEVERITIES.find((known) => known === labels.severity) ?? 'other';
    counts.set(severity, (counts.get(severity) ?? 0) + 1);
  }
  const words = [...SEVERITIES, 'other']
    .filter((name) => counts.has(name))
    .map((name) => `${counts.get(name)} ${name}`);
  return words.length === 0 ? '' : `: ${words.join(', ')}`;
}
