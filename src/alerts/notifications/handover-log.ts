import { createHash } from 'node:crypto';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Lines } from '../../kernel/line-file.ts';
import type { Log } from '../../kernel/log.ts';
import type { Handover } from '../notify/notifier.ts';
import type { LogKey } from './notification-log.ts';

/** Who has failed once is not trusted for so long. */
const PROBATION_MS = 3_600_000;
/** So much later a failure of somebody who is not trusted anyway is noted again. */
const DOUBT_STEP_MS = 60_000;
/** Whoever has not answered by then has perhaps not heard it. */
const UNANSWERED_MS = 2_000;
/** The size in bytes from which on the file is written anew, without what is over. */
const MOST_BYTES = 1_000_000;
/** A file that could not be written is tried again so much later. */
const REPAIR_MS = 60_000;

const LINE = /^(?:sent ([0-9a-f]{32})|(trusted)|(doubted)) ([0-9a-f]{16}) (\d{1,15})$/;

interface HandoverLogParts {
  readonly lines: Lines;
  readonly clock: Clock;
  readonly log: Log;
  /** Other than MOST_BYTES. */
  readonly mostBytes?: number;
}

/**
 * Notes that a notification is with the operating system, in the turn in which it is: from then on it arrives, and if
 * the process is killed before it has read the answer, the next one takes the note for the answer. This holds for
 * recipients that are trusted alone. What is written of them, in order:
 *
 *     trusted RECIPIENT AT   it has answered, and not failed for an hour
 *     sent ID RECIPIENT AT   the notification was handed over to it; AT in epoch milliseconds
 *     doubted RECIPIENT AT   it has failed, or has not answered for two seconds (AT is 0): what was sent before counts no more
 *
 * What it has answered well is kept until its end, when the notification log has it: a note stands in for that.
 *
 * A file that fails is told of in the log, and hinders nobody: whatever is not noted is told again after a kill.
 */
export class HandoverLog {
  readonly #parts: HandoverLogParts;
  readonly #recipients = new Map<string, Recipient>();
  readonly #mostBytes: number;
  /** The size from which on it is written anew. */
  #limit: number;
  #brokenAt: number | undefined;

  constructor(parts: HandoverLogParts) {
    this.#parts = parts;
    this.#mostBytes = parts.mostBytes ?? MOST_BYTES;
    this.#limit = this.#mostBytes;
  }

  /** Reads what the process before this one has noted. */
  load(): void {
    const { lines, clock } = this.#parts;
    const now = clock.now();
    try {
      for (const line of lines.read()) {
        const [, id, trusted, doubted, recipient, at] = LINE.exec(line) ?? [];
        if (recipient === undefined) continue;
        const of = this.#recipientOf(recipient);
        if (id !== undefined) of.wasSent(id, Math.min(Number(at), now));
        if (trusted) of.wasTrusted();
        if (doubted) of.wasDoubted(Math.min(Number(at), now));
      }
    } catch (error) {
      this.#giveUp(error);
    }
  }

  recipient({ integration, index, receiver }: Omit<LogKey, 'groupKey'>): Recipient {
    const name = `${integration}/${index}/${receiver}`;
    return this.#recipientOf(createHash('sha256').update(name).digest('hex').slice(0, 16));
  }

  /** What the process before this one has noted counts no more. */
  forgetBefore(): void {
    for (const recipient of this.#recipients.values()) recipient.forgetBefore();
    this.#rewrite();
  }

  close(): void {
    this.#parts.lines.close();
  }

  #recipientOf(key: string): Recipient {
    let recipient = this.#recipients.get(key);
    if (!recipient) {
      recipient = new Recipient(key, this.#parts.clock, (line) => this.#write(line));
      this.#recipients.set(key, recipient);
    }
    return recipient;
  }

  /** Whether the file has the line. */
  #write(line: string): boolean {
    const { lines, clock } = this.#parts;
    if (this.#brokenAt !== undefined) {
      // What a recipient is, and what it was sent, is in memory before it is written.
      if (clock.now() - this.#brokenAt >= REPAIR_MS) this.#rewrite();
      return this.#brokenAt === undefined;
    }
    try {
      lines.append(line);
    } catch (error) {
      this.#giveUp(error);
      return false;
    }
    if (lines.size > this.#limit) this.#rewrite();
    return this.#brokenAt === undefined;
  }

  #rewrite(): void {
    const { lines } = this.#parts;
    try {
      const all = [...this.#recipients.values()].flatMap((recipient) => recipient.lines());
      lines.replace(all);
      this.#brokenAt = undefined;
      this.#limit = Math.max(this.#mostBytes, 2 * all.join('').length);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Without any note no note is wrong. */
  #giveUp(error: unknown): void {
    const { lines, clock, log } = this.#parts;
    if (this.#brokenAt === undefined) {
      log.error('notifications that are handed over cannot be noted; a kill may repeat those under way', {
        err: messageOf(error),
      });
    }
    this.#brokenAt = clock.now();
    try {
      lines.remove();
    } catch {
      // The failure that has been told of.
    }
  }
}

/** An integration of a receiver, as far as it can be relied upon. */
export class Recipient {
  readonly key: string;
  readonly #clock: Clock;
  readonly #write: (line: string) => boolean;
  #isTrusted = false;
  #doubtedAt = 0;
  /** When the process before this one has handed over what, by the ids of the notifications. */
  readonly #before = new Map<string, number>();
  /** Handed over, and not at their end as yet. */
  readonly #open = new Set<HandoverNote>();

  constructor(key: string, clock: Clock, write: (line: string) => boolean) {
    this.key = key;
    this.#clock = clock;
    this.#write = write;
  }

  /** When a notification was handed over whose answer the process before this one has not read; epoch milliseconds. */
  handedOverAt(id: string): number | undefined {
    return this.#before.get(id);
  }

  /** A notification is about to be sent. */
  begin(id: string): HandoverNote {
    return new HandoverNote(`sent ${id} ${this.key} ${this.#clock.now()}\n`, this);
  }

  succeeded(): void {
    if (this.#isTrusted || this.#clock.now() - this.#doubtedAt < PROBATION_MS) return;
    this.#isTrusted = true;
    this.#write(`trusted ${this.key} ${this.#clock.now()}\n`);
  }

  /** An attempt has failed: nothing that is under way counts as told, and nothing that is sent in the next hour. */
  failed(): void {
    const now = this.#clock.now();
    if (!this.#isTrusted && now - this.#doubtedAt < DOUBT_STEP_MS) return;
    this.#doubtedAt = now;
    this.#doubt(now);
  }

  /** Called by a note of its own, which stands in the file then; undefined: it does not. */
  note(note: HandoverNote): CancelTimer | undefined {
    if (!this.#isTrusted) return undefined;
    this.#open.add(note);
    if (!this.#write(note.line)) {
      this.#open.delete(note);
      return undefined;
    }
    // It counts again as soon as it answers.
    return this.#clock.after(UNANSWERED_MS, () => this.#doubt(0));
  }

  /** Called by a note of its own. */
  forget(note: HandoverNote): void {
    this.#open.delete(note);
  }

  wasSent(id: string, at: number): void {
    this.#before.set(id, at);
  }

  wasTrusted(): void {
    this.#isTrusted = true;
  }

  wasDoubted(at: number): void {
    this.#isTrusted = false;
    this.#doubtedAt = Math.max(this.#doubtedAt, at);
    this.#before.clear();
  }

  forgetBefore(): void {
    this.#before.clear();
  }

  /** All that has to be known of it. */
  lines(): readonly string[] {
    const open = [...this.#open].map(({ line }) => line);
    if (this.#isTrusted) return [`trusted ${this.key} 0\n`, ...open];
    const isDoubted = this.#clock.now() - this.#doubtedAt < PROBATION_MS;
    return isDoubted ? [`doubted ${this.key} ${this.#doubtedAt}\n`, ...open] : open;
  }

  #doubt(at: number): void {
    this.#isTrusted = false;
    for (const note of [...this.#open]) if (!note.isAnswered) note.end();
    this.#write(`doubted ${this.key} ${at}\n`);
    for (const { line } of this.#open) this.#write(line);
  }
}

/** One notification on its way to a recipient. */
export class HandoverNote implements Handover {
  readonly line: string;
  readonly #recipient: Recipient;
  #cancel: CancelTimer | undefined;
  #isAnswered = false;
  #isOver = false;

  constructor(line: string, recipient: Recipient) {
    this.line = line;
    this.#recipient = recipient;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Whether the process after a kill takes it for told. */
  get stands(): boolean {
    return this.#cancel !== undefined && !this.#isOver;
  }

  done(): void {
    if (this.#isOver || this.#cancel) return;
    this.#cancel = this.#recipient.note(this);
  }

  succeeded(): void {
    this.#isAnswered = true;
    this.#cancel?.();
    this.#recipient.succeeded();
  }

  undone(): void {
    this.end();
    this.#recipient.failed();
  }

  /** What has come of it is known. */
  end(): void {
    this.#isOver = true;
    this.#cancel?.();
    this.#recipient.forget(this);
  }
}
