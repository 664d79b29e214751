import type { CardPoll } from '../../domain/card/command-card.ts';
import { accepted, refuse } from '../../domain/refusal.ts';
import { refuseArguments, type SlashCommand } from '../command.ts';
import { pollMessage } from './poll.ts';

/** The argument: the number of the answer, from 1. */
export const vote: SlashCommand<number> = {
  name: 'vote',
  help: '/vote 1 — in the thread of a poll: your vote, which moves with the next one; the same one again takes it back',
  hint: 'in the thread of a poll: the number of your answer',
  read({ rest }) {
    const number = /^\d{1,2}$/.test(rest.trim()) ? Number(rest.trim()) : 0;
    return number > 0 ? accepted(number) : refuseArguments(vote, 'give the number of an answer');
  },
  async run(request, number, { posts }) {
    const found = (await posts.cardsOf(request)).find(({ card }) => card.poll);
    if (!found) return refuseArguments(vote, 'there is no poll here');
    const userId = request.caller.user.id;
    const voted = await posts.changeCard(found.message.id, (card) => {
      const { poll } = card;
      if (!poll || poll.closed) return refuse('invalid_body', 'the poll is closed');
      if (number > poll.options.length)
        return refuse('invalid_body', `the poll has ${poll.options.length} answers; take one of them`);
      return accepted(pollMessage({ ...card, poll: moveVote(poll, userId, number - 1) }));
    });
    return voted.ok ? accepted({ kind: 'changed', stored: voted.value }) : voted;
  },
};

/** One vote a user: an earlier one moves, and the same one is taken back. */
function moveVote(poll: CardPoll, userId: string, chosen: number): CardPoll {
  const options = poll.options.map(({ text, voters }, index) => {
    const others = voters.filter((voter) => voter !== userId);
    const votes = index === chosen && !voters.includes(userId);
    return { text, voters: votes ? [...others, userId] : others };
  });
  return { ...poll, options };
}
