import type { CancelTimer, Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Reminder } from '../../domain/command/reminder.ts';
import { deliverReminder } from '../../domain/command/reminder-delivery.ts';
import type { PostRules } from '../../domain/message/post.ts';
import type { RoomState } from '../../room/state.ts';
import type { RoomWriter } from '../../room/writer.ts';

const LOOK_MS = 1_000;
/** Until the next attempt, in a room that is archived, or on a full disk. */
const PAUSE_MS = 60_000;

export interface RemindersParts {
  readonly state: RoomState;
  readonly writer: Pick<RoomWriter, 'submit'>;
  readonly rules: PostRules;
  readonly clock: Clock;
  readonly log: Log;
}

/** Posts reminders when they are due, also those of earlier processes. */
export class Reminders {
  readonly #parts: RemindersParts;
  readonly #cancelTimer: CancelTimer;
  /** By id, when the next attempt is allowed; during an attempt for ever. */
  readonly #notBefore = new Map<string, number>();

  constructor(parts: RemindersParts) {
    this.#parts = parts;
    this.#cancelTimer = parts.clock.every(LOOK_MS, () => this.#look());
  }

  close(): void {
    this.#cancelTimer();
  }

  #look(): void {
    const { state, clock } = this.#parts;
    const now = clock.now();
    for (const reminder of state.each('reminder')) {
      if (reminder.at <= now && (this.#notBefore.get(reminder.id) ?? 0) <= now) void this.#deliver(reminder);
    }
  }

  async #deliver(reminder: Reminder): Promise<void> {
    const { writer, rules, clock, log } = this.#parts;
    const { id } = reminder;
    this.#notBefore.set(id, Number.POSITIVE_INFINITY);
    try {
      const delivered = await writer.submit(deliverReminder(reminder, rules));
      if (delivered.ok) this.#notBefore.delete(id);
      else this.#notBefore.set(id, clock.now() + PAUSE_MS);
    } catch (error) {
      log.error('a reminder could not be posted', { id, err: messageOf(error) });
      this.#notBefore.set(id, clock.now() + PAUSE_MS);
    }
  }
}
