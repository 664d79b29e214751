import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Offer } from '../../shared/shell/states.ts';
import type { Api } from '../api.ts';
import type { CommandList } from '../composer/command-list.ts';
import type { Topics } from '../rail/topics.ts';
import type { RoomsModel } from '../room/model.ts';

/** The actions of the user. */
export interface Actions {
  reply(message: WireMessage): void;
  openThread(id: string): void;
  edit(message: WireMessage): void;
  remove(message: WireMessage): void;
  react(message: WireMessage, emoji: string): void;
  pin(message: WireMessage): void;
  copyLink(message: WireMessage): void;
  press(message: WireMessage, action: string): void;
  askCopilot(message: WireMessage): void;
  stopRun(message: WireMessage): void;
  retryRun(message: WireMessage): void;
  showSaw(message: WireMessage): void;
  /** Shows a message of any room. */
  showMessage(id: string, roomId: string): void;
  openRoom(idOrSlug: string): void;
  /** Opens the direct room with a user. */
  messageUser(userId: string): void;
  retrySend(id: string): void;
  /** Moves a refused message back into the field. */
  editSend(id: string): void;
  discardSend(id: string): void;
  dropNote(id: string): void;
  fail(error: unknown): void;
  /** Shows a toast. */
  say(text: string, offer?: Offer): void;
}

/** Shared by all parts of the page. */
export interface Ui {
  readonly clock: Clock;
  readonly api: Api;
  readonly model: RoomsModel;
  readonly topics: Topics;
  readonly actions: Actions;
  readonly commands: CommandList;
}
