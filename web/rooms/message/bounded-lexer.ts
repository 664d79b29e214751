import { Lexer, type Links, type MarkedOptions, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';

/** Maximum nesting of quotes, lists and emphasis. */
const MAX_DEPTH = 12;
/** The longest paragraph, list item or table cell that is searched for emphasis and links. */
const MAX_RUN = 8192;
/**
 * In characters read by rules, or their equivalent in time. 16 KiB of a README cost at most half of it.
 */
const MAX_COST = 3_000_000;
/** The cost of each node of the page: a word in bold, a line end, a cell. */
const PIECE_COST = 300;
const MAX_LOCAL_PART = 64;

class TooCostlyError extends Error {}

/**
 * marked's lexer within limits. Many of its rules read from every position to the end of the text, some for every level
 * of nesting, so a short text can take minutes. Here the characters read are counted, and too many end the parsing.
 */
export class BoundedLexer extends Lexer {
  readonly #tokenizer: BoundedTokenizer;
  #depth = 0;

  constructor(options: MarkedOptions) {
    const tokenizer = new BoundedTokenizer();
    super({ ...options, tokenizer });
    tokenizer.boundRules();
    this.#tokenizer = tokenizer;
  }

  override blockTokens(source: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(source: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(source: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] {
    this.#tokenizer.charge(source.length);
    return this.#inside(() => super.blockTokens(source, tokens, lastParagraphClipped));
  }

  override inlineTokens(source: string, tokens?: Token[]): Token[] {
    if (source.length > MAX_RUN) throw new TooCostlyError();
    this.#tokenizer.charge(PIECE_COST + 4 * source.length);
    return this.#inside(() => super.inlineTokens(source, tokens));
  }

  #inside(lex: () => Token[]): Token[] {
    if (this.#depth === MAX_DEPTH) throw new TooCostlyError();
    this.#depth++;
    const tokens = lex();
    this.#depth--;
    return tokens;
  }
}

/** Methods not listed cost little, or no more than the token that they find. */
class BoundedTokenizer extends Tokenizer {
  #cost = 0;

  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > MAX_COST) throw new TooCostlyError();
  }

  /** Rules that are slow within a single call. */
  boundRules(): void {
    const { inline } = this.rules;
    const text = inline.text.source.replaceAll('-]+@', `-]{1,${MAX_LOCAL_PART}}@`).replaceAll(' *\\n', ' {0,64}\\n');
    const url = inline.url.source
      .replaceAll('._+-]+@', `._+-]{1,${MAX_LOCAL_PART}}@`)
      .replaceAll('._+-]+(@)', `._+-]{1,${MAX_LOCAL_PART}}(@)`);
    const reflinkSearch = inline.reflinkSearch.source.replaceAll('999', '99');
    this.rules = {
      ...this.rules,
      inline: {
        ...inline,
        text: new RegExp(text),
        url: new RegExp(url),
        reflinkSearch: new RegExp(reflinkSearch, 'g'),
      },
    };
  }

  /** The first rule tried on a block. */
  override space(source: string): Tokens.Space | undefined {
    this.charge(source.length / 4);
    return super.space(source);
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (/^ {0,3}>/.test(source)) this.charge(8 * toBlankLine(source).length);
    return super.blockquote(source);
  }

  override def(source: string): Tokens.Def | undefined {
    if (/^ {0,3}\[/.test(source)) this.charge(source.length);
    return super.def(source);
  }

  override table(source: string): Tokens.Table | undefined {
    const [head = '', rule = ''] = source.split('\n', 2);
    // Rows are padded to the width of the head, so a few thousand characters can make millions of cells.
    if (/^[ \t|:-]+$/.test(rule))
      this.charge((PIECE_COST / 3) * head.split('|').length * toBlankLine(source).split('\n').length);
    return super.table(source);
  }

  override lheading(source: string): Tokens.Heading | undefined {
    this.charge(4 * toBlankLine(source).length);
    return super.lheading(source);
  }

  /** The first rule tried on inline text. */
  override escape(source: string): Tokens.Escape | undefined {
    this.charge(PIECE_COST);
    return super.escape(source);
  }

  override tag(source: string): Tokens.Tag | undefined {
    if (source.startsWith('<')) this.charge(4 * source.length);
    return super.tag(source);
  }

  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    if (/^!?\[/.test(source)) this.charge(4 * source.length);
    return super.link(source);
  }

  override reflink(source: string, links: Links): Tokens.Link | Tokens.Image | Tokens.Text | undefined {
    if (/^!?\[/.test(source)) this.charge(4 * source.length);
    return super.reflink(source, links);
  }

  override emStrong(source: string, maskedSource: string, before?: string): Tokens.Em | Tokens.Strong | undefined {
    if (/^[*_]/.test(source)) this.charge(16 * source.length);
    return super.emStrong(source, maskedSource, before);
  }

  override del(source: string, maskedSource: string, before?: string): Tokens.Del | undefined {
    if (source.startsWith('~')) this.charge(16 * source.length);
    return super.del(source, maskedSource, before);
  }

  override codespan(source: string): Tokens.Codespan | undefined {
    if (source.startsWith('`')) this.charge(2 * source.length);
    return super.codespan(source);
  }

  /** marked removes the punctuation after a URL sign by sign, and reads the URL again after each. */
  override url(source: string): Tokens.Link | undefined {
    if (!/^(?:https?:\/\/|ftp:\/\/|www\.)[a-z0-9-]/i.test(source)) return super.url(source);
    const text = withoutEnd(/^[^\s<]*/.exec(source)?.[0] ?? '');
    const href = /^www\./i.test(text) ? `http://${text}` : text;
    return { type: 'link', raw: text, href, title: null, text, tokens: [{ type: 'text', raw: text, text }] };
  }
}

/** The farthest end of a block of one kind. */
function toBlankLine(source: string): string {
  const end = source.indexOf('\n\n');
  return end === -1 ? source : source.slice(0, end);
}

/** A URL without the punctuation of the sentence around it; a bracket that was opened in it belongs to it. */
function withoutEnd(address: string): string {
  let open = address.split('(').length - address.split(')').length;
  let end = address.length;
  for (; end > 0; end--) {
    const sign = address.charAt(end - 1);
    if (sign === ')' ? open >= 0 : !'?!.,:;*_\'"~'.includes(sign)) break;
    if (sign === ')') open++;
  }
  return address.slice(0, end);
}
