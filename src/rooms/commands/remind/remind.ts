import { readMoment } from '../../domain/command/moment.ts';
import { keepReminder, type Reminder, remindersOf } from '../../domain/command/reminder.ts';
import { record } from '../../domain/record.ts';
import { accepted, refuse } from '../../domain/refusal.ts';
import { printEnd } from '../alert-text.ts';
import {
  type CommandParts,
  type CommandRequest,
  type CommandResult,
  cardOf,
  notice,
  refuseArguments,
  type SlashCommand,
} from '../command.ts';
import { codeSpan } from '../markdown.ts';

const MAX_TEXT = 1000;

type RemindArguments =
  | { readonly kind: 'new'; readonly at: number; readonly text: string }
  | { readonly kind: 'list' }
  | { readonly kind: 'cancel'; readonly id: string };

export const remind: SlashCommand<RemindArguments> = {
  name: 'remind',
  help: '/remind 30m text, /remind at 18:00 text, /remind tomorrow 8am text — mentions you here then; /remind lists yours',
  hint: '30m text, or at 18:00 text: mentions you here then',
  read({ rest }, now) {
    const words = rest.trim().split(/\s+/);
    const [first = '', id = ''] = words;
    if (first === '') return accepted({ kind: 'list' });
    if (first === 'cancel' && words.length === 2) return accepted({ kind: 'cancel', id });
    const moment = readMoment(words.slice(0, 3), now);
    if (moment === undefined) return refuseArguments(remind, 'say when: 30m, at 18:00 (UTC), tomorrow 8am');
    if (moment === 'past') return refuseArguments(remind, 'the time must lie ahead, by at most a year');
    const text = words.slice(moment.words).join(' ');
    if (text === '' || text.length > MAX_TEXT)
      return refuseArguments(remind, `say what of, in at most ${MAX_TEXT} characters`);
    return accepted({ kind: 'new', at: moment.at, text });
  },
  run(request, args, parts) {
    if (args.kind === 'cancel') return cancel(request, args.id, parts);
    return args.kind === 'list' ? list(request, parts) : keep(request, args, parts);
  },
};

/** The reminder is kept in the commit of its message. */
function keep(
  request: CommandRequest,
  { at, text }: { readonly at: number; readonly text: string },
  { posts }: CommandParts,
): Promise<CommandResult> {
  const { id, caller, access, post } = request;
  const userId = caller.user.id;
  const reminder: Reminder = { id, roomId: access.room.id, threadId: post.threadId ?? null, userId, text, at };
  const until = new Date(at).toISOString();
  const actions = [{ name: 'cancel', label: 'Cancel', line: `/remind cancel ${id}`, until }];
  // A code span mentions nobody: mentions belong to the message of the reminder.
  const body = `reminder for ${printEnd(at)}: ${codeSpan(text, MAX_TEXT)}`;
  const card = { ...cardOf(request, 'remind'), title: 'Reminder', actions };
  return posts.post(request, { body, card }, (view) => keepReminder(view, reminder));
}

function list({ caller, access }: CommandRequest, { state }: CommandParts): CommandResult {
  const found = remindersOf(state, access.room.id, caller.user.id);
  if (found.length === 0) return notice(`you have no reminders here. ${remind.help}`);
  return notice(found.map(({ id, at, text }) => `- ${printEnd(at)}: ${text} (\`/remind cancel ${id}\`)`).join('\n'));
}

async function cancel(
  { caller }: CommandRequest,
  id: string,
  { submit, posts, clock }: CommandParts,
): Promise<CommandResult> {
  const cancelled = await submit({
    decide(view) {
      const reminder = view.get('reminder', id);
      if (!reminder) return refuse('not_found', `there is no reminder ${id}; it was posted or cancelled before`);
      if (reminder.userId !== caller.user.id) return refuse('forbidden', 'only its user may cancel a reminder');
      return { ok: true, write: { records: [record('reminder', id, null)] }, answer: () => reminder };
    },
  });
  if (!cancelled.ok) return cancelled;
  const at = printEnd(clock.now());
  const changed = await posts.changeCard(id, (card, { body }) =>
    accepted({ body: `${body}\ncancelled ${at}`, card: { ...card, actions: [] } }),
  );
  return changed.ok ? accepted({ kind: 'changed', stored: changed.value }) : notice('the reminder is cancelled');
}
