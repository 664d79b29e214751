import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import { h } from '../../shared/dom.ts';
import { summaryOf } from '../message/body.ts';
import type { RoomEntry } from '../room/entry.ts';

/** Announces new messages to screen readers: whole messages, not the pieces of one that is being written. */
export class Announcer {
  readonly element = h('p', { class: 'off-screen', 'aria-live': 'polite' });
  readonly #current: () => RoomEntry | undefined;
  readonly #writing = new Set<string>();

  /** `current`: the open room, the only one announced. */
  constructor(current: () => RoomEntry | undefined) {
    this.#current = current;
  }

  /** A message of another user has arrived. */
  arrived(entry: RoomEntry, message: WireMessage): void {
    if (message.status === 'streaming') this.#writing.add(message.id);
    else this.#say(entry, message);
  }

  /** Any message of an event or answer, in any version. */
  seen(entry: RoomEntry | undefined, message: WireMessage): void {
    if (entry && message.status !== 'streaming' && this.#writing.delete(message.id)) this.#say(entry, message);
  }

  #say(entry: RoomEntry, message: WireMessage): void {
    if (entry === this.#current()) this.element.textContent = `${message.author.name}: ${summaryOf(message, 300)}`;
  }
}
