import type { Clock } from '../../kernel/clock.ts';
import { commandJson } from '../domain/card/command-card.ts';
import type { Outcome } from '../domain/refusal.ts';
import type { Messages } from '../messages/messages.ts';
import type { AlertUsers } from './alert-users.ts';
import type { CommandMessage, CommandRequest } from './command.ts';

const LOOK_EVERY_MS = 15_000;

export interface LiveAlertListsParts {
  readonly messages: Pick<Messages, 'find' | 'rewrite'>;
  readonly users: AlertUsers;
  readonly clock: Clock;
}

export interface LiveAlertList {
  readonly request: CommandRequest;
  /** Asks the alert server. */
  readonly read: () => Promise<Outcome<CommandMessage>>;
  /** As it was posted. */
  readonly posted: CommandMessage;
  readonly untilAt: number;
}

/** Posted lists of alerts, and the like, that are kept up to date for a while. */
export class LiveAlertLists {
  readonly #parts: LiveAlertListsParts;
  readonly #live = new Set<() => void>();

  constructor(parts: LiveAlertListsParts) {
    this.#parts = parts;
  }

  close(): void {
    for (const stop of this.#live) stop();
  }

  keep({ request, read, posted, untilAt }: LiveAlertList): void {
    const { clock, messages } = this.#parts;
    const { id, access, caller } = request;
    const target = { id, roomId: access.room.id, type: 'command', authorId: caller.user.id } as const;
    let shown = JSON.stringify(posted);
    const look = async () => {
      if (!(await this.#mayGoOn(request))) return stop();
      const found = await read();
      if (!found.ok || JSON.stringify(found.value) === shown) return;
      // The alert server may have taken seconds.
      if (!(await this.#mayGoOn(request))) return stop();
      shown = JSON.stringify(found.value);
      const { body, card } = found.value;
      const rewritten = await messages.rewrite(target, { body, card: commandJson(card) });
      if (!rewritten.ok) stop();
    };
    const cancelTimer = clock.every(LOOK_EVERY_MS, () => {
      if (clock.now() >= untilAt) stop();
      else void look().catch(stop);
    });
    const stop = () => {
      cancelTimer();
      this.#live.delete(stop);
    };
    this.#live.add(stop);
  }

  /** Whether the caller could still post the list, and its message is still there. */
  async #mayGoOn({ caller, access, id }: CommandRequest): Promise<boolean> {
    const { users, messages } = this.#parts;
    if (users.refusalOf(caller, access.room.id)) return false;
    const list = await messages.find(caller, id);
    return list.ok && !list.value.message.deleted;
  }
}
