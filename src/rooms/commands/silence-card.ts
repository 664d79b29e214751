import type { AlertsClient } from '../alerts-client.ts';
import type { CommandCard } from '../domain/card/command-card.ts';
import { accepted, refuse } from '../domain/refusal.ts';
import { countAlerts, printEnd, printMatching } from './alert-text.ts';
import type { CommandMessage, CommandRequest } from './command.ts';
import type { CommandPosts } from './command-posts.ts';

type CardSilence = NonNullable<CommandCard['silence']>;

/** The message of a silence, with buttons to end and extend it. */
export function silenceMessage(card: CommandCard): CommandMessage {
  const { silence, alerts } = card;
  if (!silence) return { body: '', card };
  const { id, matchers, comment, endsAt, endedBy } = silence;
  const reason = comment === '' ? '' : `: ${comment}`;
  const head = `silenced ${matchers.join(', ')} until ${printEnd(Date.parse(endsAt))}${reason}`;
  const found = alerts ?? { count: 0, listed: [] };
  const matching = printMatching(found);
  if (endedBy !== undefined)
    return {
      body: `${head}\nmatches ${countAlerts(found.count)}; ended by ${endedBy}`,
      card: { ...card, actions: [] },
    };
  if (id === '') return { body: `${head}\n${matching}`, card };
  const actions = [
    { name: 'end', label: 'End', line: `/unsilence ${id}`, until: endsAt },
    { name: 'extend', label: 'Extend 1 h', line: `/extend 1h ${id}`, until: endsAt },
  ];
  return { body: `${head}\n${matching}; \`/unsilence ${id}\` ends it`, card: { ...card, actions } };
}

/** The id of the silence in whose thread a command is written, or to which it replies: of `/silence` or an alert. */
export async function silenceIdOf(request: CommandRequest, posts: CommandPosts): Promise<string | undefined> {
  const answered = await posts.cardsOf(request);
  const silence = answered.find(({ card }) => card.silence)?.card.silence;
  return silence?.id ?? (await posts.alertOf(request))?.card.silence?.id;
}

/** The permalink at the end of the comment of a silence that a command has made. */
const PERMALINK = /\/m\/([A-Za-z0-9_-]{8,64})$/;

/** Changes the message of a silence's command, if that can still be found. `comment`: of the silence. */
export async function changeSilenceCard(
  posts: CommandPosts,
  { id, comment }: { readonly id: string; readonly comment: string },
  change: (silence: CardSilence) => CardSilence,
): Promise<void> {
  const messageId = PERMALINK.exec(comment)?.[1];
  if (messageId === undefined) return;
  // The comment may name any message, so the card decides. The silence is changed already: a failure is ignored.
  await posts.changeCard(messageId, (card) =>
    card.silence?.id === id
      ? accepted(silenceMessage({ ...card, silence: change(card.silence) }))
      : refuse('not_found', `the message is not that of the silence ${id}`),
  );
}

/** Shows the end of a silence that was ended elsewhere, such as on the page of the alert server. */
export async function showForeignEnd(posts: CommandPosts, alerts: AlertsClient, id: string): Promise<void> {
  const known = await alerts.findSilenceById(id);
  if (!known.ok || known.value.state !== 'expired') return;
  const endsAt = new Date(known.value.endsAt).toISOString();
  await changeSilenceCard(posts, known.value, (silence) => ({ ...silence, endsAt }));
}
