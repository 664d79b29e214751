import { readFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import type { Dispatcher } from 'undici';
import { messageOf, systemCodeOf } from './errors.ts';
import { webStreamOf } from './web-stream.ts';

export interface HttpFetchOptions {
  /** `http://` or `https://`, with name and password if it asks for them. Undefined: as the environment says. */
  readonly proxyUrl?: string | undefined;
  /** PEM files of authorities that are trusted beside the usual ones. */
  readonly caCertFiles?: readonly string[] | undefined;
  /** How long a connection, and then its TLS, may take to come about. */
  readonly connectTimeoutMs: number;
  /** Where HTTP_PROXY, HTTPS_PROXY and NO_PROXY stand, in capital or small letters. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** How the names of those who are connected to directly are resolved; not asked for addresses, nor by a proxy. */
  readonly lookup?: LookupFunction | undefined;
}

export interface HttpRequest {
  /** GET unless told. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable;
  /** The only limit on the time of the answer and its body. */
  readonly signal?: AbortSignal;
}

type Packages = readonly [typeof import('ky'), typeof import('undici')];
let packages: Promise<Packages> | undefined;

/** In the one-file build each import() would copy all exports of a package anew. */
function loadPackages(): Promise<Packages> {
  packages ??= Promise.all([import('ky'), import('undici')]);
  return packages;
}

/** Sends requests over kept connections, through proxies, and hands out the bodies of the answers as they come in. */
export class HttpFetch {
  readonly #options: HttpFetchOptions;
  #dispatcher: Promise<Dispatcher> | undefined;
  #isClosed = false;

  constructor(options: HttpFetchOptions) {
    this.#options = options;
  }

  /**
   * Redirects and any status are answers. Rejects with whatever went wrong on the way; its text may quote the request. A
   * body that is not read to its end must be cancelled, or its connection is kept for it.
   */
  async fetch(url: string | URL, { method = 'GET', headers = {}, body, signal }: HttpRequest = {}): Promise<Response> {
    refuseCredentials(url);
    const [{ default: ky }, undici] = await loadPackages();
    const dispatcher = await this.#connected(undici);
    signal?.throwIfAborted();
    return ky(url, {
      method,
      headers,
      retry: 0,
      timeout: false,
      throwHttpErrors: false,
      fetch: async () =>
        toResponse(
          await undici.request(url, {
            method: method as Dispatcher.HttpMethod,
            headers,
            body: body ?? null,
            dispatcher,
            ...(signal ? { signal } : {}),
          }),
        ),
    });
  }

  /** Cuts all connections; requests from then on are refused. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const dispatcher = await this.#dispatcher?.catch(() => undefined);
    await dispatcher?.destroy();
  }

  async #connected(undici: typeof import('undici')): Promise<Dispatcher> {
    if (this.#isClosed) throw new Error('the client is closed');
    this.#dispatcher ??= createDispatcher(this.#options, undici);
    try {
      return await this.#dispatcher;
    } catch (error) {
      // A certificate file may be there the next time.
      this.#dispatcher = undefined;
      throw error;
    }
  }
}

async function createDispatcher(
  { proxyUrl, caCertFiles = [], connectTimeoutMs, variables, lookup }: HttpFetchOptions,
  { EnvHttpProxyAgent, ProxyAgent }: typeof import('undici'),
): Promise<Dispatcher> {
  const tls = { timeout: connectTimeoutMs, ...(await readAuthorities(caCertFiles)) };
  const options = {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: lookup ? { ...tls, lookup } : tls,
    requestTls: tls,
    proxyTls: tls,
    // Plain requests go through a proxy as such: many let CONNECT through to port 443 only.
    proxyTunnel: false,
  };
  if (proxyUrl) return new ProxyAgent({ ...options, ...readProxy(proxyUrl) });
  const variable = (name: string) => variables[name.toLowerCase()] || variables[name] || '';
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: withScheme(variable('HTTP_PROXY')),
    httpsProxy: withScheme(variable('HTTPS_PROXY')),
    noProxy: withThisMachine(variable('NO_PROXY')),
  });
}

/** Authorities that are named to Node replace its own, so that these are named too. */
async function readAuthorities(files: readonly string[]): Promise<{ ca?: string[] }> {
  if (files.length === 0) return {};
  const read = async (file: string) => {
    try {
      return await readFile(file, 'utf8');
    } catch (error) {
      throw new Error(`cannot read the certificates in ${file}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  };
  return { ca: [...rootCertificates, ...(await Promise.all(files.map(read)))] };
}

function withScheme(proxy: string): string {
  return proxy === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/** A proxy of the environment is not asked for what runs on this machine, as Go and curl have it. */
function withThisMachine(noProxy: string): string {
  return noProxy.trim() === '*' ? '*' : `${noProxy},localhost,127.0.0.1,[::1]`;
}

function readProxy(proxy: string): { uri: string; token?: string } {
  const address = withScheme(proxy);
  // The text of the error that URL throws would quote a password.
  if (!URL.canParse(address)) throw new Error('the URL of the proxy is none');
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol))
    throw new Error(`proxies are spoken to by http or https, not by ${url.protocol}`);
  if (url.username === '') return { uri: url.href };
  const token = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = '';
  url.password = '';
  return { uri: url.href, token: `Basic ${Buffer.from(token).toString('base64')}` };
}

/** The client would do so, too, but quote them. */
function refuseCredentials(url: string | URL): void {
  if (!URL.canParse(String(url))) throw new Error('the URL of the request is not a URL');
  const { username, password } = new URL(String(url));
  if (username || password) throw new Error('the URL of the request must not hold a name or password');
}

function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData): Response {
  if (statusCode < 200 || statusCode > 599) {
    body.destroy();
    throw new Error(`the answer has the status ${statusCode}`);
  }
  const named = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) named.append(name, one);
  }
  if (statusCode === 204 || statusCode === 205 || statusCode === 304) {
    body.resume();
    return new Response(null, { status: statusCode, headers: named });
  }
  return new Response(webStreamOf(body), { status: statusCode, headers: named });
}
