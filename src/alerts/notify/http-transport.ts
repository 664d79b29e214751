import type { Agent, Dispatcher } from 'undici';
import type { HttpConfig, TlsConfig } from '../config/http-config.ts';
import { HttpSetupError } from './http-error.ts';
import { exchangeOver } from './http-exchange.ts';
import { type HeaderFields, sortedHeaders } from './http-headers.ts';
import { readTls, type TlsSettings } from './http-tls.ts';
import type { HttpAnswer } from './notifier.ts';
import { type Environment, type ProxyChoice, type ProxySettings, proxyChoice } from './proxy.ts';
import { socksConnector } from './proxy-socks.ts';

/** Connections to one server at the same time. More requests wait for one. */
const MOST_CONNECTIONS = 256;

/** A proxy that is asked for a tunnel and says nothing for so long will not open one; no signal ends that question. */
const TUNNEL_SILENCE_MS = 10_000;

/**
 * Of what ky does by itself nothing is wanted. A signal that is aborted needs no listeners: to any other one ky and its
 * Request would add some, with finalizers that keep all of it alive until old objects are collected. The exchange has
 * the signal that counts.
 */
const PLAIN = {
  retry: 0,
  timeout: false,
  throwHttpErrors: false,
  signal: AbortSignal.abort(),
  // Reached only where ky does not take the answer of the hook for one: it must never send the request once more.
  fetch: () => Promise.reject(new HttpSetupError('the answer was not understood')),
} as const;

type Packages = readonly [typeof import('ky'), typeof import('undici')];
let packages: Promise<Packages> | undefined;

/** Only who sends something waits for them; in the one-file build each import() would copy all their exports anew. */
function loadPackages(): Promise<Packages> {
  packages ??= Promise.all([import('ky'), import('undici')]);
  return packages;
}

export interface TransportRequest {
  readonly method: string;
  /** Without a user's name and password. */
  readonly url: URL;
  readonly headers: HeaderFields;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  readonly statusSuffices?: boolean | undefined;
}

export interface TransportSettings extends ProxySettings {
  readonly tlsConfig: TlsConfig | undefined;
  readonly proxyConnectHeader: HttpConfig['proxyConnectHeader'];
}

/** Sends single requests over kept connections, through TLS and proxies. */
export class HttpTransport {
  readonly #settings: TransportSettings;
  readonly #proxyFor: ProxyChoice;
  /** By the proxy and the scheme of the target. */
  readonly #agents = new Map<string, Dispatcher>();
  #fingerprint = '';
  #closed = false;
  #underWay = 0;
  #whenIdle: (() => void) | undefined;

  constructor(settings: TransportSettings, environment: Environment) {
    this.#settings = settings;
    this.#proxyFor = proxyChoice(settings, environment);
  }

  /** Redirects and any status are answers. Rejects with whatever went wrong on the way. */
  async send(request: TransportRequest): Promise<HttpAnswer> {
    this.#underWay++;
    try {
      return await this.#exchange(request);
    } finally {
      if (--this.#underWay === 0) this.#whenIdle?.();
    }
  }

  async #exchange(request: TransportRequest): Promise<HttpAnswer> {
    const [{ default: ky }, undici] = await loadPackages();
    const agent = await this.#agentFor(request.url, undici);
    request.signal.throwIfAborted();
    const { url, method, headers, body } = request;
    const { origin, pathname, search } = url;
    const path = `${pathname}${search}`;
    const options = { origin, path, method, headers: sortedHeaders(headers), body: body ?? null };
    const answers: HttpAnswer[] = [];
    // Neither headers nor bodies go through ky: it would make objects and streams of them, which take longer than the
    // request itself. Where a hook gives the answer, it makes no copy of the request either.
    const exchange = async () => {
      const answer = await exchangeOver(agent, options, request);
      answers.push(answer);
      // Made here and not once: the web server puts a Response of its own in the place of Node's when it starts.
      return new Response(null, { status: answer.status });
    };
    await ky(url, { method, hooks: { beforeRequest: [exchange] }, ...PLAIN });
    return answers[0] as HttpAnswer;
  }

  /** Resolves when the last request has come to its end. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
      });
    }
    // What has been given up may still wait for a connection.
    await Promise.all(this.#takeAgents().map((agent) => agent.destroy()));
  }

  async #agentFor(target: URL, undici: typeof import('undici')): Promise<Dispatcher> {
    const tls = await readTls(this.#settings.tlsConfig);
    if (this.#closed) throw new HttpSetupError('the client is closed');
    if (tls.fingerprint !== this.#fingerprint) {
      this.#fingerprint = tls.fingerprint;
      for (const agent of this.#takeAgents()) void agent.close();
    }
    const proxy = this.#proxyFor(target);
    const key = proxy === undefined ? '' : `${target.protocol} ${proxy}`;
    const agent = this.#agents.get(key) ?? this.#createAgent(proxy, target.protocol, tls, undici);
    this.#agents.set(key, agent);
    return agent;
  }

  #createAgent(
    proxy: string | undefined,
    scheme: string,
    { options }: TlsSettings,
    { Agent, buildConnector, Pool, ProxyAgent }: typeof import('undici'),
  ): Dispatcher {
    // The signal of each request is the only limit on its time.
    const limits = { connections: MOST_CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 } satisfies Agent.Options;
    if (proxy === undefined) return new Agent({ ...limits, connect: options });
    const url = readProxy(proxy);
    if (/^socks5h?:$/.test(url.protocol)) {
      return new Agent({ ...limits, connect: socksConnector(url, buildConnector(options)) });
    }
    const { servername: _, ...proxyTls } = options;
    return new ProxyAgent({
      ...limits,
      ...withToken(url),
      requestTls: options,
      proxyTls,
      proxyTunnel: false,
      clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: TUNNEL_SILENCE_MS }),
      // Meant for the proxy alone, which sees them apart from the request only where it opens a tunnel.
      headers: scheme === 'https:' ? connectHeaders(this.#settings) : {},
    });
  }

  #takeAgents(): readonly Dispatcher[] {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    return agents;
  }
}

function connectHeaders({ proxyConnectHeader = {} }: TransportSettings): Record<string, string[]> {
  return Object.fromEntries(Object.entries(proxyConnectHeader).map(([name, values]) => [name, [...values]]));
}

function readProxy(proxy: string): URL {
  if (!URL.canParse(proxy)) throw new HttpSetupError('proxy_url is not a URL');
  const url = new URL(proxy);
  if (/^(https?|socks5h?):$/.test(url.protocol)) return url;
  throw new HttpSetupError(`proxies are spoken to by http, https or socks5, not by ${url.protocol.slice(0, -1)}`);
}

function withToken(proxy: URL): { uri: string; token?: string } {
  if (proxy.username === '') return { uri: proxy.href };
  const token = basicToken(decodeURIComponent(proxy.username), decodeURIComponent(proxy.password));
  const bare = new URL(proxy);
  bare.username = '';
  bare.password = '';
  return { uri: bare.href, token };
}

/** The value of a header that authorizes by name and password. */
export function basicToken(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
