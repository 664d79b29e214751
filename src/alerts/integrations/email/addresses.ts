import { domainToASCII } from 'node:url';
import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import { quoteGo } from '../../domain/quote.ts';

/**
 * The addresses of a list such as `Ops <ops@example.org>, dev@example.org`, with domains in ASCII. Refused is what Go's
 * ParseAddressList refuses, and groups: the list may be a label's value, and a misread address reaches the wrong person.
 */
export function parseAddresses(list: string): Outcome<readonly string[]> {
  const trimmed = list.trim();
  if (/[^\P{Cc}\t]/u.test(trimmed)) return refused(`a control character in ${quoteGo(trimmed)}`);
  const masked = mask(trimmed);
  if (masked === undefined) return refused(`no address in ${quoteGo(trimmed)}`);
  if (/[:;]/.test(masked)) return refused('groups such as "team: a@example.org;" are not taken');
  const addresses: string[] = [];
  let start = 0;
  for (const part of masked.split(',')) {
    const text = trimmed.slice(start, start + part.length);
    start += part.length + 1;
    if (text.trim() === '') continue;
    const address = addressIn(text, part);
    if (address === undefined) return refused(`no address in ${quoteGo(text.trim())}`);
    addresses.push(address);
  }
  return addresses.length === 0 ? refused('no address') : accepted(addresses);
}

/** The text with `q` for quoted and bracketed parts, and blanks for comments. Undefined: one is not closed. */
function mask(text: string): string | undefined {
  let masked = '';
  let end = '';
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text.charAt(index);
    const isComment = depth > 0 || (end === '' && char === '(');
    const isQuoted = !isComment && (end !== '' || char === '"' || char === '[');
    if (char === '\\' && (isComment || isQuoted)) {
      masked += isComment ? '  ' : 'qq';
      index++;
      continue;
    }
    masked += isComment ? ' ' : isQuoted ? 'q' : char;
    if (isComment) depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    else if (isQuoted) end = end === '' ? (char === '"' ? '"' : ']') : char === end ? '' : end;
  }
  return end === '' && depth === 0 ? masked : undefined;
}

/** Undefined without a `local@domain`, alone or in angle brackets after a name. */
function addressIn(text: string, masked: string): string | undefined {
  const [, before = '', angled] = /^([^<>]*)(?:<([^<>]*)>\s*)?$/.exec(masked) ?? [];
  const shape = angled ?? before;
  const [from, to] = [shape.search(/\S/), shape.trimEnd().length];
  const start = angled === undefined ? 0 : before.length + 1;
  const [bare, address] = [shape.slice(from, to), text.slice(start + from, start + to)];
  const at = bare.indexOf('@');
  if (at < 1 || at === bare.length - 1 || /\s|@.*@/.test(bare) || /[<>]/.test(address)) return undefined;
  const domain = address.slice(at + 1);
  return `${address.slice(0, at)}@${domain.startsWith('[') ? domain : domainToASCII(domain) || domain}`;
}
