import type { HttpContext } from '../../kernel/http/app.ts';
import type { CommandAnswer } from '../commands/command.ts';
import { COMMANDS } from '../commands/list.ts';
import type { SlashCommands } from '../commands/slash-commands.ts';
import type { WireCommands, WireNotice } from '../contract/command.ts';
import { readCommandCard } from '../domain/card/command-card.ts';
import type { Message } from '../domain/message/message.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import type { Messages } from '../messages/messages.ts';
import { answer, answerJson, answerOutcome, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface ActionRoutes {
  readonly guard: GuardParts;
  readonly messages: Messages;
  readonly commands: SlashCommands;
}

/** The buttons of an alert's card, and the command of each, given in the card's thread. */
const LINES: Readonly<Record<string, string>> = {
  ack: '/ack',
  unack: '/unack',
  'silence-1h': '/silence 1h',
  'silence-4h': '/silence 4h',
  'silence-1d': '/silence 1d',
  unsilence: '/unsilence',
  'extend-1h': '/extend 1h',
  'extend-4h': '/extend 4h',
};

/** The list of slash commands, and the buttons of cards. */
export function actionPaths(parts: ActionRoutes): Paths {
  const rules = { scope: 'write', limit: 'post', idempotent: true } as const;
  return {
    '/api/command': { GET: admit(parts.guard, { scope: 'read' }, (c) => answer(c, LIST)) },
    '/api/message/:id/action/:name': { POST: admit(parts.guard, rules, pressButton(parts)) },
  };
}

const LIST: WireCommands = { commands: COMMANDS.map(({ name, hint, help }) => ({ name, hint, help })) };

function pressButton({ guard, messages, commands }: ActionRoutes): CallerHandler {
  return async (c, caller) => {
    const found = await messages.find(caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const { id, roomId, threadId } = found.value.message;
    const body = lineOf(found.value.message, param(c, 'name'));
    if (!body.ok) return answerRefusal(c, body);
    const busy = guard.limits.takeRoom(caller, roomId);
    if (busy) return answerRefusal(c, busy);
    const place = threadId === null ? { threadId: id } : { threadId, replyTo: id };
    const done = await commands.handle(caller, { room: roomId, ...place, body: body.value });
    return done
      ? answerOutcome(c, done, (result) => answerCommand(c, result))
      : answerRefusal(c, refuse('not_found', `there is no action ${param(c, 'name')}`));
  };
}

/** The command line of a button. */
function lineOf({ id, type, card }: Message, name: string): Outcome<string> {
  if (type !== 'alert' && type !== 'command')
    return refuse('invalid_body', `the message ${id} is neither an alert nor a command`);
  const actions = type === 'command' ? (readCommandCard(card)?.actions ?? []) : [];
  const lines = type === 'alert' ? LINES : Object.fromEntries(actions.map((action) => [action.name, action.line]));
  const line = Object.hasOwn(lines, name) ? lines[name] : undefined;
  if (line !== undefined) return accepted(line);
  const names = Object.keys(lines).join(', ');
  return refuse(
    'not_found',
    `there is no action ${name}; ${names === '' ? 'the message has none' : `there are ${names}`}`,
  );
}

/** A message of the room, new or changed, or a notice for the sender alone, which is stored nowhere. */
export function answerCommand(c: HttpContext, result: CommandAnswer): Response {
  if (result.kind === 'notice') return answer(c, { notice: result.text, card: result.card } satisfies WireNotice);
  const stored = result.kind === 'changed' ? result.stored : result.posted.stored;
  const { id, version } = stored.message;
  const headers = { location: `/api/message/${id}`, etag: `"m${version}"` };
  if (result.kind === 'changed') return answerJson(c, stored.json, 200, headers);
  const { replayed } = result.posted;
  return replayed
    ? answerJson(c, stored.json, 200, { ...headers, 'idempotent-replay': 'true' })
    : answerJson(c, stored.json, 201, headers);
}
