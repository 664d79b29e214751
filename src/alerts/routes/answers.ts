import {
  answerArray,
  answerWith,
  type HttpContext,
  headerOf,
  type Method,
  noteAnswerSize,
} from '../../kernel/http/app.ts';
import type { Pattern } from '../../kernel/regexp/regexp.ts';

/** Methods for pages of any origin; a DELETE requires an allowed origin. */
const OPEN_METHODS: readonly string[] = ['GET', 'POST', 'HEAD'];
const OPEN_HEADERS: readonly string[] = ['accept', 'content-type', 'x-requested-with'];

/** Answers in the form that Alertmanager's clients expect. */
export class Answers {
  readonly #origins: ReadonlySet<string>;
  readonly #only: Pattern | undefined;
  readonly #allowsOrigin: ((origin: string) => boolean) | undefined;
  /** Whether pages of any origin may read and post. */
  readonly #isOpen: boolean;

  /**
   * Pages of `origins` may use every method, and so may origins that match `only` or pass `allowsOrigin`. With either of
   * the two, all others may use none.
   */
  constructor(origins: readonly string[], only?: Pattern, allowsOrigin?: (origin: string) => boolean) {
    this.#origins = new Set(origins);
    this.#only = only;
    this.#allowsOrigin = allowsOrigin;
    this.#isOpen = only === undefined && allowsOrigin === undefined;
  }

  /** 200 with a value as JSON. */
  json(c: HttpContext, value: unknown): Response {
    return this.jsonText(c, JSON.stringify(value));
  }

  /** 200 with a JSON text. */
  jsonText(c: HttpContext, text: string): Response {
    return this.#body(c, `${text}\n`, 200);
  }

  /** 200 with an array of JSON texts. */
  array(c: HttpContext, elements: readonly (string | Buffer)[]): Response {
    noteAnswerSize(c, sizeOfArray(elements));
    return answerArray(c, elements, this.#headers(c, 'application/json'));
  }

  /** A status without a body. */
  empty(c: HttpContext, status: 200 | 404): Response {
    return answerWith(c, null, status, { ...this.#headers(c), 'content-length': '0' });
  }

  /** A refusal by a handler: a JSON string. */
  refuse(c: HttpContext, status: 400 | 404 | 500 | 503, reason: string): Response {
    return this.#body(c, `${JSON.stringify(reason)}\n`, status);
  }

  /** A refusal before any handler: an object with the status and the reason. */
  refuseRequest(c: HttpContext, status: 404 | 406 | 413 | 415, message: string): Response {
    return this.#body(c, `${JSON.stringify({ code: status, message })}\n`, status);
  }

  /** 405 with `Allow`. */
  refuseMethod(c: HttpContext, allowed: readonly Method[]): Response {
    const message = `method ${c.req.method} is not allowed, but [${allowed.join(',')}] are`;
    const headers = { ...this.#headers(c, 'application/json'), allow: allowed.join(',') };
    if (c.req.method === 'HEAD') return answerWith(c, null, 405, headers);
    return answerWith(c, `${JSON.stringify({ code: 405, message })}\n`, 405, headers);
  }

  /** The answer to a CORS preflight; undefined for every other request. Source: rs/cors as Alertmanager sets it up. */
  preflight(c: HttpContext): Response | undefined {
    const method = headerOf(c, 'access-control-request-method')?.toUpperCase();
    if (c.req.method !== 'OPTIONS' || !method) return undefined;
    const headers: Record<string, string> = {
      'cache-control': 'no-store',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    };
    const origin = headerOf(c, 'origin');
    const named = origin !== undefined && this.#isNamed(origin);
    const isOpen = this.#isOpen && OPEN_METHODS.includes(method);
    const asked = (headerOf(c, 'access-control-request-headers') ?? '')
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter(Boolean);
    if (origin === undefined || !(named || isOpen)) return answerWith(c, null, 204, headers);
    const isTrusted = this.#only?.test(origin) ?? false;
    if (!isTrusted && !asked.every((name) => OPEN_HEADERS.includes(name))) return answerWith(c, null, 204, headers);
    headers['access-control-allow-origin'] = named ? origin : '*';
    headers['access-control-allow-methods'] = method;
    if (asked.length > 0) headers['access-control-allow-headers'] = asked.join(', ');
    return answerWith(c, null, 204, headers);
  }

  #isNamed(origin: string): boolean {
    return this.#origins.has(origin) || (this.#only?.test(origin) ?? false) || (this.#allowsOrigin?.(origin) ?? false);
  }

  #body(c: HttpContext, text: string, status: number): Response {
    noteAnswerSize(c, Buffer.byteLength(text));
    return answerWith(c, text, status, this.#headers(c, 'application/json'));
  }

  #headers(c: HttpContext, contentType?: string): Record<string, string> {
    const headers: Record<string, string> = { 'cache-control': 'no-store', vary: 'Origin' };
    if (contentType) headers['content-type'] = contentType;
    const origin = headerOf(c, 'origin');
    if (origin === undefined) return headers;
    if (this.#isNamed(origin)) headers['access-control-allow-origin'] = origin;
    else if (this.#isOpen && OPEN_METHODS.includes(c.req.method)) headers['access-control-allow-origin'] = '*';
    return headers;
  }
}

/** The length of a JSON array and its newline, in bytes. */
function sizeOfArray(elements: readonly (string | Buffer)[]): number {
  let size = 2 + Math.max(1, elements.length);
  for (const element of elements) size += Buffer.byteLength(element);
  return size;
}
