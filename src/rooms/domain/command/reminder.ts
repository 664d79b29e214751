import type { StateView, Write } from '../change.ts';
import { record } from '../record.ts';
import { accepted, type Outcome, refuse } from '../refusal.ts';

/** A message to be posted later. Kept until it is posted. */
export interface Reminder {
  /** The id of the message that asked for it. */
  readonly id: string;
  readonly roomId: string;
  readonly threadId: string | null;
  /** The user to be mentioned. */
  readonly userId: string;
  readonly text: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const MAX_REMINDERS = 100;

/** Keeps a reminder. */
export function keepReminder(view: StateView, reminder: Reminder): Outcome<Write> {
  let count = 0;
  for (const { userId } of view.each('reminder')) if (userId === reminder.userId) count++;
  return count < MAX_REMINDERS
    ? accepted({ records: [record('reminder', reminder.id, reminder)] })
    : refuse(
        'limit_reached',
        `you have ${MAX_REMINDERS} reminders already; /remind lists them, /remind cancel ends one`,
      );
}

/** The user's own reminders of a room, the next one first. */
export const remindersOf = (view: StateView, roomId: string, userId: string): readonly Reminder[] =>
  [...view.each('reminder')]
    .filter((one) => one.roomId === roomId && one.userId === userId)
    .sort((a, b) => a.at - b.at);
