/** Credentials. An empty text is unset. */
export interface MailCredentials {
  readonly username: string;
  readonly identity: string;
  /** For PLAIN and LOGIN. */
  readonly password: string;
  /** For CRAM-MD5. */
  readonly secret: string;
}

export type Mechanism = 'CRAM-MD5' | 'PLAIN' | 'LOGIN';

/** The mechanisms in an answer to EHLO, in the server's order; undefined when it offers no login. */
export function offeredMechanisms(ehlo: string): readonly string[] | undefined {
  const offer = /^\d{3}[ -]AUTH(?:[ =]+(.*))?$/im.exec(ehlo);
  if (!offer) return undefined;
  return (offer[1] ?? '')
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** The first mechanism with its credentials set; otherwise throws an Error with what each of them lacks. */
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

/** Whether the connection is safe for a mechanism that sends the password in plain text. */
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
