export interface TextPart {
  readonly text: string;
  /** Set when the part is a web address. */
  readonly href?: string;
}

/** Whether a text is one web address and may become a link; `javascript:` and its kind are none. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]\S*$/i.test(text);
}

/** Cuts a text at the web addresses in it; a full stop or bracket that ends the sentence stays outside the link. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(/https?:\/\/[^\s<>"'`]+/gi)) {
    const address = trimSentence(match[0]);
    if (!isWebAddress(address)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

function trimSentence(address: string): string {
  const bare = address.replace(/[.,;:!?]+$/, '');
  const unopened = bare.endsWith(')') && !bare.includes('(');
  return unopened ? trimSentence(bare.slice(0, -1)) : bare;
}
