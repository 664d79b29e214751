import { Composer, type Document, Lexer, type LineCounter, Parser, parseDocument, type YAMLParseError } from 'yaml';

/** What LaxLexer needs to know of the lexer that it extends; its tests would show that this has changed. */
interface LexerParts {
  /** How far a line must be indented to belong to what began before it. */
  indentNext: number;
  lex(source: string): Generator<string, void>;
  parseFlowCollection(): Steps;
  parseQuotedScalar(): Steps;
}

type Steps = Generator<string, string | undefined>;

/** Between brackets, braces and quotes indentation means nothing, as to Alertmanager, which is laxer there than YAML is. */
class LaxLexer extends (Lexer as unknown as new () => LexerParts) {
  override parseFlowCollection(): Steps {
    return this.#unindented(super.parseFlowCollection());
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
  const documents = new Composer(OPTIONS).compose(tokensOf(text, lines), true, text.length);
  const document = documents.next().value as Document.Parsed;
  document.errors = document.errors.filter(isWrong);
  // A bracket that is never closed is told by its indentation best.
  if (document.errors.length > 0) document.errors = [...strictErrors(text), ...document.errors];
  const next = documents.next();
  return { document, nextAt: next.done ? undefined : next.value.range[0] };
}

function* tokensOf(text: string, lines: LineCounter): ReturnType<Parser['parse']> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new LaxLexer().lex(text)) yield* parser.next(lexeme);
  yield* parser.end();
}

function strictErrors(text: string): readonly YAMLParseError[] {
  return parseDocument(text, OPTIONS).errors.filter((error) => isWrong(error) && error.code !== 'MULTIPLE_DOCS');
}

/** To Alertmanager a remark may follow a quote or a bracket without a space. */
const isWrong = ({ code, message }: YAMLParseError): boolean =>
  code !== 'MISSING_CHAR' || !message.startsWith('Comments must be separated');
