interface Entry {
  /** `client` and `server` for commands and replies; other entries are remarks. */
  readonly tnx?: string;
}

/**
 * Follows a conversation through the log that nodemailer keeps of it, which holds no secrets: it tells in which order a
 * server offers to log in, and which recipient it refuses, before the message goes out.
 */
export class MailTranscript {
  /** The last answer to EHLO, which may have several lines. */
  ehlo = '';
  /** The verb of the last command. */
  lastCommand = '';
  /** What the server said of the first recipient that it refused. */
  refusal: string | undefined;
  /** Verbs of commands that have not been answered. */
  readonly #pending: string[] = [];
  /** Verb of the last command that was refused. */
  #refused = '';

  debug(entry: Entry, line: string): void {
    if (entry.tnx === 'client') this.#onCommand(line);
    else if (entry.tnx === 'server') this.#onReply(line);
  }

  info(): void {}

  /** What was under way when sending failed. */
  stepOfSending(): string {
    const verb = this.#refused || this.#pending[0];
    return verb === undefined ? 'delivery failure' : `send ${verb} command`;
  }

  #onCommand(line: string): void {
    this.lastCommand = (line.split(' ', 1)[0] as string).toUpperCase();
    this.#pending.push(this.lastCommand);
  }

  #onReply(reply: string): void {
    const verb = this.#pending.shift();
    if (verb === 'EHLO' || verb === 'HELO') this.ehlo = verb === 'EHLO' && reply.startsWith('2') ? reply : '';
    if (verb === undefined || /^[23]/.test(reply)) return;
    if (verb === 'RCPT') this.refusal ??= reply;
    this.#refused ||= verb;
  }
}
