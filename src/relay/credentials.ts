import { createHmac, randomBytes } from 'node:crypto';
import type { Environment } from './environment.ts';

/** Who asks: a server with an SDK key, a mobile application with a mobile key, a browser with an environment's id. */
export type SdkKind = 'server' | 'mobile' | 'client';
export const SDK_KINDS: readonly SdkKind[] = ['server', 'mobile', 'client'];

export type CredentialMatch = Environment | 'unknown credential' | 'unknown filter';

/** Variants of one environment by their payload filter; `''` has all data. */
type Variants = Map<string, Environment>;

/** Finds the environment that a credential and a payload filter stand for. */
export class Credentials {
  readonly #variants: Readonly<Record<SdkKind, Map<string, Variants>>> = {
    server: new Map(),
    mobile: new Map(),
    client: new Map(),
  };
  readonly #environments = new Set<Environment>();
  /** How long the search takes tells nothing of the keys that it passes: those are keyed hashes. */
  readonly #secret = randomBytes(32);
  /** False until the list of environments is there, where it has to come from somewhere. */
  isComplete = true;

  /** Every environment, in the order in which they were added. */
  get environments(): Iterable<Environment> {
    return this.#environments;
  }

  /** Takes an environment with the credentials of its options. */
  add(environment: Environment): void {
    this.#environments.add(environment);
    for (const sdkKind of SDK_KINDS) {
      const credential = credentialOf(environment, sdkKind);
      if (credential !== undefined) this.grant(sdkKind, credential, environment);
    }
  }

  /** Forgets an environment and everything that stood for it; its streams are ended by its own `close`. */
  remove(environment: Environment): void {
    this.#environments.delete(environment);
    for (const sdkKind of SDK_KINDS) {
      for (const [hash, variants] of this.#variants[sdkKind]) {
        for (const [filter, held] of variants) if (held === environment) variants.delete(filter);
        if (variants.size === 0) this.#variants[sdkKind].delete(hash);
      }
    }
  }

  /** Lets one more credential stand for an environment, until that is removed. */
  grant(sdkKind: SdkKind, credential: string, environment: Environment): void {
    const hash = this.#hash(sdkKind, credential);
    const variants = this.#variants[sdkKind].get(hash) ?? new Map<string, Environment>();
    variants.set(environment.options.filter ?? '', environment);
    this.#variants[sdkKind].set(hash, variants);
  }

  /** `filter` is empty for all data. */
  find(sdkKind: SdkKind, credential: string, filter = ''): CredentialMatch {
    const variants = this.#variants[sdkKind].get(this.#hash(sdkKind, credential));
    if (!variants) return 'unknown credential';
    return variants.get(filter) ?? 'unknown filter';
  }

  #hash(sdkKind: SdkKind, credential: string): string {
    // An environment's id is no secret.
    return sdkKind === 'client' ? credential : createHmac('sha256', this.#secret).update(credential).digest('base64');
  }
}

function credentialOf({ options }: Environment, sdkKind: SdkKind): string | undefined {
  if (sdkKind === 'server') return options.sdkKey;
  return sdkKind === 'mobile' ? options.mobileKey : options.envId;
}

/**
 * Reads the header of servers and mobile applications: the bare key, with an old prefix `api_key`. Undefined when there is
 * none, or a scheme such as Bearer.
 */
export function readAuthorization(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = header.replace(/^api_key /, '').trim();
  return key === '' || key.includes(' ') ? undefined : key;
}
