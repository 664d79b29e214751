import { lookup as resolveAll } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AnswerRules, HttpAnswer } from '../../kernel/http-client/exchange.ts';
import { HttpClient, type HttpRequest, type HttpStream } from '../../kernel/http-client/http-client.ts';
import { accepted, type Outcome, refuse } from '../domain/refusal.ts';
import { classifyAddress } from './outbound-address.ts';

export interface OutboundGuardOptions {
  readonly connectTimeoutMs: number;
  /** Name resolution; the system's by default. */
  readonly resolve?: Resolve;
  /** A proxy for public addresses. That of the environment is not used: it would resolve names unchecked. */
  readonly proxyUrl?: string | undefined;
}

/** Permissions given by an admin. */
export interface AddressRights {
  readonly allowPrivate: boolean;
}

export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

/** The address may not be reached on behalf of a room. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/**
 * Sends requests to addresses entered by users, and keeps them away from this machine, its network and the metadata of
 * clouds. An address is checked when it is saved and, as resolved, at each connection: the checked address is the one
 * connected to. Redirects are not followed. A proxy only gets requests to addresses that resolve as public here; it
 * resolves names again, so it needs rules of its own. Allowed private addresses never use it.
 */
export class OutboundGuard {
  readonly #resolve: Resolve;
  readonly #open: HttpClient;
  readonly #strict: HttpClient;
  readonly #proxy: HttpClient | undefined;

  constructor({ connectTimeoutMs, resolve = resolveBySystem, proxyUrl }: OutboundGuardOptions) {
    this.#resolve = resolve;
    this.#open = new HttpClient({ connectTimeoutMs, lookup: this.#lookup(true) });
    this.#strict = new HttpClient({ connectTimeoutMs, lookup: this.#lookup(false) });
    this.#proxy = proxyUrl === undefined ? undefined : new HttpClient({ connectTimeoutMs, proxyUrl });
  }

  /** Checks an address to be saved, without resolving its name, which may change. */
  check(url: string, { allowPrivate }: AddressRights): Outcome<URL> {
    if (!URL.canParse(url)) return refuse('invalid_body', `${JSON.stringify(url)} is not a URL`);
    const parsed = new URL(url);
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
      return refuse('invalid_body', `the URL must begin with https:// or http://, not ${parsed.protocol}`);
    if (parsed.username !== '' || parsed.password !== '')
      return refuse('invalid_body', 'the URL must not hold a user name or password');
    const host = hostOf(parsed);
    if (isIP(host) === 0) {
      const isLocal = host === 'localhost' || host.endsWith('.localhost');
      return isLocal && !allowPrivate ? refuse('invalid_body', privateText(host)) : accepted(parsed);
    }
    const reason = objection(host, host, allowPrivate);
    return reason === undefined ? accepted(parsed) : refuse('invalid_body', reason);
  }

  /** As HttpClient; rejects with a ForbiddenAddressError for a forbidden address. */
  async send(request: HttpRequest & AnswerRules, rights: AddressRights): Promise<HttpAnswer> {
    return (await this.#clientFor(request, rights)).send(request);
  }

  /** As `send`, with an answer that is read as a stream. */
  async open(request: HttpRequest, rights: AddressRights): Promise<HttpStream> {
    return (await this.#clientFor(request, rights)).open(request);
  }

  async close(): Promise<void> {
    await Promise.all([this.#open.close(), this.#strict.close(), this.#proxy?.close()]);
  }

  async #clientFor({ url, signal }: HttpRequest, { allowPrivate }: AddressRights): Promise<HttpClient> {
    const checked = this.check(String(url), { allowPrivate });
    if (!checked.ok) throw new ForbiddenAddressError(checked.reason);
    const direct = allowPrivate ? this.#open : this.#strict;
    const proxy = this.#proxy;
    return proxy && (await this.#isPublic(hostOf(checked.value), signal)) ? proxy : direct;
  }

  /** Whether all addresses of a host are public. */
  #isPublic(host: string, signal: AbortSignal | undefined): Promise<boolean> {
    if (isIP(host) !== 0) return Promise.resolve(classifyAddress(host) === 'public');
    return new Promise((done, fail) => {
      signal?.addEventListener('abort', () => fail(signal.reason), { once: true });
      this.#resolve(host, (error, addresses) => {
        if (error || addresses.length === 0) fail(error ?? withoutAddress(host));
        else done(addresses.every(({ address }) => classifyAddress(address) === 'public'));
      });
    });
  }

  #lookup(allowPrivate: boolean): LookupFunction {
    return (hostname, options, done) => {
      this.#resolve(hostname, (error, addresses) => {
        const first = addresses[0];
        if (error || !first) return done(error ?? withoutAddress(hostname), '', 0);
        for (const { address } of addresses) {
          const reason = objection(address, hostname, allowPrivate);
          if (reason !== undefined) return done(new ForbiddenAddressError(reason), '', 0);
        }
        if (options.all) done(null, [...addresses]);
        else done(null, first.address, first.family);
      });
    };
  }
}

function resolveBySystem(hostname: string, done: Parameters<Resolve>[1]): void {
  resolveAll(hostname, { all: true }, (error, addresses) => done(error, addresses ?? []));
}

const withoutAddress = (host: string): Error => new Error(`${host} has no address`);

/** Without brackets, and without the final dot, which makes `localhost.` the same name. */
const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');

/** Names the entered host, not its addresses, which would reveal the network. */
function objection(address: string, named: string, allowPrivate: boolean): string | undefined {
  const found = classifyAddress(address);
  if (found === 'forbidden') return `${named} is an address that may not be reached`;
  return found === 'private' && !allowPrivate ? privateText(named) : undefined;
}

const privateText = (host: string): string =>
  `${host} is an address of this machine or of a private network; an admin may allow it with allowPrivate`;
