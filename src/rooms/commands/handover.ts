import type { AlertsClient } from '../alerts-client.ts';
import { readCard } from '../domain/card/alert-card.ts';
import { printMatcher } from '../domain/command/matcher.ts';
import type { Message } from '../domain/message/message.ts';
import { isAlertCard } from '../domain/message/reserved-message.ts';
import { accepted, type Outcome } from '../domain/refusal.ts';
import { onCallOf } from '../domain/room/duty.ts';
import { countAlerts, printAlerts, printEnd, summariseAlerts } from './alert-text.ts';
import { type CommandParts, type CommandRequest, cardOf, type SlashCommand } from './command.ts';
import { codeSpan } from './markdown.ts';

/** The last messages of the room, among which open threads are searched. */
const SEARCHED = 200;
const MAX_LISTED = 10;
const DONE: ReadonlySet<string> = new Set(['✅', '✔️', '☑️', ':white_check_mark:']);

export const handover: SlashCommand<null> = {
  name: 'handover',
  help: '/handover — open alerts, live silences and open threads; a ✅ on its first message closes a thread',
  hint: 'open alerts, live silences and open threads',
  read: () => accepted(null),
  async run(request, _args, parts) {
    const { posts, alertUsers, state, clock } = parts;
    const onCall = onCallOf(state, request.access.room.id, clock.now());
    const alerts = alertUsers.admit(request);
    const body = [
      `**On call**: ${onCall === undefined ? 'nobody' : `@${onCall}`}`,
      `**Alerts**: ${await orReason(alerts, printOpenAlerts)}`,
      `**Silences**: ${await orReason(alerts, printSilences)}`,
      `**Open threads**: ${await printThreads(request, parts)}`,
    ].join('\n\n');
    return posts.post(request, { body, card: { ...cardOf(request, 'handover'), title: 'Handover' } });
  },
};

/** A section, or why it cannot be shown: the others are still useful. */
async function orReason(
  alerts: Outcome<AlertsClient>,
  print: (alerts: AlertsClient) => Promise<Outcome<string>>,
): Promise<string> {
  const printed = alerts.ok ? await print(alerts.value) : alerts;
  return printed.ok ? printed.value : `not shown: ${printed.reason}`;
}

async function printOpenAlerts(alerts: AlertsClient): Promise<Outcome<string>> {
  const found = await alerts.alerts([], { onlyActive: true });
  if (!found.ok) return found;
  const list = summariseAlerts(found.value);
  return accepted(`${countAlerts(list.count)}\n${printAlerts(list)}`.trim());
}

async function printSilences(alerts: AlertsClient): Promise<Outcome<string>> {
  const found = await alerts.liveSilences();
  if (!found.ok) return found;
  const lines = found.value.slice(0, MAX_LISTED).map(({ matchers, endsAt, createdBy }) => {
    const words = codeSpan(matchers.map(printMatcher).join(', '), 300);
    return `- ${words} until ${printEnd(endsAt)}, by ${codeSpan(createdBy)}`;
  });
  return accepted(section(found.value.length, lines));
}

async function printThreads({ access }: CommandRequest, { store, permalink }: CommandParts): Promise<string> {
  const { room, afterSeq } = access;
  const { messages } = await store.page({ roomId: room.id, limit: SEARCHED, afterSeq });
  const open = messages.map(({ message }) => message).filter(isOpenThread);
  const lines = open.slice(-MAX_LISTED).map((root) => {
    const { thread, id, body } = root;
    const [first = ''] = body.split('\n');
    const replies = thread?.replies ?? 0;
    const count = `${replies} ${replies === 1 ? 'reply' : 'replies'}`;
    return `- ${codeSpan(first, 80)}: [${count}](${permalink(room, id)})`;
  });
  return section(open.length, lines);
}

function isOpenThread(message: Message): boolean {
  const { thread, deleted, type, card, reactions } = message;
  if (!thread || deleted || type === 'command' || reactions.some(({ emoji }) => DONE.has(emoji))) return false;
  return !isAlertCard(message) || readCard(card)?.state === 'firing';
}

function section(count: number, lines: readonly string[]): string {
  const rest = count > lines.length ? [`- and ${count - lines.length} more`] : [];
  return [count === 0 ? 'none' : String(count), ...lines, ...rest].join('\n');
}
