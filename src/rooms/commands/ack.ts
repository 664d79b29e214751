import { accepted, refuse } from '../domain/refusal.ts';
import { type CommandParts, type CommandRequest, type CommandResult, cardOf, type SlashCommand } from './command.ts';

export const ack: SlashCommand<string> = {
  name: 'ack',
  help: '/ack [note] — in the thread of an alert: you have it',
  hint: 'in the thread of an alert: you have it',
  read: ({ rest }) => accepted(rest.trim()),
  run: (request, note, parts) => acknowledge(request, note, parts),
};

/** Marks the alert of the thread as taken by the caller; `null` removes the mark. */
export async function acknowledge(
  request: CommandRequest,
  note: string | null,
  { posts, cards, clock }: CommandParts,
): Promise<CommandResult> {
  const alert = await posts.alertOf(request);
  if (!alert) return refuse('invalid_body', `write it in the thread of an alert. ${ack.help}`);
  const at = new Date(clock.now()).toISOString();
  const acked = note === null ? null : { by: request.caller.user.id, at, note: note.slice(0, 500) };
  const body = note === null ? 'does not have it any more' : `has it${note === '' ? '' : `: ${note}`}`;
  const message = { body, card: cardOf(request, note === null ? 'unack' : 'ack') };
  return posts.act(request, message, async () => {
    const changed = await cards.change(request.access.room.id, alert.id, (card) => ({ ...card, acked }));
    return changed.ok ? accepted(message) : changed;
  });
}
