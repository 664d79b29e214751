import { createHash } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Lines } from '../../kernel/line-file.ts';
import type { Log } from '../../kernel/log.ts';
import type { LogKey } from './notification-log.ts';
import { Recipient, readData } from './recipient.ts';

/** The size in bytes from which on the file is written anew, without what is over. */
const MOST_BYTES = 1_000_000;
/** A file that could not be written is tried again so much later. */
const REPAIR_MS = 60_000;

const LINE = /^(sent|told|trusted|doubted) (?:([0-9a-f]{32}) )?([0-9a-f]{16}) (\d{1,15})(?: ([\w-]+))?$/;

interface HandoverLogParts {
  readonly lines: Lines;
  readonly clock: Clock;
  readonly log: Log;
  /** Other than MOST_BYTES. */
  readonly mostBytes?: number;
}

/**
 * Notes what becomes of notifications where the death of the process cannot undo it. What is written, in order:
 *
 *     trusted RECIPIENT AT          it has answered, and not failed for an hour
 *     sent ID RECIPIENT AT          the notification was handed over to it; AT in epoch milliseconds
 *     told ID RECIPIENT AT [DATA]   it has taken the notification, and what it has left behind: base64url of JSON
 *     doubted RECIPIENT AT          it has failed, or has not answered for two seconds (AT is 0)
 *
 * The process that sends outlives a server that is killed, and notes what has come of all that was under way. Should it be
 * killed, too, what was handed over counts as told, if the recipient is trusted: noted in the turn in which the operating
 * system has it, it arrives. A doubt takes that back, except from what was answered.
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
        const [, what, id, recipient, at, data] = LINE.exec(line) ?? [];
        if (recipient === undefined) continue;
        const of = this.#recipientOf(recipient);
        if (what === 'trusted') of.wasTrusted();
        if (what === 'doubted') of.wasDoubted(Math.min(Number(at), now));
        if (id === undefined) continue;
        const isAnswered = what === 'told';
        of.wasNoted(id, { line: `${line}\n`, at: Math.min(Number(at), now), isAnswered, ...readData(data) });
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
