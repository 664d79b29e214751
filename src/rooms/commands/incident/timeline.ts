import type { CardIncident, CommandCard } from '../../domain/card/command-card.ts';
import { readCommandCard } from '../../domain/card/command-card.ts';
import type { Message } from '../../domain/message/message.ts';
import { accepted, type Outcome, refuse } from '../../domain/refusal.ts';
import type { Room } from '../../domain/room/room.ts';
import type { RoomStore } from '../../store/store.ts';
import { printEnd } from '../alert-text.ts';
import type { CommandMessage } from '../command.ts';
import { printLength } from '../markdown.ts';

/** The newest messages of an incident that its export holds. */
const MAX_MESSAGES = 5_000;
const PAGE = 200;

export interface FoundIncident {
  readonly messageId: string;
  readonly incident: CardIncident;
}

/** The incident of a room: its timeline is pinned there. */
export async function findIncident(store: Pick<RoomStore, 'messages'>, room: Room): Promise<Outcome<FoundIncident>> {
  for (const { message } of await store.messages(room.pinned)) {
    const incident = message.type === 'command' ? readCommandCard(message.card)?.incident : undefined;
    if (incident && !message.deleted) return accepted({ messageId: message.id, incident });
  }
  return refuse(
    'invalid_body',
    'no timeline of an incident is pinned in this room; /incident start makes a room for one',
  );
}

/** The pinned timeline. */
export function timelineMessage(card: CommandCard & { readonly incident: CardIncident }): CommandMessage {
  const { title, startedBy, startedAt, endedAt, notes } = card.incident;
  const lines = [
    `- ${printTime(startedAt)} started by ${startedBy}`,
    ...notes.map(({ at, by, text }) => `- ${printTime(at)} ${by}: ${text}`),
    ...(endedAt === undefined ? [] : [`- ${printTime(endedAt)} ended after ${lengthOf(startedAt, endedAt)}`]),
  ];
  const hint = endedAt === undefined ? '\n\n`/incident note …` adds a line, `/incident end` ends it' : '';
  const actions = endedAt === undefined ? [{ name: 'end', label: 'End the incident', line: '/incident end' }] : [];
  return { body: `**${title}**\n${lines.join('\n')}${hint}`, card: { ...card, title: 'Incident', actions } };
}

export const lengthOf = (startedAt: string, endedAt: string): string =>
  printLength(Date.parse(endedAt) - Date.parse(startedAt));

const printTime = (instant: string): string => printEnd(Date.parse(instant));

/** A post-mortem to be filled in, with all that was said as its timeline, in Markdown. */
export async function exportTimeline(
  store: Pick<RoomStore, 'page'>,
  room: Room,
  { title, startedBy, startedAt, endedAt = startedAt }: CardIncident,
): Promise<string> {
  const lines: string[] = [];
  let before: number | undefined;
  while (lines.length < MAX_MESSAGES) {
    const page = await store.page({ roomId: room.id, limit: PAGE, ...(before === undefined ? {} : { before }) });
    lines.unshift(...page.messages.flatMap(({ message }) => lineOf(message)));
    before = page.messages[0]?.message.seq;
    if (!page.hasBefore || before === undefined) break;
  }
  const facts = [
    `- Started: ${printTime(startedAt)} by ${startedBy}`,
    `- Ended: ${printTime(endedAt)}, after ${lengthOf(startedAt, endedAt)}`,
    `- Room: #${room.slug}`,
  ];
  const parts = ['Summary', 'Impact', 'Cause', 'What went well', 'What to change'].map((name) => `## ${name}\n\n…\n`);
  return [`# ${title}\n`, ...facts, '', ...parts, `## Timeline\n`, ...lines, ''].join('\n');
}

function lineOf({ deleted, body, author, createdAt, attachments }: Message): readonly string[] {
  if (deleted) return [];
  const text = [body.trimEnd(), ...attachments.map(({ name }) => `(file: ${name})`)].filter((part) => part !== '');
  // Continued lines are indented, so that they stay in their list item.
  return [`- **${printEnd(createdAt)}** ${author.name}: ${text.join(' ').replaceAll('\n', '\n  ')}`];
}
