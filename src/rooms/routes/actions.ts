import type { HttpContext } from '../../kernel/http/app.ts';
import type { CommandAnswer } from '../commands/command.ts';
import { COMMANDS } from '../commands/list.ts';
import type { SlashCommands } from '../commands/slash-commands.ts';
import type { WireCommands, WireNotice } from '../contract/command.ts';
import { refuse } from '../domain/refusal.ts';
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

/** The buttons of a card, and the command of each, given in the card's thread. */
const LINES: Readonly<Record<string, string>> = {
  ack: '/ack',
  unack: '/unack',
  'silence-1h': '/silence 1h',
  'silence-4h': '/silence 4h',
  'silence-1d': '/silence 1d',
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
    const name = param(c, 'name');
    const body = Object.hasOwn(LINES, name) ? LINES[name] : undefined;
    if (body === undefined)
      return answerRefusal(
        c,
        refuse('not_found', `there is no action ${name}; there are ${Object.keys(LINES).join(', ')}`),
      );
    const found = await messages.find(caller, param(c, 'id'));
    if (!found.ok) return answerRefusal(c, found);
    const { id, roomId, type } = found.value.message;
    if (type !== 'alert') return answerRefusal(c, refuse('invalid_body', `the message ${id} is not an alert`));
    const busy = guard.limits.takeRoom(caller, roomId);
    if (busy) return answerRefusal(c, busy);
    const done = await commands.handle(caller, { room: roomId, threadId: id, body });
    return done
      ? answerOutcome(c, done, (result) => answerCommand(c, result))
      : answerRefusal(c, refuse('not_found', `there is no action ${name}`));
  };
}

/** A message for the room, or a notice for the sender alone, which is stored nowhere. */
export function answerCommand(c: HttpContext, result: CommandAnswer): Response {
  if (result.kind === 'notice') return answer(c, { notice: result.text, card: result.card } satisfies WireNotice);
  const { stored, replayed } = result.posted;
  const { id, version } = stored.message;
  const headers = { location: `/api/message/${id}`, etag: `"m${version}"` };
  return answerJson(
    c,
    stored.json,
    replayed ? 200 : 201,
    replayed ? { ...headers, 'idempotent-replay': 'true' } : headers,
  );
}
