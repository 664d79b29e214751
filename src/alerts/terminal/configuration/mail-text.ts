import type { Mail } from '../../notify/email-message.ts';

/** Undoes quoted-printable. */
function decodeText(text: string): string {
  return text
    .replace(/=\n/g, '')
    .replace(/(?:=[\dA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'));
}

/** The message as people read it: the addresses, its headers, and its parts decoded. */
export function describeMail({ from, to, content: bytes }: Mail): string {
  const content = bytes.toString().replaceAll('\r\n', '\n');
  const isEncoded = /^Content-Transfer-Encoding: quoted-printable$/im.test(content);
  const envelope = [`MAIL FROM: ${from}`, ...to.map((one) => `RCPT TO: ${one}`)];
  return `${envelope.join('\n')}\n\n${isEncoded ? decodeText(content) : content}`;
}
