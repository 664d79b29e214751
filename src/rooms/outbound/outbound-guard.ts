import { lookup as resolveAll } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { HttpFetch, type HttpRequest } from '../../kernel/http-fetch.ts';
import { granted, refuse, type Verdict } from '../domain/refusal.ts';
import { classifyAddress } from './outbound-address.ts';

export interface OutboundGuardOptions {
  readonly connectTimeoutMs: number;
  /** How a name is resolved; the system's way unless given. */
  readonly resolve?: Resolve;
  /** Where HTTP_PROXY and its kind are looked up: a proxy resolves names itself, and stands for what it lets through. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly { readonly address: string; readonly family: number }[]) => void,
) => void;

/** Where something was to be sent that nobody who speaks for a room may reach. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/**
 * Sends requests to addresses that people have entered, and keeps them away from this machine, its network and the
 * metadata of clouds. An address is checked when it is saved and, as resolved, at each connection: what is checked is
 * what is connected to. Redirects are answers; nobody follows them.
 */
export class OutboundGuard {
  readonly #resolve: Resolve;
  readonly #open: HttpFetch;
  readonly #strict: HttpFetch;

  constructor({ connectTimeoutMs, resolve = resolveBySystem, variables }: OutboundGuardOptions) {
    this.#resolve = resolve;
    const common = { connectTimeoutMs, variables };
    this.#open = new HttpFetch({ ...common, lookup: this.#lookup(true) });
    this.#strict = new HttpFetch({ ...common, lookup: this.#lookup(false) });
  }

  /** Whether an address may be saved. Names are not resolved here: what they stand for may change. */
  check(url: string, { allowPrivate }: { readonly allowPrivate: boolean }): Verdict<URL> {
    if (!URL.canParse(url)) return refuse('invalid_body', `${JSON.stringify(url)} is not a URL`);
    const parsed = new URL(url);
    if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
      return refuse('invalid_body', `the URL must begin with https:// or http://, not ${parsed.protocol}`);
    if (parsed.username !== '' || parsed.password !== '')
      return refuse('invalid_body', 'the URL must not hold a user name or password');
    const host = hostOf(parsed);
    if (isIP(host) === 0) {
      const isLocal = host === 'localhost' || host.endsWith('.localhost');
      return isLocal && !allowPrivate ? refuse('invalid_body', privateText(host)) : granted(parsed);
    }
    const reason = objection(host, host, allowPrivate);
    return reason === undefined ? granted(parsed) : refuse('invalid_body', reason);
  }

  /** As HttpFetch; rejects with a ForbiddenAddressError where the address may not be reached. */
  async fetch(url: URL, request: HttpRequest, { allowPrivate }: { readonly allowPrivate: boolean }): Promise<Response> {
    const checked = this.check(url.href, { allowPrivate });
    if (!checked.ok) throw new ForbiddenAddressError(checked.reason);
    return (allowPrivate ? this.#open : this.#strict).fetch(checked.value, request);
  }

  async close(): Promise<void> {
    await Promise.all([this.#open.close(), this.#strict.close()]);
  }

  #lookup(allowPrivate: boolean): LookupFunction {
    return (hostname, options, done) => {
      this.#resolve(hostname, (error, addresses) => {
        const first = addresses[0];
        if (error || !first) return done(error ?? new Error(`${hostname} has no address`), '', 0);
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

/** Without brackets, and without the dot at the end that makes `localhost.` the same name. */
const hostOf = ({ hostname }: URL): string =>
  hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '');

/** Names what was entered, not what it resolves to: that would tell of a network what it looks like. */
function objection(address: string, named: string, allowPrivate: boolean): string | undefined {
  const found = classifyAddress(address);
  if (found === 'forbidden') return `${named} is an address that may not be reached`;
  return found === 'private' && !allowPrivate ? privateText(named) : undefined;
}

const privateText = (host: string): string =>
  `${host} is an address of this machine or of a private network; an admin may allow it with allowPrivate`;
