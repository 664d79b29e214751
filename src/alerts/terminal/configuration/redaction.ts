import { HIDDEN, withoutPassword } from '../../config/kind.ts';
import { partsOfUrl, replaceSpellings, spellingsOf } from '../../integrations/secret-texts.ts';

/** What hides a header's value, a query parameter's or a field's of an answer: its name says that it is a secret. */
const SECRET_NAME = 'auth|token|secret|passw|apikey|api_key|api-key|cookie|signature';
const SECRET_HEADER = new RegExp(SECRET_NAME, 'i');
const SECRET_PARAMETER = new RegExp(`([?&][^=&#]*(?:${SECRET_NAME})[^=&#]*=)[^&#]*`, 'gi');
const SECRET_FIELD = new RegExp(`("[^"]*(?:${SECRET_NAME})[^"]*"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');

/** Shorter pieces between the actions of a template, and shorter variables, are no secrets, and stand in every text. */
const MIN_PIECE = 4;

function camelOf(name: string): string {
  return name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

interface Shown {
  /** What the printed configuration hides. */
  readonly secrets: string[];
  /** URLs that it shows. */
  readonly urls: string[];
}

/** Goes through a configuration and what is printed of it, side by side. */
function compare(value: unknown, printed: unknown, shown: Shown): void {
  if (typeof value === 'string') {
    if (printed !== value && printed !== withoutPassword(value)) shown.secrets.push(value);
    else if (/^https?:/i.test(value)) shown.urls.push(value);
  } else if (Array.isArray(value) && Array.isArray(printed)) {
    for (const [i, item] of value.entries()) compare(item, printed[i], shown);
  } else if (typeof value === 'object' && value !== null && typeof printed === 'object' && printed !== null) {
    const fields = value as Readonly<Record<string, unknown>>;
    for (const [name, item] of Object.entries(printed)) {
      compare(Object.hasOwn(fields, name) ? fields[name] : fields[camelOf(name)], item, shown);
    }
  }
}

/** Takes the secrets of an integration out of whatever is shown of its requests and answers. */
export class Redaction {
  readonly #spellings = new Set<string>();
  /** What a service may quote of a URL that is one. */
  readonly #parts = new Set<string>();
  readonly #urls: readonly string[];
  /** Whether a whole URL is a secret: then of any that the configuration does not show, only the host may be seen. */
  #hidesUrl = false;

  /** `printed` is what the kind of the configuration prints of it; `variables` went into any part of the file. */
  constructor(config: unknown, printed: unknown, variables: readonly string[] = []) {
    const shown: Shown = { secrets: [], urls: [] };
    compare(config, printed, shown);
    this.#urls = shown.urls;
    for (const secret of shown.secrets) this.hide(secret);
    for (const value of variables) if (value.length >= MIN_PIECE) this.hide(value);
  }

  /** Hides one more secret from now on, such as one read from a file. */
  hide(secret: string): void {
    if (secret === '') return;
    if (/^\s*(https?:|\{\{)/i.test(secret)) this.#hidesUrl = true;
    const pieces = secret.split(/\{\{.*?\}\}/s).filter((piece) => piece === secret || piece.length >= MIN_PIECE);
    for (const part of pieces.flatMap(partsOfUrl).flatMap(spellingsOf)) this.#parts.add(part);
    for (const spelling of pieces.flatMap(spellingsOf)) this.#spellings.add(spelling);
  }

  text(text: string): string {
    return replaceSpellings(text, this.#spellings, HIDDEN);
  }

  /** Without name and password. */
  url(text: string): string {
    if (!URL.canParse(text)) return HIDDEN;
    const url = new URL(text);
    const { origin } = url;
    if (this.#hidesUrl && !this.#urls.some((known) => text.startsWith(known))) return `${origin}/…`;
    return this.text(`${origin}${url.pathname}${url.search}`).replace(SECRET_PARAMETER, `$1${HIDDEN}`);
  }

  header(name: string, value: string): string {
    return SECRET_HEADER.test(name) ? HIDDEN : this.text(value);
  }

  /** What a service answered: its fields that say so are secrets too. */
  answer(text: string): string {
    return replaceSpellings(text, [...this.#spellings, ...this.#parts], HIDDEN).replace(SECRET_FIELD, `$1"${HIDDEN}"`);
  }
}
