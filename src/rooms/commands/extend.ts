import type { AlertsClient, KnownSilence } from '../alerts-client.ts';
import { MAX_LENGTH_MS, readLength, splitWords } from '../domain/command/arguments.ts';
import { printMatcher } from '../domain/command/matcher.ts';
import { readMoment } from '../domain/command/moment.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { printEnd } from './alert-text.ts';
import { type CommandMessage, type CommandRequest, cardOf, refuseArguments, type SlashCommand } from './command.ts';
import { changeSilenceCard, showForeignEnd, silenceIdOf } from './silence-card.ts';
import { isSilenceId } from './unsilence.ts';

interface ExtendArguments {
  /** Added to the end, in ms; or the new end, in epoch ms. */
  readonly by: { readonly ms: number } | { readonly until: number };
  /** `''`: the silence of the thread. */
  readonly id: string;
}

export const extend: SlashCommand<ExtendArguments> = {
  name: 'extend',
  help: '/extend 1h [id], /extend until 18:00 [id] — prolongs a silence: that of the thread, or the one with this id',
  hint: '1h or until 18:00: prolongs the silence of the thread, or the one with this id',
  read({ rest }, now) {
    const words = splitWords(rest);
    const length = readLength(words[0] ?? '');
    const moment = length === undefined ? readMoment(words, now) : undefined;
    if (moment === 'past' || length === 0 || (length ?? 0) > MAX_LENGTH_MS)
      return refuseArguments(extend, 'the end must lie ahead, by at most a year');
    if (length === undefined && moment === undefined)
      return refuseArguments(extend, 'say for how long: 30m, 1h, or until 18:00 (UTC)');
    const [id = '', ...more] = words.slice(moment?.words ?? 1);
    if (more.length > 0 || (id !== '' && !isSilenceId(id)))
      return refuseArguments(extend, 'this is not the id of a silence');
    return accepted({ by: moment ? { until: moment.at } : { ms: length ?? 0 }, id });
  },
  async run(request, { by, id: given }, { posts, cards, alertUsers, clock }) {
    const alerts = alertUsers.admit(request);
    if (!alerts.ok) return alerts;
    const id = given || (await silenceIdOf(request, posts));
    if (!id) return refuseArguments(extend, 'the id of the silence is missing');
    return posts.act(request, messageOf(request, id, clock.now()), async () => {
      const silence = await alerts.value.findSilenceById(id);
      if (!silence.ok) return silence;
      const endsAt = 'until' in by ? by.until : silence.value.endsAt + by.ms;
      const moved = await move(alerts.value, silence.value, endsAt, clock.now());
      if (!moved.ok) {
        await showForeignEnd(posts, alerts.value, id);
        return moved;
      }
      const next = { id: moved.value, endsAt: new Date(endsAt).toISOString() };
      await changeSilenceCard(posts, silence.value, (old) => ({ ...old, ...next }));
      const root = await posts.alertOf(request);
      if (root?.card.silence?.id === id)
        await cards.change(request.access.room.id, root.id, (card) => ({
          ...card,
          silence: card.silence && { ...card.silence, ...next },
        }));
      return accepted(messageOf(request, `of ${silence.value.matchers.map(printMatcher).join(', ')}`, endsAt));
    });
  },
};

async function move(
  alerts: AlertsClient,
  silence: KnownSilence,
  endsAt: number,
  now: number,
): Promise<Outcome<string>> {
  const { id, state } = silence;
  if (state === 'expired') return refuse('invalid_body', `the silence ${id} has ended already; make a new one`);
  if (endsAt <= silence.endsAt)
    return refuse('invalid_body', `the silence ${id} already lasts until ${printEnd(silence.endsAt)}`);
  if (endsAt > now + MAX_LENGTH_MS) return refuse('invalid_body', 'the end must lie at most a year ahead');
  return alerts.extend(silence, endsAt);
}

const messageOf = (request: CommandRequest, words: string, endsAt: number): CommandMessage => ({
  body: `extended the silence ${words} until ${printEnd(endsAt)}`,
  card: cardOf(request, 'extend'),
});
