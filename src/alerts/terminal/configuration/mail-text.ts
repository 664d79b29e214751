import type { Mail } from '../../integrations/email/message.ts';

/** Decodes quoted-printable. */
function decodeText(text: string): string {
  return text
    .replace(/=\n/g, '')
    .replace(/(?:=[\dA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('=', ''), 'hex').toString('utf8'));
}

/** Decodes the encoded words of a header, such as `=?UTF-8?Q?k=C3=A4se_pur?=`. */
function decodeHeaders(headers: string): string {
  return headers
    .replace(/(=\?UTF-8\?Q\?[^?\s]*\?=)\s+(?==\?UTF-8\?Q\?)/gi, '$1')
    .replace(/(?:=\?UTF-8\?Q\?[^?\s]*\?=)+/gi, (run) => {
      const words = [...run.matchAll(/=\?UTF-8\?Q\?([^?]*)\?=/gi)].map(([, word = '']) => word.replaceAll('_', ' '));
      return decodeText(words.join(''));
    });
}

/** The message as readable text: addresses, headers, and decoded parts. */
export function describeMail({ from, to, content: bytes }: Mail): string {
  const content = bytes.toString().replaceAll('\r\n', '\n');
  const end = content.indexOf('\n\n');
  const isEncoded = /^Content-Transfer-Encoding: quoted-printable$/im.test(content);
  const body = content.slice(end);
  const envelope = [`MAIL FROM: ${from}`, ...to.map((one) => `RCPT TO: ${one}`)];
  return `${envelope.join('\n')}\n\n${decodeHeaders(content.slice(0, end))}${isEncoded ? decodeText(body) : body}`;
}
