import { Composer, type CST, type Document, Lexer, type LineCounter, Parser, type YAMLParseError } from 'yaml';

/** What LaxLexer needs to know of the lexer that it extends; its tests would show that this has changed. */
interface LexerParts {
  /** How far a line must be indented to belong to what began before it. */
  indentNext: number;
  /** How many brackets and braces are open. */
  readonly flowLevel: number;
  /** How much of the text has been read. */
  readonly pos: number;
  lex(source: string): Generator<string, void>;
  parseFlowCollection(): Steps;
  parseQuotedScalar(): Steps;
}

type Steps = Generator<string, string | undefined>;

/** Deeper than any real file: the depth of a value whose list or mapping is the root is 1. */
export const MAX_DEPTH = 200;

/** Between brackets, braces and quotes indentation means nothing, as to Alertmanager, which is laxer there than YAML is. */
class LaxLexer extends (Lexer as unknown as new () => LexerParts) {
  /** Where the outermost bracket stands that is open now; after the last line, one that is never closed. */
  openAt: number | undefined;
  readonly #strictAt: number | undefined;

  /** The bracket at `strictAt` holds only what is indented. */
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
  /** Where another one begins. */
  readonly nextAt: number | undefined;
}

const OPTIONS = { schema: 'failsafe', uniqueKeys: false, prettyErrors: false } as const;

/** The first document of a text; there is one always. `lines` gets to know where its lines begin. */
export function readFirstDocument(text: string, lines: LineCounter): FirstDocument {
  const lexer = new LaxLexer();
  lines.addNewLine(0);
  const documents = compose(text, lexer, lines.addNewLine);
  const document = nextOf(documents);
  // A bracket that is never closed is told by its indentation best.
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
 * Ends in an error where a value lies too deep: composing it, which is recursive, may exhaust the stack within a regular
 * expression, and that ends the process.
 */
function* tokensOf(text: string, lexer: LaxLexer, onNewLine?: (offset: number) => void): Generator<CST.Token, void> {
  const parser = new Parser(onNewLine);
  for (const lexeme of lexer.lex(text)) {
    yield* parser.next(lexeme);
    // The document itself and the innermost scalar stand on the stack too.
    if (parser.stack.length > MAX_DEPTH + 2) {
      yield { type: 'error', offset: parser.offset, source: '', message: 'nested too deeply' };
      return;
    }
  }
  yield* parser.end();
}

/** To Alertmanager a remark may follow a quote or a bracket without a space. */
const isWrong = ({ code, message }: YAMLParseError): boolean =>
  code !== 'MISSING_CHAR' || !message.startsWith('Comments must be separated');
