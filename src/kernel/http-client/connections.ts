import type { LookupFunction } from 'node:net';
import type { Agent, buildConnector, Dispatcher } from 'undici';
import { HttpClientError } from './failure.ts';
import { type ProxyChoice, type ProxySettings, proxyChoice, readProxy } from './proxy.ts';
import { socksConnector } from './socks.ts';
import type { TlsOptions } from './tls.ts';

export interface ConnectionOptions extends ProxySettings {
  /** Sent only to the proxy, with the request for a tunnel. */
  readonly connectHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Called before each request; another result closes the connections. */
  readonly tls?: (() => Promise<TlsOptions>) | undefined;
  /** The timeout of a connection, and then of its TLS handshake; ten seconds unless given. */
  readonly connectTimeoutMs?: number | undefined;
  /** Maximum connections to one server, while more requests wait; unlimited unless given. */
  readonly maxConnections?: number | undefined;
  /** Offers HTTP/2 beside HTTP/1.1 to servers that speak TLS. */
  readonly http2?: boolean | undefined;
  /** Resolves names, unless a proxy does so; not called for addresses. */
  readonly lookup?: LookupFunction | undefined;
}

type Undici = typeof import('undici');

/** Go's client keeps idle connections as long. */
const KEEP_ALIVE_MS = 90_000;

/** The time in which a proxy must open a tunnel; no signal ends that request. */
const TUNNEL_SILENCE_MS = 10_000;

const CONNECT_TIMEOUT_MS = 10_000;

/** The kept connections of one client, in one pool for each route: direct, or through a proxy. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #proxyFor: ProxyChoice;
  /** By the proxy and the scheme of the target. */
  readonly #agents = new Map<string, Dispatcher>();
  #tls = '';
  #isDestroyed = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#proxyFor = proxyChoice(options);
  }

  async dispatcherFor(target: URL, undici: Undici): Promise<Dispatcher> {
    const tls = await this.#readTls();
    if (this.#isDestroyed) throw new HttpClientError('the client is closed');
    const proxy = this.#proxyFor(target);
    const key = proxy === undefined ? '' : `${target.protocol} ${proxy}`;
    let agent = this.#agents.get(key);
    if (!agent) {
      agent = createAgent(this.#options, tls, proxy, target.protocol, undici);
      this.#agents.set(key, agent);
    }
    return agent;
  }

  /**
   * Takes the connections of a dispatcher out of use; its other requests go on. The streams of an HTTP/2 connection that has
   * died would all hang, while only its first one is given up.
   */
  leave(dispatcher: Dispatcher): void {
    for (const [key, agent] of this.#agents) {
      if (agent !== dispatcher) continue;
      this.#agents.delete(key);
      void agent.close();
    }
  }

  /** Closes all connections at once, and opens no more. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all(this.#takeAgents().map((agent) => agent.destroy()));
  }

  async #readTls(): Promise<TlsOptions> {
    const { tls: read } = this.#options;
    if (!read) return {};
    const tls = await read();
    const text = JSON.stringify(tls);
    if (text !== this.#tls) {
      this.#tls = text;
      for (const agent of this.#takeAgents()) void agent.close();
    }
    return tls;
  }

  #takeAgents(): readonly Dispatcher[] {
    const agents = [...this.#agents.values()];
    this.#agents.clear();
    return agents;
  }
}

function createAgent(
  options: ConnectionOptions,
  tls: TlsOptions,
  proxy: string | undefined,
  scheme: string,
  undici: Undici,
): Dispatcher {
  const { Agent, Pool, ProxyAgent } = undici;
  const { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS, maxConnections, lookup, connectHeaders = {} } = options;
  const { http2: allowH2 = false } = options;
  const limits = {
    allowH2,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    ...(maxConnections === undefined ? {} : { connections: maxConnections }),
  } satisfies Agent.Options;
  const connect: buildConnector.BuildOptions = {
    ...tls,
    ...(lookup ? { lookup } : {}),
    timeout,
    allowH2,
    preferH2: true,
  };
  if (proxy === undefined) return new Agent({ ...limits, connect });
  const url = readProxy(proxy);
  if (/^socks5h?:$/.test(url.protocol)) {
    return new Agent({ ...limits, connect: socksConnector(url, undici.buildConnector(connect), timeout, undici) });
  }
  const { servername: _, ...proxyTls } = connect as buildConnector.BuildOptions & TlsOptions;
  return new ProxyAgent({
    ...limits,
    ...withToken(url),
    requestTls: connect,
    proxyTls: { ...proxyTls, allowH2: false },
    // Plain requests are sent to the proxy without a tunnel: many allow CONNECT to port 443 only.
    proxyTunnel: false,
    factory: (origin, options) => new Pool(origin, { ...options, ...limits }),
    clientFactory: (origin, options) =>
      new Pool(origin, { ...options, ...limits, allowH2: false, headersTimeout: TUNNEL_SILENCE_MS }),
    headers: scheme === 'https:' ? copyLists(connectHeaders) : {},
  });
}

const copyLists = (lists: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, [...values]]));

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
