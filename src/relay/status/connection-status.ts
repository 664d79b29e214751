/** How the source of an environment's data fares, in the words of LaunchDarkly's SDKs. */
export type ConnectionState = 'INITIALIZING' | 'VALID' | 'INTERRUPTED' | 'OFF';
export type ConnectionErrorKind = 'NETWORK_ERROR' | 'ERROR_RESPONSE' | 'INVALID_DATA' | 'STORE_ERROR' | 'UNKNOWN';

export interface ConnectionError {
  readonly kind: ConnectionErrorKind;
  /** Epoch milliseconds. */
  readonly time: number;
  /** Of an ERROR_RESPONSE. */
  readonly statusCode?: number | undefined;
}

/** The state machine of spec §10.3. Instants are epoch milliseconds. */
export class ConnectionStatus {
  #state: ConnectionState = 'INITIALIZING';
  #stateSince: number;
  #lastError: ConnectionError | undefined;
  /** Whether data has ever been there. */
  #wasValid = false;
  /** When it last ceased to be valid. */
  #lostAt = 0;

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

  /** Data has come. */
  succeeded(now: number): void {
    this.#wasValid = true;
    this.#enter('VALID', now);
  }

  /** Something failed that may pass. */
  failed(error: ConnectionError): void {
    this.#lastError = error;
    if (this.#state === 'VALID') this.#enter('INTERRUPTED', error.time);
  }

  /** The key is not accepted: nothing but another one would help. */
  refused(error: ConnectionError): void {
    this.#lastError = error;
    this.#enter('OFF', error.time);
  }

  /** Whether the source failed for good before it had ever delivered: its credentials then count as unknown. */
  get isRefusedFromTheStart(): boolean {
    return this.#state === 'OFF' && !this.#wasValid;
  }

  /** Connected, but for interruptions shorter than `disconnectedMs`. */
  isConnected(now: number, disconnectedMs: number): boolean {
    return this.#wasValid && (this.#state === 'VALID' || now - this.#lostAt < disconnectedMs);
  }

  #enter(state: ConnectionState, now: number): void {
    if (state === this.#state) return;
    if (this.#state === 'VALID') this.#lostAt = now;
    this.#state = state;
    this.#stateSince = now;
  }
}
