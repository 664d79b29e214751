import type { AwakeTime } from './awake-time.ts';
import type { Connection, Connector } from './connection.ts';
import { StorageAwayError } from './storage-error.ts';

/** A few connections, opened when needed and kept. */
export class Pool {
  readonly #connector: Connector;
  readonly #awake: AwakeTime;
  readonly #size: number;
  #inUse = 0;
  #idle: Connection[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(connector: Connector, awake: AwakeTime, size: number) {
    this.#connector = connector;
    this.#awake = awake;
    this.#size = size;
  }

  /** Runs `work` on a connection, which is kept unless it breaks. Rejects with a certain StorageAwayError if none could be had. */
  async use<T>(deadlineAt: number, work: (connection: Connection) => Promise<T>): Promise<T> {
    await this.#enter(deadlineAt);
    try {
      const connection = this.#takeIdle() ?? (await this.#connector.open({ deadlineAt }));
      try {
        return await work(connection);
      } finally {
        if (!connection.isBroken) this.#idle.push(connection);
      }
    } finally {
      this.#leave();
    }
  }

  /** Destroys the idle connections, which may lead nowhere. */
  clear(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  /** Ends it when the connections in use are back. */
  async close(): Promise<void> {
    const slots = Array.from({ length: this.#size }, () => this.#enter(Number.POSITIVE_INFINITY));
    await Promise.all(slots);
    await Promise.all(this.#idle.splice(0).map((connection) => connection.end()));
  }

  /** The last one used first: the others may have been dropped on the way. */
  #takeIdle(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (!connection.isBroken) return connection;
    }
    return undefined;
  }

  #enter(deadlineAt: number): Promise<void> {
    if (this.#inUse < this.#size) {
      this.#inUse++;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const cancel = this.#awake.after(deadlineAt - this.#awake.now(), () => {
        this.#waiting.delete(enter);
        reject(new StorageAwayError('all connections are busy', { isUncertain: false }));
      });
      const enter = () => {
        cancel();
        resolve();
      };
      this.#waiting.add(enter);
    });
  }

  /** Hands the slot to the first that waits. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next && this.#waiting.delete(next)) next();
    else this.#inUse--;
  }
}
