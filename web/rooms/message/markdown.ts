import { Marked, type Tokens } from 'marked';
import { BoundedLexer } from './bounded-lexer.ts';

const SAFE_LINK = /^(https?:\/\/|mailto:)/i;

/** URLs that a message may link to; others are shown as text. */
export function isSafeLink(address: string): boolean {
  return SAFE_LINK.test(address.trim()) && !/[\p{Cc}\s]/u.test(address.trim());
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  renderer: {
    // HTML in a message is shown as it was typed.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    // A picture of another server would show that server who reads this and when.
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

/** More quote and list markers before one line than `BoundedLexer` follows; marked tries them all at once. */
const DEEP_LINE = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){13}/m;

/**
 * The text of a message as HTML, which body.ts sanitises. `undefined`: it cannot be parsed in a reasonable time, and is
 * shown as it was typed.
 */
export function markdownToHtml(text: string): string | undefined {
  if (DEEP_LINE.test(text)) return undefined;
  try {
    return marked.parser(new BoundedLexer(marked.defaults).lex(text)) as string;
  } catch {
    return undefined;
  }
}

/** Whether a text has no Markdown, and need not be parsed. */
export function isPlainText(text: string): boolean {
  return !/[*_`~[\]<>#|\\!@\n&]|^\s*([-+]|\d+[.)])\s|:\/\/|www\.|^\s{4}|^\s*=+\s*$/.test(text);
}
