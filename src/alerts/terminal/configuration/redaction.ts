import { HIDDEN, withoutPassword } from '../../config/kind.ts';
import { partsOfUrl, replaceSpellings, spellingsOf } from '../../integrations/secret-texts.ts';

/** Names of headers, query parameters and fields of answers whose values are secrets. */
const SECRET_NAME = 'auth|token|secret|passw|apikey|api_key|api-key|cookie|signature';
const SECRET_HEADER = new RegExp(SECRET_NAME, 'i');
const SECRET_PARAMETER = new RegExp(`([?&][^=&#]*(?:${SECRET_NAME})[^=&#]*=)[^&#]*`, 'gi');
const SECRET_FIELD = new RegExp(`("[^"]*(?:${SECRET_NAME})[^"]*"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');

/** Shorter texts between the actions of a template, and shorter variables, are no secrets and occur in any text. */
const MIN_PIECE = 4;

function camelOf(name: string): string {
  return name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

interface Shown {
  /** The secrets that the printed configuration hides. */
  readonly secrets: string[];
  /** The URLs that it shows. */
  readonly urls: string[];
}

/** Compares a configuration with its printed form. */
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

/** Removes the secrets of an integration from its printed requests and answers. */
export class Redaction {
  readonly #spellings = new Set<string>();
  /** The parts of secret URLs that a service may quote. */
  readonly #parts = new Set<string>();
  readonly #urls: readonly string[];
  /** Whether a URL is a secret: then only the host is shown of URLs that the printed configuration hides. */
  #hidesUrl = false;

  /** `printed` is the printed form of the configuration; `variables` are those of the whole file. */
  constructor(config: unknown, printed: unknown, variables: readonly string[] = []) {
    const shown: Shown = { secrets: [], urls: [] };
    compare(config, printed, shown);
    this.#urls = shown.urls;
    for (const secret of shown.secrets) this.hide(secret);
    for (const value of variables) if (value.length >= MIN_PIECE) this.hide(value);
  }

  /** Adds a secret, such as one read from a file. */
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

  /** A service's answer: fields with the names of secrets are hidden as well. */
  answer(text: string): string {
    return replaceSpellings(text, [...this.#spellings, ...this.#parts], HIDDEN).replace(SECRET_FIELD, `$1"${HIDDEN}"`);
  }
}
