import { accepted } from '../domain/refusal.ts';
import { requireAsker } from '../domain/run/access.ts';
import { cardOf, refuseArguments, type SlashCommand } from './command.ts';

/** The copilot answers the message of the command when that is committed. */
export const ask: SlashCommand<string> = {
  name: 'ask',
  help: '/ask <question> — asks the copilot of the room, for all to see',
  hint: 'the copilot of the room, for all to see',
  read({ rest }) {
    const question = rest.trim();
    return question === '' ? refuseArguments(ask, 'the question is missing') : accepted(question);
  },
  run(request, question, { state, clock, posts }) {
    const refusal = requireAsker(state, request.caller, request.access, false, clock.now());
    return refusal ?? posts.post(request, { body: question, card: cardOf(request, 'ask') });
  },
};
