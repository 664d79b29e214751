import { h } from '../../shared/dom.ts';
import { statePage } from '../../shared/shell/states.ts';
import { t } from '../text/text.ts';

interface NoRoomHooks {
  newRoom(): void;
  /** Shows the list of rooms, which a narrow window hides. */
  showAll(): void;
}

/** The page without an open room. `asked`: the unknown room of the address, or null where there are no rooms. */
export const noRoom = (asked: string | null, { newRoom, showAll }: NoRoomHooks): HTMLElement =>
  statePage(
    t(asked === null ? 'no-room' : 'no-room.unknown'),
    asked === null ? t('no-room.text') : t('room.unknown', { room: asked }),
    h('button', { type: 'button', class: 'back', onclick: showAll }, t('room.all')),
    h('button', { type: 'button', class: 'primary', onclick: newRoom }, t('rail.new-room')),
  );
