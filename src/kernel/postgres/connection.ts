import type { Client, Notification } from 'pg';
import type { AwakeTime } from './awake-time.ts';
import type { ConnectionTarget } from './connection-url.ts';
import { isAwayAnswer, reasonOf, StorageAwayError, sqlStateOf } from './storage-error.ts';

export type Row = Readonly<Record<string, unknown>>;

/** The awake time that a connection gets to be ready. */
const CONNECT_MS = 2_000;
/** The awake time for the last words to a server; then the socket is destroyed. */
const GOODBYE_MS = 500;

/** The server's own limits, which outlive a client that went away. */
const STATEMENT_TIMEOUT_MS = 5_000;
const LIMITS = { idle_in_transaction_session_timeout: 3_000, lock_timeout: 3_000 };

/** OIDs of the types that are read differently from pg. */
const INT8 = 20;
const INT8_ARRAY = 1016;
const TIMESTAMPTZ = 1184;

export interface ConnectOptions {
  /** Awake time at which it is given up. */
  readonly deadlineAt: number;
  /** The longest statement, in milliseconds; the default is 5 s. */
  readonly statementTimeoutMs?: number;
}

/** Opens connections to one database. */
export class Connector {
  readonly #target: ConnectionTarget;
  readonly #applicationName: string;
  readonly #awake: AwakeTime;
  /** A pooler such as PgBouncer has refused the limits as parameters of a connection. */
  #isWithoutLimits = false;

  constructor(target: ConnectionTarget, applicationName: string, awake: AwakeTime) {
    this.#target = target;
    this.#applicationName = applicationName;
    this.#awake = awake;
  }

  /** Rejects with a StorageAwayError whose cause is the error. */
  async open({ deadlineAt, statementTimeoutMs = STATEMENT_TIMEOUT_MS }: ConnectOptions): Promise<Connection> {
    const limitMs = Math.min(CONNECT_MS, deadlineAt - this.#awake.now());
    const giveUpAt = this.#awake.now() + limitMs;
    let tls = this.#target.tls;
    for (;;) {
      try {
        return await this.#attempt(tls, statementTimeoutMs, giveUpAt - this.#awake.now());
      } catch (error) {
        if (tls && this.#target.isTlsOptional && isTlsRefused(error)) tls = undefined;
        else if (!this.#isWithoutLimits && isParameterRefused(error)) this.#isWithoutLimits = true;
        else throw new StorageAwayError(reasonOf(error), { isUncertain: false, cause: error });
      }
    }
  }

  async #attempt(tls: ConnectionTarget['tls'], statementTimeoutMs: number, ms: number): Promise<Connection> {
    const { default: pg } = await import('pg');
    const { host, port, user, database, password, bindsChannel, options } = this.#target;
    const client = new pg.Client({
      host,
      port,
      user,
      database,
      // Always a function, and never undefined: pg would look for a password itself, and warn.
      password: () => password() ?? '',
      ssl: tls ?? false,
      ...(bindsChannel ? { enableChannelBinding: true } : {}),
      ...(options === undefined ? {} : { options }),
      ...(this.#isWithoutLimits ? {} : { ...LIMITS, statement_timeout: statementTimeoutMs }),
      application_name: this.#applicationName,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: { getTypeParser: (oid, format) => parserOf(oid) ?? pg.types.getTypeParser(oid, format) },
    });
    const connection = new Connection(client, this.#awake);
    await connection.answerWithin(ms, client.connect());
    return connection;
  }
}

function isTlsRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('does not support SSL');
}

function isParameterRefused(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/i.test(error.message);
}

function parserOf(oid: number): ((text: string) => unknown) | undefined {
  if (oid === INT8) return Number;
  if (oid === INT8_ARRAY) return (text) => text.slice(1, -1).split(',').filter(Boolean).map(Number);
  if (oid === TIMESTAMPTZ) return readTimestamp;
  return undefined;
}

/** `2026-01-02 03:04:05.678901+00` or `infinity` as milliseconds since the Unix epoch. */
function readTimestamp(text: string): number {
  if (text.endsWith('infinity')) return text.startsWith('-') ? -Infinity : Infinity;
  return Date.parse(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
}

/** The socket beneath a client, which alone ends a connection that hangs. */
interface Inner {
  readonly connection: { readonly stream: { destroy(): void } };
}

/** One connection. After a failed answer it is broken, and its socket destroyed. */
export class Connection {
  readonly #client: Client;
  readonly #awake: AwakeTime;
  #isBroken = false;

  constructor(client: Client, awake: AwakeTime) {
    this.#client = client;
    this.#awake = awake;
    client.on('error', () => this.destroy());
    client.on('end', () => this.destroy());
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Rejects with a StorageAwayError that is uncertain without an answer, or with the error of the statement as pg gives it. */
  async query(sql: string, values: readonly unknown[], deadlineMs: number): Promise<readonly Row[]> {
    if (this.#isBroken) throw new StorageAwayError('the connection is broken', { isUncertain: false });
    try {
      // Without values a text may hold several statements.
      const result = this.#client.query<Row>(sql, values.length > 0 ? [...values] : undefined);
      return (await this.answerWithin(deadlineMs, result)).rows;
    } catch (error) {
      if (!this.#isBroken && !isAwayAnswer(error)) throw error;
      this.destroy();
      const isUncertain = sqlStateOf(error) !== '25006';
      throw new StorageAwayError(reasonOf(error), { isUncertain, cause: error });
    }
  }

  /** Calls `listener` at each notification, until the connection ends. */
  onNotification(listener: (payload: string) => void): void {
    this.#client.on('notification', ({ payload = '' }: Notification) => listener(payload));
  }

  onEnd(listener: () => void): void {
    this.#client.on('end', listener);
  }

  /** The answer, unless awake time passes without it: then the socket is destroyed. */
  answerWithin<T>(ms: number, answer: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const cancel = this.#awake.after(ms, () => {
        reject(new Error(`no answer within ${Math.round(ms / 100) / 10} s`));
        this.destroy();
      });
      answer.then(resolve, reject).finally(cancel);
    });
  }

  /** Ends it at once: a client whose query timed out would never answer again. */
  destroy(): void {
    this.#isBroken = true;
    (this.#client as unknown as Inner).connection.stream.destroy();
  }

  /** Says goodbye, and does not wait long for it. */
  async end(): Promise<void> {
    if (this.#isBroken) return;
    this.#isBroken = true;
    await this.answerWithin(GOODBYE_MS, this.#client.end()).catch(() => {});
    this.destroy();
  }
}
