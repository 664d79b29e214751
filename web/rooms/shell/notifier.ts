import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { LiveLink } from '../live/live-link.ts';
import { summaryOf } from '../message/body.ts';
import type { RoomEntry } from '../room/entry.ts';
import type { RoomsModel } from '../room/model.ts';
import { roomName } from '../room/name.ts';
import { addressOf } from '../root.ts';
import { t } from '../text/text.ts';
import { wantsNotification } from './notification-rule.ts';

const ICON = (badge: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2557a7"/><path d="M8 10.5A2.5 2.5 0 0 1 10.5 8h11a2.5 2.5 0 0 1 2.5 2.5v7a2.5 2.5 0 0 1-2.5 2.5H15l-4.5 4v-4A2.5 2.5 0 0 1 8 17.5z" fill="#fff"/>${badge}</svg>`)}`;
const BADGES = {
  none: addressOf('/favicon.svg'),
  unread: ICON('<circle cx="25" cy="7" r="6" fill="#8d949c"/>'),
  mention: ICON('<circle cx="25" cy="7" r="7" fill="#d6372b"/>'),
};

/** Shows unread counts in the title and icon of the tab, and sends the notifications that the user wants. */
export class Notifier {
  readonly #model: RoomsModel;
  readonly #link: Pick<LiveLink, 'isLeader'>;
  readonly #open: (message: WireMessage) => void;
  #badge: keyof typeof BADGES = 'none';

  constructor(model: RoomsModel, link: Pick<LiveLink, 'isLeader'>, open: (message: WireMessage) => void) {
    this.#model = model;
    this.#link = link;
    this.#open = open;
  }

  /** Redraws title and icon. */
  draw(): void {
    const heard = this.#model.entries.filter(
      ({ me }) => me && me.involvement !== 'nothing' && me.involvement !== 'invisible',
    );
    const mentions = heard.reduce((sum, entry) => sum + entry.mentions, 0);
    const isUnread = heard.some(({ unread }) => unread > 0);
    const { current, account } = this.#model;
    const name = current && roomName(current.room, account);
    const title = `${name ? `${name} · ` : ''}opsdeck rooms`;
    document.title = mentions > 0 ? `(${mentions}) ${title}` : isUnread ? `\u2022 ${title}` : title;
    const badge = mentions > 0 ? 'mention' : isUnread ? 'unread' : 'none';
    if (badge === this.#badge) return;
    this.#badge = badge;
    document.querySelector('link[rel="icon"]')?.setAttribute('href', BADGES[badge]);
  }

  /** A message of another user has arrived. */
  arrived(entry: RoomEntry, message: WireMessage, now: number): void {
    if (!this.#link.isLeader || !('Notification' in window) || Notification.permission !== 'granted') return;
    if (document.hasFocus() && this.#model.current === entry) return;
    if (!wantsNotification(entry, message, this.#model.account.id, now)) return;
    const note = new Notification(
      t('me.notification', { name: message.author.name, room: roomName(entry.room, this.#model.account) }),
      {
        body: summaryOf(message),
        tag: message.id,
      },
    );
    note.onclick = () => {
      window.focus();
      this.#open(message);
      note.close();
    };
  }
}
