import type { Boot, SignInBoot } from '../../src/rooms/contract/boot.ts';
import type { WireNotice } from '../../src/rooms/contract/command.ts';
import type { WireMessage } from '../../src/rooms/contract/message.ts';
import type { Clock } from '../shared/clock.ts';
import { Api } from './api.ts';
import { outcomeOf } from './api-error.ts';
import { Outbox, type OutboxItem, type OutboxStorage } from './composer/outbox.ts';
import { newId } from './new-id.ts';
import type { RoomsModel } from './room/model.ts';

/** The API for a user; on a server without sign-in every request names the user. */
export const createApi = (clock: Clock, { auth, user }: Pick<Boot | SignInBoot, 'auth' | 'user'>): Api =>
  new Api(clock, auth === 'none' && user ? user.id : undefined);

export const freshId = (clock: Clock): string => newId(clock.now(), (bytes) => crypto.getRandomValues(bytes));

export interface SessionOutboxParts {
  readonly clock: Clock;
  readonly api: Api;
  readonly userId: string;
  readonly storage: OutboxStorage;
  readonly model: () => RoomsModel;
  readonly changed: () => void;
  readonly refused: (item: OutboxItem) => void;
}

/** The outbox that posts to the server of the page. */
export function createOutbox({ clock, api, userId, storage, model, changed, refused }: SessionOutboxParts): Outbox {
  const outbox: Outbox = new Outbox({
    clock,
    userId,
    storage,
    changed,
    refused,
    random: Math.random,
    async send(item) {
      try {
        const answer = await api.post(postOf(item));
        takeAnswer(answer, item, model(), outbox);
        return { kind: 'sent' };
      } catch (error) {
        return outcomeOf(error);
      }
    },
  });
  return outbox;
}

function postOf({ id, roomId, body, threadId, replyTo, attachments }: OutboxItem) {
  return {
    id,
    roomId,
    body,
    ...(threadId === null ? {} : { threadId }),
    ...(replyTo === null ? {} : { replyTo }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map((file) => file.id) }),
  };
}

function takeAnswer(answer: WireMessage | WireNotice, item: OutboxItem, model: RoomsModel, outbox: Outbox): void {
  if ('notice' in answer) {
    const entry = model.entry(item.roomId);
    if (entry) model.note(entry, answer.notice);
    outbox.confirm(item.id);
    return;
  }
  model.takeMessage(answer);
  // A vote changes another message than its own.
  if (answer.id !== item.id) outbox.confirm(item.id);
}
