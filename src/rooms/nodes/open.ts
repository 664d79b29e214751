import { tmpdir } from 'node:os';
import { type Clock, holdProcess } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { Members } from '../../kernel/postgres/members.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import type { OpenStorage } from '../composition/storage.ts';
import type { RoomsOptions } from '../config/rooms-options.ts';
import type { FileContents } from '../files/contents/contents.ts';
import { PROGRAM_VERSION } from '../health.ts';
import { PostgresRoomStore } from '../store/postgres/store.ts';
import { openContents } from './contents.ts';
import { COMPONENT, connectRoomDatabase } from './database.ts';
import type { RoomNodes } from './nodes.ts';
import { agreeOnSecretKey } from './secret-key.ts';
import { SharedJobs } from './shared-jobs.ts';
import { SharedSignals } from './signals.ts';
import { SharedTickets } from './tickets.ts';

export interface NodeOptions
  extends Pick<RoomsOptions, 'listenAddress' | 'nodeId' | 'secretKey' | 'storageWaitMs' | 'filesDir'> {
  readonly storageUrl: string;
}

/** Joins the nodes that share a database; a CommandError says why it cannot. */
export async function openNode(options: NodeOptions, clock: Clock, log: Log): Promise<OpenStorage> {
  const { storageUrl: url, storageWaitMs: waitMs, nodeId: name } = options;
  const { postgres, place } = await connectRoomDatabase({ url, name, waitMs, clock, log });
  const release = holdProcess();
  try {
    const { host = '', port } = options.listenAddress;
    const identity = {
      component: COMPONENT,
      name,
      address: `${host}:${port}`,
      version: PROGRAM_VERSION,
      configHash: '',
    };
    const members = new Members({ postgres, clock, ...identity });
    const secretKey = await agreeOnSecretKey(postgres, options.secretKey, log);
    const { incarnation } = members.own;
    const parts = { postgres, incarnation, clock, log };
    const signals = new SharedSignals(parts);
    const store = new PostgresRoomStore({ ...parts, announce: () => signals.announce() });
    await members.start();
    log.info('Joined the cluster', { database: place, name, nodes: namesOf(members) });
    const contents = openContents(options.filesDir, store.queries, postgres.clock);
    return new OpenNode({ postgres, members, store, signals, jobs: new SharedJobs(parts), secretKey, contents });
  } catch (error) {
    await postgres.close();
    throw postgres.explain(error);
  } finally {
    release();
  }
}

function namesOf(members: Members): string {
  return members
    .list()
    .filter(({ isAlive }) => isAlive)
    .map(({ name }) => name)
    .join(' ');
}

interface OpenNodeParts {
  readonly postgres: Postgres;
  readonly members: Members;
  readonly store: PostgresRoomStore;
  readonly signals: SharedSignals;
  readonly jobs: SharedJobs;
  readonly secretKey: string;
  readonly contents: FileContents;
}

/** This node among those that share a database. */
class OpenNode implements OpenStorage, RoomNodes {
  readonly kind = 'postgres';
  readonly store: PostgresRoomStore;
  readonly signals: SharedSignals;
  readonly jobs: SharedJobs;
  readonly secretKey: string;
  readonly contents: FileContents;
  readonly dataDir = tmpdir();
  readonly #postgres: Postgres;
  readonly #members: Members;

  constructor({ postgres, members, store, signals, jobs, secretKey, contents }: OpenNodeParts) {
    this.#postgres = postgres;
    this.#members = members;
    this.store = store;
    this.signals = signals;
    this.jobs = jobs;
    this.secretKey = secretKey;
    this.contents = contents;
  }

  start(): void {
    this.signals.start(this.store.log);
  }

  get nodes(): RoomNodes {
    return this;
  }

  /** The time of PostgreSQL, the same on all nodes. */
  get clock(): Clock {
    return this.#postgres.clock;
  }

  get away(): RoomNodes['away'] {
    const { awaySince: since, awayReason: reason = '' } = this.#postgres;
    return since === undefined ? undefined : { since, reason };
  }

  get weakness(): string | undefined {
    return this.#postgres.weakness;
  }

  get violations(): number {
    return this.store.log.violations;
  }

  openTickets(state: Parameters<RoomNodes['openTickets']>[0]): SharedTickets {
    return new SharedTickets({ postgres: this.#postgres, clock: this.clock, state });
  }

  subscribe(listener: () => void): void {
    this.#postgres.subscribe(listener);
  }

  /** Leaves the others. */
  async close(): Promise<void> {
    await this.jobs.close();
    await this.signals.close();
    await this.store.close();
    await this.#members.leave();
    await this.#postgres.close();
  }
}
