import type { WireHit } from '../../../src/rooms/contract/search.ts';
import type { WireUser } from '../../../src/rooms/contract/user.ts';
import { h } from '../../shared/dom.ts';
import { icon } from '../../shared/icons.ts';
import { plainTextOf, summaryOf } from '../message/body.ts';
import { roomName } from '../room/name.ts';
import { avatar } from '../shell/avatar.ts';
import { timeAgo } from '../shell/time-text.ts';
import type { Ui } from '../shell/ui.ts';
import { t } from '../text/text.ts';
import { readSnippet } from './snippet.ts';

/** A row of the palette. */
export interface Choice {
  readonly content: readonly Node[];
  /** The palette stays open. */
  readonly staysOpen?: boolean;
  take(): void;
}

const MAX_ROOMS = 6;

/** The rooms whose names contain a text, unread ones first. */
export function roomChoices(query: string, { model, actions }: Ui): readonly Choice[] {
  const wanted = query.toLowerCase();
  return model.entries
    .filter(({ room }) => wanted === '' || room.name.toLowerCase().includes(wanted) || room.slug.includes(wanted))
    .sort((a, b) => b.unread - a.unread || (b.room.lastMessageAt ?? '').localeCompare(a.room.lastMessageAt ?? ''))
    .slice(0, MAX_ROOMS)
    .map(({ room, unread }) => ({
      take: () => actions.openRoom(room.id),
      content: [
        icon(room.visibility === 'public' ? 'hash' : room.visibility === 'private' ? 'lock' : 'person'),
        h('span', { class: 'palette-name' }, roomName(room, model.account)),
        h('span', { class: 'soft palette-hint' }, unread > 0 ? t('rail.unread', { n: unread }) : room.topic),
      ],
    }));
}

/** Opens the direct room with a user. */
export const personChoice = (user: WireUser, { actions }: Ui): Choice => ({
  take: () => actions.messageUser(user.id),
  content: [
    avatar(user, 'small'),
    h('span', { class: 'palette-name' }, user.name),
    h('span', { class: 'soft palette-hint' }, t('search.direct', { id: user.id })),
  ],
});

export function hitChoice(hit: WireHit, { model, actions, clock }: Ui): Choice {
  const { message } = hit;
  const room = model.entry(message.roomId)?.room;
  // The title of an alert's card stands for its text.
  const text = message.card?.kind === 'alert' ? summaryOf(message, 400) : plainTextOf(message);
  return {
    take: () => actions.showMessage(message.id, message.roomId),
    content: [
      avatar(message.author, 'small'),
      h(
        'span',
        { class: 'palette-hit' },
        h(
          'span',
          { class: 'palette-meta' },
          h('strong', {}, message.author.name),
          h(
            'span',
            { class: 'soft' },
            room ? `${roomName(room, model.account)}, ` : '',
            timeAgo(message.createdAt, clock.now()),
          ),
        ),
        h(
          'span',
          {},
          readSnippet(hit, text).map(({ text: piece, isHit }) => (isHit ? h('mark', {}, piece) : piece)),
        ),
      ),
    ],
  };
}
