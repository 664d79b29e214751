import { accepted } from '../domain/refusal.ts';
import { cardOf, refuseArguments, type SlashCommand } from './command.ts';

/** The argument: the id of the silence. */
export const unsilence: SlashCommand<string> = {
  name: 'unsilence',
  help: '/unsilence <id> — ends a silence',
  hint: 'the id of a silence: ends it',
  read({ rest }) {
    const id = rest.trim();
    return /^[0-9A-Za-z-]{8,64}$/.test(id)
      ? accepted(id)
      : refuseArguments(unsilence, 'the id of the silence is missing or is none');
  },
  async run(request, id, { posts, cards, alertUsers }) {
    const alerts = alertUsers.admit(request);
    if (!alerts.ok) return alerts;
    const root = await posts.alertOf(request);
    const message = { body: `ended the silence ${id}`, card: cardOf(request, 'unsilence') };
    return posts.act(request, message, async () => {
      const ended = await alerts.value.unsilence(id);
      if (!ended.ok) return ended;
      if (root?.card.silence?.id === id)
        await cards.change(request.access.room.id, root.id, (current) => ({ ...current, silence: null }));
      return accepted(message);
    });
  },
};
