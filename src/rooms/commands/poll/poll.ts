import type { CardPoll, CommandCard } from '../../domain/card/command-card.ts';
import { splitWords } from '../../domain/command/arguments.ts';
import { accepted, refuse } from '../../domain/refusal.ts';
import { type CommandMessage, cardOf, refuseArguments, type SlashCommand } from '../command.ts';

const MAX_OPTIONS = 10;
const MAX_TEXT = 200;

interface NewPoll {
  readonly question: string;
  readonly options: readonly string[];
}

/** The argument: a new poll; `end` closes that of the thread. */
export const poll: SlashCommand<NewPoll | 'end'> = {
  name: 'poll',
  help: '/poll "question" pizza "fish and chips" — asks everybody; without answers yes and no; /poll end in its thread',
  hint: '"question" pizza "fish and chips": asks everybody',
  read({ rest }) {
    const words = splitWords(rest.replace(/[\u201c\u201d\u201e]/g, '"')).map(unquote);
    const [question = '', ...given] = words.filter((word) => word !== '');
    if (question === 'end' && given.length === 0) return accepted('end');
    const options = given.length === 0 ? ['Yes', 'No'] : given;
    if (question === '') return refuseArguments(poll, 'the question is missing');
    if (options.length < 2 || options.length > MAX_OPTIONS || new Set(options).size < options.length)
      return refuseArguments(poll, `give 2 to ${MAX_OPTIONS} different answers, those of several words in quotes`);
    if (words.some((word) => [...word].length > MAX_TEXT))
      return refuseArguments(poll, `the question and each answer have at most ${MAX_TEXT} characters`);
    return accepted({ question, options });
  },
  async run(request, asked, { posts }) {
    if (asked !== 'end') {
      const options = asked.options.map((text) => ({ text, voters: [] }));
      const open: CardPoll = { question: asked.question, options, closed: false };
      return posts.post(request, pollMessage({ ...cardOf(request, 'poll'), poll: open }));
    }
    const found = (await posts.cardsOf(request)).find(({ card }) => card.poll);
    if (!found) return refuseArguments(poll, 'write /poll end in the thread of a poll');
    const { caller, access } = request;
    if (found.message.author.id !== caller.user.id && !access.isModerator)
      return refuse('forbidden', 'only its author, and admins and owners of the room, may end a poll');
    const ended = await posts.changeCard(found.message.id, (card) =>
      accepted(card.poll ? pollMessage({ ...card, poll: { ...card.poll, closed: true } }) : { body: '', card }),
    );
    return ended.ok ? accepted({ kind: 'changed', stored: ended.value }) : ended;
  },
};

const unquote = (word: string): string =>
  word.startsWith('"') ? word.replace(/^"|"$/g, '').replace(/\\(.)/g, '$1').trim() : word;

/** The message of a poll, with a button for each answer. */
export function pollMessage(card: CommandCard & { readonly poll: CardPoll }): CommandMessage {
  const { question, options, closed } = card.poll;
  const lines = options.map(({ text, voters }, index) => {
    const names = voters.length === 0 ? '' : ` (${voters.join(', ')})`;
    return `${index + 1}. ${text}: ${voters.length}${names}`;
  });
  const votes = options.map(({ text }, index) => ({
    name: `vote-${index + 1}`,
    label: text,
    line: `/vote ${index + 1}`,
  }));
  const actions = closed ? [] : [...votes, { name: 'end', label: 'Close', line: '/poll end' }];
  const end = closed ? 'closed' : '`/vote 1` in its thread votes';
  return { body: [`**${question}**`, ...lines, '', end].join('\n'), card: { ...card, title: 'Poll', actions } };
}
