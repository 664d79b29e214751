export interface TextPart {
  readonly text: string;
  /** Set when the part is a web address. */
  readonly href?: string;
}

/** Whether a text is a web address and may become a link; `javascript:` and the like may not. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s/]\S*$/i.test(text);
}

/** Links after this many characters are not marked. */
const MAX_SEARCHED = 10_000;

/** Splits a text at its web addresses; a full stop or bracket at the end of a sentence stays outside the link. */
export function splitLinks(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.slice(0, MAX_SEARCHED).matchAll(/https?:\/\/[^\s<>"'`]+/gi)) {
    const address = trimSentence(match[0]);
    if (!isWebAddress(address)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: address, href: address });
    end = match.index + address.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** A loop, as a regular expression for the end of a text would start a search at every position. */
function trimSentence(address: string): string {
  const opened = address.indexOf('(');
  let end = address.length;
  for (; end > 0; end--) {
    const sign = address.charAt(end - 1);
    const isUnopened = sign === ')' && (opened === -1 || opened >= end);
    if (!isUnopened && !'.,;:!?'.includes(sign)) break;
  }
  return address.slice(0, end);
}
