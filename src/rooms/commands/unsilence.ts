import { printMatcher } from '../domain/command/matcher.ts';
import { accepted } from '../domain/refusal.ts';
import { type CommandMessage, cardOf, refuseArguments, type SlashCommand } from './command.ts';
import { changeSilenceCard, showForeignEnd, silenceIdOf } from './silence-card.ts';

/** The argument: the id of the silence; `''` is that of the thread. */
export const unsilence: SlashCommand<string> = {
  name: 'unsilence',
  help: '/unsilence [id] — ends a silence: that of the thread, or the one with this id',
  hint: 'ends the silence of the thread, or the one with this id',
  read({ rest }) {
    const id = rest.trim();
    return id === '' || isSilenceId(id) ? accepted(id) : refuseArguments(unsilence, 'this is not the id of a silence');
  },
  async run(request, given, { posts, cards, alertUsers }) {
    const alerts = alertUsers.admit(request);
    if (!alerts.ok) return alerts;
    const id = given || (await silenceIdOf(request, posts));
    if (!id) return refuseArguments(unsilence, 'the id of the silence is missing');
    const root = await posts.alertOf(request);
    const messageOf = (words: string): CommandMessage => ({
      body: `ended the silence ${words}`,
      card: cardOf(request, 'unsilence'),
    });
    return posts.act(request, messageOf(id), async () => {
      const ended = await alerts.value.unsilence(id);
      if (!ended.ok) {
        await showForeignEnd(posts, alerts.value, id);
        return ended;
      }
      if (root?.card.silence?.id === id)
        await cards.change(request.access.room.id, root.id, (current) => ({ ...current, silence: null }));
      const endedBy = request.caller.user.id;
      const { matchers, comment } = ended.value;
      await changeSilenceCard(posts, { id, comment }, (silence) => ({ ...silence, endedBy }));
      return accepted(messageOf(matchers.length === 0 ? id : `of ${matchers.map(printMatcher).join(', ')}`));
    });
  },
};

export const isSilenceId = (word: string): boolean => /^[0-9A-Za-z-]{8,64}$/.test(word);
