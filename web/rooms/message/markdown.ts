import { Marked, type Tokens } from 'marked';
import { BoundedLexer } from './bounded-lexer.ts';

const SAFE_LINK = /^(https?:\/\/|mailto:)/i;

/** An address that a message may link to; of others the text stays. */
export function isSafeLink(address: string): boolean {
  return SAFE_LINK.test(address.trim()) && !/[\p{Cc}\s]/u.test(address.trim());
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  renderer: {
    // Markup that somebody typed is shown as he typed it.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    // A picture from elsewhere would tell its server who reads this and when.
    image: ({ href, text }: Tokens.Image) => linkTo(href, escapeHtml(text || href)),
    link({ href, tokens }: Tokens.Link) {
      return linkTo(href, this.parser.parseInline(tokens));
    },
    code: ({ text, lang }: Tokens.Code) => {
      const language = /^[\w+#-]{1,20}/.exec(lang ?? '')?.[0] ?? '';
      const label = language === '' ? '' : ` data-language="${language}"`;
      return `<pre${label} tabindex="0"><code>${escapeHtml(text)}</code></pre>\n`;
    },
    heading({ tokens }: Tokens.Heading) {
      return `<p class="heading">${this.parser.parseInline(tokens)}</p>\n`;
    },
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '\u2611 ' : '\u2610 '),
  },
});

function linkTo(href: string, html: string): string {
  if (!isSafeLink(href)) return html;
  return `<a href="${escapeHtml(href.trim())}" target="_blank" rel="noopener noreferrer">${html}</a>`;
}

/** More signs of quotes and lists in front of one line than `BoundedLexer` would follow; marked tries them all at once. */
const DEEP_LINE = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){13}/m;

/**
 * A message's words as HTML, to be sanitised all the same (message-body.ts). `undefined`: the text cannot be parsed, or not
 * in a reasonable time; it is shown as it was typed, and the messages around it are shown as well.
 */
export function markdownToHtml(text: string): string | undefined {
  if (DEEP_LINE.test(text)) return undefined;
  try {
    return marked.parser(new BoundedLexer(marked.defaults).lex(text)) as string;
  } catch {
    return undefined;
  }
}

/** Whether a text is only words: no parsing is needed to show it. */
export function isPlainText(text: string): boolean {
  return !/[*_`~[\]<>#|\\!@\n&]|^\s*([-+]|\d+[.)])\s|:\/\/|www\.|^\s{4}|^\s*=+\s*$/.test(text);
}
