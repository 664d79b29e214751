import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '../clock.ts';
import type { Postgres } from './postgres.ts';

/** A node of the same component, as the database knows it. */
export interface Member {
  readonly incarnation: string;
  readonly name: string;
  readonly address: string;
  readonly configHash: string;
  readonly version: string;
  /** Milliseconds since the Unix epoch, in the database's time. */
  readonly startedAt: number;
  readonly seenAt: number;
  /** Seen in the 5 s before the list was read. */
  readonly isAlive: boolean;
}

export interface MembersOptions {
  readonly postgres: Postgres;
  readonly clock: Clock;
  /** Nodes of other components are not listed. */
  readonly component: string;
  readonly name: string;
  readonly address: string;
  readonly version: string;
  readonly configHash: string;
}

const HEARTBEAT_MS = 1_000;

/** A heartbeat of this node, the end of those long gone, and the list. The snapshot is older than the heartbeat, hence UNION. */
const HEARTBEAT = `
  WITH own AS (
    INSERT INTO opsdeck.node (incarnation, component, name, address, version, config_hash) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (incarnation) DO UPDATE SET config_hash = excluded.config_hash, seen_at = clock_timestamp()
    RETURNING *
  ), gone AS (
    DELETE FROM opsdeck.node WHERE incarnation <> $1 AND seen_at < clock_timestamp() - interval '15 minutes'
  )
  SELECT incarnation, name, address, config_hash AS "configHash", version, started_at AS "startedAt", seen_at AS "seenAt",
    seen_at > clock_timestamp() - interval '5 seconds' AS "isAlive"
  FROM (
    SELECT * FROM own
    UNION ALL
    SELECT * FROM opsdeck.node WHERE incarnation <> $1 AND component = $2 AND seen_at > clock_timestamp() - interval '15 minutes'
  ) AS known
  ORDER BY name COLLATE "C", incarnation`;

/** A node that was killed and started again would otherwise be listed twice for a while. */
const REPLACE_FORMER =
  'DELETE FROM opsdeck.node WHERE component = $1 AND name = $2 AND address = $3 AND incarnation <> $4';

/** The nodes that share the database. While it is away, the last known ones. */
export class Members {
  readonly #options: MembersOptions;
  readonly #incarnation = randomUUID();
  #configHash: string;
  #list: readonly Member[];
  #running: Promise<void> = Promise.resolve();
  #cancel: CancelTimer = () => {};
  #hasLeft = false;

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#configHash = options.configHash;
    const { name, address, version, configHash, postgres } = options;
    const now = postgres.clock.now();
    const own = { incarnation: this.#incarnation, name, address, configHash, version, startedAt: now, seenAt: now };
    this.#list = [{ ...own, isAlive: true }];
  }

  /** Joins; resolves when this node is known to the others. */
  async start(): Promise<void> {
    const { postgres, clock, component, name, address } = this.#options;
    await postgres.query(REPLACE_FORMER, [component, name, address, this.#incarnation]);
    await this.#heartbeat();
    this.#cancel = clock.every(HEARTBEAT_MS, () => this.#beat());
  }

  /** Sorted by name, then incarnation, with this node; those not seen for 15 minutes are forgotten. */
  list(): readonly Member[] {
    return this.#list;
  }

  get own(): Member {
    return this.#list.find(({ incarnation }) => incarnation === this.#incarnation) as Member;
  }

  /** The place of this node among the live ones, from 0. */
  get position(): number {
    const live = this.#list.filter(({ isAlive, incarnation }) => isAlive || incarnation === this.#incarnation);
    return live.findIndex(({ incarnation }) => incarnation === this.#incarnation);
  }

  /** Tells the others which configuration runs here. */
  setConfigHash(hash: string): void {
    this.#configHash = hash;
    this.#beat();
  }

  /** At a clean stop: the others forget this node at once. Does not fail while the database is away. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    this.#cancel();
    await this.#running;
    const left = this.#options.postgres.query('DELETE FROM opsdeck.node WHERE incarnation = $1', [this.#incarnation]);
    await left.catch(() => {});
  }

  /** One after the other, so that an old hash never follows a new one. */
  #beat(): void {
    this.#running = this.#running.then(() => (this.#hasLeft ? undefined : this.#heartbeat())).catch(() => {});
  }

  async #heartbeat(): Promise<void> {
    const { postgres, component, name, address, version } = this.#options;
    const values = [this.#incarnation, component, name, address, version, this.#configHash];
    this.#list = await postgres.query<Member>(HEARTBEAT, values);
  }
}
