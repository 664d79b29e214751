import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Pairs } from '../../domain/notification.ts';

/** A message for a mail server. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly content: Buffer;
}

export interface MailParts {
  /** By MIME names. */
  readonly headers: Pairs;
  /** An empty part is left out. */
  readonly text: string;
  readonly html: string;
  readonly sentAt: number;
}

/** The MIME spelling of a header's name: `message-id` → `Message-Id`; invalid names stay. Source: Go net/textproto. */
export function canonicalHeader(name: string): string {
  if (!/^[!#$%&'*+\-.^_`|~\da-zA-Z]+$/.test(name)) return name;
  return name.toLowerCase().replace(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Headers that only this file may set: they describe the structure of the message. */
const STRUCTURE = new Set(['Content-Type', 'Content-Transfer-Encoding', 'Mime-Version']);

/** A message of one or two alternatives, the preferred one last, in quoted-printable. */
export async function buildMessage({ headers, text, html, sentAt }: MailParts): Promise<Buffer> {
  const { default: MimeNode } = await import('nodemailer/lib/mime-node');
  const message = new MimeNode('multipart/alternative', { textEncoding: 'Q' });
  const add = (name: string, value: string) => {
    if (STRUCTURE.has(name)) return;
    // A list of addresses without any, as in `To: everybody`, is a group without members.
    const isNobody = value.trim() !== '' && message.encodeHeaderValue(name, value) === '';
    message.setHeader(name, isNobody ? `"${value.replace(/["\\\s]+/g, ' ').trim()}":;` : value);
  };
  for (const [name, value] of Object.entries(headers)) add(name, value);
  if (!Object.hasOwn(headers, 'Date')) add('Date', new Date(sentAt).toUTCString().replace('GMT', '+0000'));
  if (!Object.hasOwn(headers, 'Message-Id')) add('Message-Id', `<${sentAt}.${randomUUID()}@${hostname()}>`);
  const parts = [
    ['plain', text],
    ['html', html],
  ] as const;
  for (const [kind, content] of parts) {
    if (content === '' && (kind === 'html' || html !== '')) continue;
    message
      .createChild(`text/${kind}; charset=UTF-8`)
      .setHeader('Content-Transfer-Encoding', 'quoted-printable')
      .setContent(content);
  }
  return message.build();
}
