interface Entry {
  /** `client` and `server` for commands and replies; other entries are remarks. */
  readonly tnx?: string;
}

/**
 * Follows a conversation through nodemailer's log, which holds no secrets: the order of the offered login mechanisms, and
 * a refused recipient before the message is sent.
 */
export class MailTranscript {
  /** The last answer to EHLO, which may have several lines. */
  ehlo = '';
  /** The verb of the last command. */
  lastCommand = '';
  /** The server's answer for the first refused recipient. */
  refusal: string | undefined;
  /** Verbs of unanswered commands. */
  readonly #pending: string[] = [];
  /** Verb of the last refused command. */
  #refused = '';

  debug(entry: Entry, line: string): void {
    if (entry.tnx === 'client') this.#onCommand(line);
    else if (entry.tnx === 'server') this.#onReply(line);
  }

  info(): void {}

  /** The step at which sending failed. */
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
