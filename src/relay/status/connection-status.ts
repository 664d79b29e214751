/** State of the data source, as named by LaunchDarkly's SDKs. */
export type ConnectionState = 'INITIALIZING' | 'VALID' | 'INTERRUPTED' | 'OFF';
export type ConnectionErrorKind = 'NETWORK_ERROR' | 'ERROR_RESPONSE' | 'INVALID_DATA' | 'STORE_ERROR' | 'UNKNOWN';

export interface ConnectionError {
  readonly kind: ConnectionErrorKind;
  /** Epoch milliseconds. */
  readonly time: number;
  /** Of an ERROR_RESPONSE. */
  readonly statusCode?: number | undefined;
}

const REVOKED: readonly (number | undefined)[] = [401, 403];

/** State machine of a data source connection. Times are epoch milliseconds. */
export class ConnectionStatus {
  #state: ConnectionState = 'INITIALIZING';
  #stateSince: number;
  #lastError: ConnectionError | undefined;
  /** Whether it has ever been VALID. */
  #wasValid = false;
  /** When it last left VALID. */
  #lostAt = 0;
  /** The status of the last refusal. */
  #refusal: number | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(now: number) {
    this.#stateSince = now;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get stateSince(): number {
    return this.#stateSince;
  }

  /** The most recent failure; kept after recovery. */
  get lastError(): ConnectionError | undefined {
    return this.#lastError;
  }

  /** Calls `listener` after each success and failure. Returns a function that ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Data has arrived. */
  succeeded(now: number): void {
    this.#wasValid = true;
    this.#enter('VALID', now);
    this.#notify();
  }

  /** A temporary failure. */
  failed(error: ConnectionError): void {
    this.#lastError = error;
    if (this.#state === 'VALID') this.#enter('INTERRUPTED', error.time);
    this.#notify();
  }

  /** The key is not accepted; a retry does not help. */
  refused(error: ConnectionError): void {
    this.#lastError = error;
    this.#refusal = error.statusCode;
    this.#enter('OFF', error.time);
    this.#notify();
  }

  /** Another key is tried: the refusal of the previous one no longer counts. */
  renewed(now: number): void {
    if (this.#state === 'OFF') this.#enter(this.#wasValid ? 'INTERRUPTED' : 'INITIALIZING', now);
  }

  /** Refused before any data arrived: the credentials of the environment count as unknown. */
  get isRefusedFromTheStart(): boolean {
    return this.#state === 'OFF' && !this.#wasValid;
  }

  /** Refused from the start as unknown or forbidden: the key has been revoked, or never existed. */
  get isRevoked(): boolean {
    return this.isRefusedFromTheStart && REVOKED.includes(this.#refusal);
  }

  /** Interruptions shorter than `disconnectedMs` count as connected. */
  isConnected(now: number, disconnectedMs: number): boolean {
    return this.#wasValid && (this.#state === 'VALID' || now - this.#lostAt < disconnectedMs);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #enter(state: ConnectionState, now: number): void {
    if (state === this.#state) return;
    if (this.#state === 'VALID') this.#lostAt = now;
    this.#state = state;
    this.#stateSince = now;
  }
}
