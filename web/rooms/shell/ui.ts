import type { Clock } from '../../shared/clock.ts';
import type { Api } from '../api.ts';
import type { Topics } from '../rail/topics.ts';
import type { RoomsModel } from '../room/model.ts';
import type { Message } from '../wire.ts';

/** What somebody can do to what he sees. */
export interface Actions {
  reply(message: Message): void;
  openThread(id: string): void;
  edit(message: Message): void;
  remove(message: Message): void;
  react(message: Message, emoji: string): void;
  pin(message: Message): void;
  copyLink(message: Message): void;
  press(message: Message, action: string): void;
  askCopilot(message: Message): void;
  stopRun(message: Message): void;
  retryRun(message: Message): void;
  showSaw(message: Message): void;
  /** Goes to a message, in whichever room it is. */
  showMessage(id: string, roomId: string): void;
  openRoom(idOrSlug: string): void;
  retrySend(id: string): void;
  discardSend(id: string): void;
  dropNote(id: string): void;
  fail(error: unknown): void;
  /** Says something in passing. */
  say(text: string): void;
}

/** What every part of the page stands on. */
export interface Ui {
  readonly clock: Clock;
  readonly api: Api;
  readonly model: RoomsModel;
  readonly topics: Topics;
  readonly actions: Actions;
}
