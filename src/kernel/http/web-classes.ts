import { arrayBuffer, text } from 'node:stream/consumers';

/**
 * Headers, Request and Response of the Fetch standard, as far as Hono and its adaptor use them for an answer. Node's own load
 * all of fetch: 14 MB of memory and 20 ms of a start. In the executable, the build puts `web.Headers` in place of the global
 * `Headers`, and so on; tests and the terminal's clients use Node's.
 */

type HeadersSource = Iterable<readonly [string, string]> | Readonly<Record<string, string>>;

class LightHeaders {
  /** By name in small letters; every cookie is a value of its own. */
  readonly #values = new Map<string, string[]>();

  constructor(source: HeadersSource = {}) {
    for (const [name, value] of Symbol.iterator in source ? source : Object.entries(source)) this.append(name, value);
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase();
    this.#values.set(key, [...(this.#values.get(key) ?? []), String(value).trim()]);
  }

  set(name: string, value: string): void {
    this.#values.set(name.toLowerCase(), [String(value).trim()]);
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase())?.join(', ') ?? null;
  }

  getSetCookie(): readonly string[] {
    return this.#values.get('set-cookie') ?? [];
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  delete(name: string): void {
    this.#values.delete(name.toLowerCase());
  }

  forEach(callback: (value: string, name: string, headers: LightHeaders) => void): void {
    for (const [name, value] of this) callback(value, name, this);
  }

  *entries(): Generator<[string, string], void> {
    for (const name of [...this.#values.keys()].sort()) {
      if (name !== 'set-cookie') yield [name, this.get(name) ?? ''];
      else for (const cookie of this.getSetCookie()) yield [name, cookie];
    }
  }

  *keys(): Generator<string, void> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string, void> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string], void> {
    return this.entries();
  }
}

/** The base of the adaptor's own Response, which reads a body that is neither text nor bytes as a stream. */
class LightResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: LightHeaders;
  readonly body: ReadableStream | null;

  constructor(
    body: string | Uint8Array<ArrayBuffer> | ReadableStream | null = null,
    init: { readonly status?: number; readonly statusText?: string; readonly headers?: HeadersSource } = {},
  ) {
    this.status = init.status ?? 200;
    this.statusText = init.statusText ?? '';
    this.headers = new LightHeaders(init.headers);
    this.body = body === null || body instanceof ReadableStream ? body : new Blob([body]).stream();
  }

  text(): Promise<string> {
    return this.body ? text(this.body) : Promise.resolve('');
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return this.body ? arrayBuffer(this.body) : Promise.resolve(new ArrayBuffer(0));
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }
}

/** The adaptor makes its requests from Node's; bodies are read from the socket (`readBody`). */
class LightRequest {
  constructor() {
    throw new Error('a request of the Fetch standard is not available here; read the body with readBody');
  }
}

/** The adaptor replaces Request and Response with its own. */
export const web = { Headers: LightHeaders, Request: LightRequest, Response: LightResponse };
