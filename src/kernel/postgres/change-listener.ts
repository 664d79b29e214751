import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Connection } from './connection.ts';
import type { Postgres } from './postgres.ts';

/** Between two attempts to listen. */
const RETRY_MS = 1_000;
/** Between two attempts behind a pooler in transaction mode, which passes on no notifications. */
const POOLER_RETRY_MS = 60_000;
/** Between two proofs that notifications still arrive. */
const PROOF_MS = 10_000;
/** The awake time in which a notification to oneself must arrive. */
const ARRIVAL_MS = 2_000;

/** What a listener sends to itself; those of other nodes are ignored. */
const PROOF = 'proof ';

export interface ChangeListenerOptions {
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly channel: string;
  /** Something may have changed: an empty notification, or a moment in which notifications may have been missed. */
  readonly wake: () => void;
  /** Takes all other notifications. */
  readonly hear?: (payload: string) => void;
}

/** Hears on a connection of its own when changes were committed. Notifications are lost with it, so it only saves waiting. */
export class ChangeListener {
  readonly #options: ChangeListenerOptions;
  #connection: Connection | undefined;
  #isHearing = false;
  #isClosed = false;
  #running: Promise<void> | undefined;
  #endPause = () => {};

  constructor(options: ChangeListenerOptions) {
    this.#options = options;
  }

  /** Whether notifications arrive. */
  get isHearing(): boolean {
    return this.#isHearing;
  }

  start(): void {
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endPause();
    await this.#connection?.end();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      let pauseMs = RETRY_MS;
      try {
        if (!(await this.#listen())) pauseMs = POOLER_RETRY_MS;
      } catch {
        // The database is away, which others report.
      }
      this.#isHearing = false;
      if (!this.#isClosed) await this.#pause(pauseMs);
    }
  }

  /** Listens until the connection breaks; false if notifications never arrived. */
  async #listen(): Promise<boolean> {
    const { postgres, channel, wake, hear } = this.#options;
    const connection = await postgres.connect();
    this.#connection = connection;
    let arrived: (payload: string) => unknown = () => {};
    try {
      connection.onNotification((payload) => {
        if (payload === '') wake();
        else if (payload.startsWith(PROOF)) arrived(payload);
        else hear?.(payload);
      });
      connection.onEnd(() => this.#endPause());
      await connection.query(`LISTEN ${channel}`, [], ARRIVAL_MS);
      for (let hasHeard = false; !this.#isClosed; hasHeard = true) {
        const proof = `${PROOF}${randomUUID()}`;
        const heard = new Promise<boolean>((resolve) => {
          arrived = (payload) => payload === proof && resolve(true);
          postgres.awake.after(ARRIVAL_MS, () => resolve(false));
          this.#endPause = () => resolve(false);
        });
        // Sent by another connection: behind a pooler this one's notifications arrive only during its own statements.
        await postgres.query('SELECT pg_notify($1, $2)', [channel, proof]);
        if (!(await heard)) {
          if (!hasHeard) await connection.query('UNLISTEN *', [], ARRIVAL_MS);
          return hasHeard;
        }
        this.#isHearing = true;
        // What was committed before LISTEN came without a notification.
        wake();
        if (!connection.isBroken) await this.#pause(PROOF_MS);
        if (connection.isBroken) return true;
      }
      return true;
    } finally {
      this.#isHearing = false;
      await connection.end();
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
