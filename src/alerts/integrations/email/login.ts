/** How to log in. An empty text is one that is not set. */
export interface MailCredentials {
  readonly username: string;
  readonly identity: string;
  /** For PLAIN and LOGIN. */
  readonly password: string;
  /** For CRAM-MD5. */
  readonly secret: string;
}

export type Mechanism = 'CRAM-MD5' | 'PLAIN' | 'LOGIN';

/** The mechanisms that an answer to EHLO offers, in the server's order; undefined where it offers no login at all. */
export function offeredMechanisms(ehlo: string): readonly string[] | undefined {
  const offer = /^\d{3}[ -]AUTH(?:[ =]+(.*))?$/im.exec(ehlo);
  if (!offer) return undefined;
  return (offer[1] ?? '')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The first mechanism that has what it needs; otherwise an Error that says what each of them lacks. */
export function chooseMechanism(offered: readonly string[], { password, secret }: MailCredentials): Mechanism {
  const lacking: string[] = [];
  for (const name of offered) {
    const mechanism = name.toUpperCase();
    if (mechanism === 'CRAM-MD5') {
      if (secret !== '') return mechanism;
      lacking.push('missing secret for CRAM-MD5 auth mechanism');
    } else if (mechanism === 'PLAIN' || mechanism === 'LOGIN') {
      if (password !== '') return mechanism;
      lacking.push(`missing password for ${mechanism} auth mechanism`);
    } else lacking.push(`unknown auth mechanism: ${name}`);
  }
  throw new Error(`find auth mechanism: ${lacking.join('; ') || 'the server names none'}`);
}

/** Whether a mechanism that shows the password may be used on a connection that anybody can read. */
export function isOwnMachine(host: string): boolean {
  return ['localhost', '127.0.0.1', '::1'].includes(host);
}

/** PLAIN with the identity to act as, which may be empty. Source: RFC 4616. */
export function plainToken({ identity, username, password }: MailCredentials): string {
  return Buffer.from(`${identity}\0${username}\0${password}`).toString('base64');
}

/** The reply of a server in one line. */
export function oneLine(reply: string): string {
  return reply.trim().replace(/\s*\r?\n\s*/g, ' ');
}
