import { hash, randomBytes } from 'node:crypto';
import type { Environment } from './environment.ts';

/** `server`: identified by an SDK key; `mobile`: by a mobile key; `client`: JavaScript in a browser, by an environment id. */
export type SdkKind = 'server' | 'mobile' | 'client';
export const SDK_KINDS: readonly SdkKind[] = ['server', 'mobile', 'client'];

export type CredentialMatch = Environment | 'unknown credential' | 'unknown filter';

/** Environments with the same credential, by payload filter; `''` is without a filter. */
type Variants = Map<string, Environment>;

/** All credentials, as they are looked up: no key can be read from it. */
export interface CredentialTable<E> {
  readonly secret: string;
  readonly isComplete: boolean;
  readonly environments: readonly E[];
  readonly entries: readonly (readonly [sdkKind: SdkKind, name: string, filter: string, environment: E])[];
}

/** Finds the environment of a credential and payload filter. */
export class Credentials {
  readonly #variants: Readonly<Record<SdkKind, Map<string, Variants>>> = {
    server: new Map(),
    mobile: new Map(),
    client: new Map(),
  };
  readonly #environments = new Set<Environment>();
  /** Keys are looked up by keyed hash, so that timing reveals nothing about them. */
  #secret = randomBytes(32).toString('base64');
  #isComplete = true;
  readonly #listeners = new Set<() => void>();

  /** False until the list of environments is known. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  set isComplete(isComplete: boolean) {
    this.#isComplete = isComplete;
    this.#changed();
  }

  /** In order of addition. */
  get environments(): Iterable<Environment> {
    return this.#environments;
  }

  /** Adds an environment with the credentials of its options; again, if these have changed. */
  add(environment: Environment): void {
    if (this.#environments.has(environment)) this.#revoke(environment);
    this.#environments.add(environment);
    for (const sdkKind of SDK_KINDS) {
      const credential = credentialOf(environment, sdkKind);
      if (credential !== undefined) this.#grant(sdkKind, credential, environment);
    }
    for (const { sdkKind, key } of environment.options.additionalKeys ?? []) this.#grant(sdkKind, key, environment);
    // Once, so that no listener sees the environment without credentials.
    this.#changed();
  }

  /** Removes an environment and its credentials. Its streams end with its `close`. */
  remove(environment: Environment): void {
    this.#environments.delete(environment);
    this.#revoke(environment);
    this.#changed();
  }

  #revoke(environment: Environment): void {
    for (const sdkKind of SDK_KINDS) {
      for (const [hash, variants] of this.#variants[sdkKind]) {
        for (const [filter, held] of variants) if (held === environment) variants.delete(filter);
        if (variants.size === 0) this.#variants[sdkKind].delete(hash);
      }
    }
  }

  #grant(sdkKind: SdkKind, credential: string, environment: Environment): void {
    const hash = this.#hash(sdkKind, credential);
    const variants = this.#variants[sdkKind].get(hash) ?? new Map<string, Environment>();
    variants.set(environment.options.filter ?? '', environment);
    this.#variants[sdkKind].set(hash, variants);
  }

  /** `filter` is empty without a payload filter. */
  find(sdkKind: SdkKind, credential: string, filter = ''): CredentialMatch {
    const variants = this.#variants[sdkKind].get(this.#hash(sdkKind, credential));
    if (!variants) return 'unknown credential';
    return variants.get(filter) ?? 'unknown filter';
  }

  /** `listener` is called after each change. */
  subscribe(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Everything, for `restore`. */
  get table(): CredentialTable<Environment> {
    const entries = SDK_KINDS.flatMap((sdkKind) =>
      [...this.#variants[sdkKind]].flatMap(([name, variants]) =>
        [...variants].map(([filter, environment]) => [sdkKind, name, filter, environment] as const),
      ),
    );
    return { secret: this.#secret, isComplete: this.#isComplete, environments: [...this.#environments], entries };
  }

  /** Replaces everything. */
  restore({ secret, isComplete, environments, entries }: CredentialTable<Environment>): void {
    this.#secret = secret;
    this.#isComplete = isComplete;
    this.#environments.clear();
    for (const environment of environments) this.#environments.add(environment);
    for (const sdkKind of SDK_KINDS) this.#variants[sdkKind].clear();
    for (const [sdkKind, name, filter, environment] of entries) {
      const variants = this.#variants[sdkKind].get(name) ?? new Map<string, Environment>();
      this.#variants[sdkKind].set(name, variants.set(filter, environment));
    }
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #hash(sdkKind: SdkKind, credential: string): string {
    // An environment id is not secret. An HMAC would cost ten times as much; the result is only looked up.
    return sdkKind === 'client' ? credential : hash('sha256', this.#secret + credential, 'base64');
  }
}

function credentialOf({ options }: Environment, sdkKind: SdkKind): string | undefined {
  if (sdkKind === 'server') return options.sdkKey;
  return sdkKind === 'mobile' ? options.mobileKey : options.envId;
}

/**
 * Reads the Authorization header of server-side and mobile SDKs: a bare key, or with the old prefix `api_key`. Undefined
 * without a key, or with a scheme such as Bearer.
 */
export function readAuthorization(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = header.replace(/^api_key /, '').trim();
  return key === '' || key.includes(' ') ? undefined : key;
}
