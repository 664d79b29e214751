import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, type YAMLParseError } from 'yaml';

/** Internals of the lexer that LaxLexer extends; its tests notice a change. */
interface LexerParts {
  /** The indentation of a continuation line. */
  indentNext: number;
  /** The number of open brackets and braces. */
  readonly flowLevel: number;
  /** The length of the text read so far. */
  readonly pos: number;
  lex(source: string): Generator<string, void>;
  parseFlowCollection(): Steps;
  parseQuotedScalar(): Steps;
}

type Steps = Generator<string, string | undefined>;

/** More than any real file has; the values of the root have depth 1. */
export const MAX_DEPTH = 200;

/** Ignores indentation inside brackets, braces and quotes, like Alertmanager, which is laxer here than YAML. */
class LaxLexer extends (Lexer as unknown as new () => LexerParts) {
  /** The position of the outermost open bracket; at the end, of one that is never closed. */
  openAt: number | undefined;
  readonly #strictAt: number | undefined;

  /** The bracket at `strictAt` ends at the first line that is not indented. */
  constructor(strictAt?: number) {
    super();
    this.#strictAt = strictAt;
  }

  override *parseFlowCollection(): Steps {
    this.openAt ??= this.pos - 1;
    const steps = super.parseFlowCollection();
    const next = yield* this.openAt === this.#strictAt ? steps : this.#unindented(steps);
    if (this.flowLevel === 0) this.openAt = undefined;
    return next;
  }

  override parseQuotedScalar(): Steps {
    return this.#unindented(super.parseQuotedScalar());
  }

  *#unindented(steps: Steps): Steps {
    const outside = this.indentNext;
    this.indentNext = 0;
    const next = yield* steps;
    this.indentNext = outside;
    return next;
  }
}

export interface FirstDocument {
  /** Its scalars are all texts. */
  readonly document: Document.Parsed;
  /** Where a second document begins. */
  readonly nextAt: number | undefined;
}

const OPTIONS = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false } as const;

/** The first document of a text; there always is one. `lines` is given the line starts. */
export function readFirstDocument(text: string, lines: LineCounter): FirstDocument {
  const lexer = new LaxLexer();
  lines.addNewLine(0);
  const documents = compose(text, lexer, lines.addNewLine);
  const document = nextOf(documents);
  // An unclosed bracket is located best by its indentation.
  if (document.errors.length > 0 && lexer.openAt !== undefined)
    document.errors = nextOf(compose(text, new LaxLexer(lexer.openAt))).errors;
  const next = documents.next();
  return { document, nextAt: next.done ? undefined : next.value.range[0] };
}

type Documents = Generator<Document.Parsed, void>;

function compose(text: string, lexer: LaxLexer, onNewLine?: (offset: number) => void): Documents {
  return new Composer(OPTIONS).compose(tokensOf(text, lexer, onNewLine), true, text.length);
}

function nextOf(documents: Documents): Document.Parsed {
  const document = documents.next().value as Document.Parsed;
  document.errors = document.errors.filter(isWrong);
  return document;
}

/**
 * Yields an error for a value that is nested too deeply: composing it recursively could exhaust the stack within a regular
 * expression, which ends the process.
 */
function* tokensOf(text: string, lexer: LaxLexer, onNewLine?: (offset: number) => void): Generator<CST.Token, void> {
  const parser = new Parser(onNewLine);
  for (const lexeme of lexer.lex(text)) {
    yield* parser.next(lexeme);
    // The stack also has the document and the innermost scalar.
    if (parser.stack.length > MAX_DEPTH + 2) {
      yield { type: 'error', offset: parser.offset, source: '', message: 'nested too deeply' };
      return;
    }
  }
  yield* parser.end();
}

/** In Alertmanager a comment may follow a quote or bracket without a space. */
const isWrong = ({ code, message }: YAMLParseError): boolean =>
  code !== 'MISSING_CHAR' || !message.startsWith('Comments must be separated');
