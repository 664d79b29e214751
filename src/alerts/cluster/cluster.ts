// Memory answers and decides, as on a single node; PostgreSQL is the common journal and the referee. Every write is one
// statement, which also logs what it has changed; the feed of those changes keeps the memory of all nodes alike.
import { hostname } from 'node:os';
import type { Clock } from '../../kernel/clock.ts';
import { Conditions } from '../../kernel/conditions.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Change, ChangeFeed } from '../../kernel/postgres/change-feed.ts';
import { Members } from '../../kernel/postgres/members.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { StorageAwayError } from '../../kernel/postgres/storage-error.ts';
import { describeMember } from '../cluster-member.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import type { ClusterMember } from '../contract/wire.ts';
import { noteFailure } from '../pipeline/notification/health.ts';
import { type AlertState, restoreState } from '../state/alert-state.ts';
import type { Nodes } from '../state/nodes.ts';
import type { AlertServerStorage, OpenStorage } from '../state/storage.ts';
import { ClusterAlerts } from './alerts.ts';
import { ClusterClaims } from './claims.ts';
import { COMPONENT, connectAlertDatabase } from './database.ts';
import { nodesOf, watchConfig } from './nodes.ts';
import { ClusterNotifications, type FenceOf } from './notifications.ts';
import { ClusterSilences } from './silences.ts';
import { ClusterTimers } from './timers.ts';

const RECOVERY_RETRY_MS = 500;

export interface ClusterOptions
  extends Pick<
    AlertServerOptions,
    'clusterListenAddress' | 'clusterPeerName' | 'listenAddresses' | 'retentionMs' | 'storageWaitMs'
  > {
  /** Of the database; with the password. */
  readonly url: string;
  /** Of the configuration in force. */
  readonly configHash: () => string;
  /** The clock of the machine. */
  readonly clock: Clock;
  readonly log: Log;
}

/** Joins the nodes that share a database; a CommandError says why it cannot. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { url, storageWaitMs: waitMs, configHash, clock, log } = options;
  const { name, address } = memberOf(options);
  const { postgres, place } = await connectAlertDatabase({ url, name, waitMs, clock, log });
  try {
    const version = OPSDECK_VERSION;
    const members = new Members({
      postgres,
      clock,
      component: COMPONENT,
      name,
      address,
      version,
      configHash: configHash(),
    });
    await members.start();
    log.info('Joined the cluster', { database: place, name });
    return new Cluster(postgres, members, options);
  } catch (error) {
    await postgres.close();
    throw postgres.explain(error);
  }
}

/** Named after its host and port, if the port is fixed. */
function memberOf({ clusterListenAddress, clusterPeerName, listenAddresses }: ClusterOptions): ClusterMember {
  const [web = { host: undefined, port: 0 }] = listenAddresses;
  const name = clusterPeerName ?? (web.port === 0 ? undefined : `${hostname()}:${web.port}`);
  return describeMember(clusterListenAddress ?? web, name, web.port) as ClusterMember;
}

/** This node among those that share a database. */
export class Cluster implements OpenStorage {
  readonly storage: AlertServerStorage;
  readonly nodes: Nodes;
  readonly #postgres: Postgres;
  readonly #members: Members;
  readonly #log: Log;
  readonly #feed: ChangeFeed;
  readonly #silences: ClusterSilences;
  readonly #alerts: ClusterAlerts;
  readonly #notifications: ClusterNotifications;
  readonly #claims: ClusterClaims;
  readonly #conditions = new Conditions();
  readonly #stopWatching: () => void;
  #state: AlertState | undefined;
  #isLoaded = false;
  #recovering: Promise<void> = Promise.resolve();
  #unsubscribe = () => {};

  constructor(postgres: Postgres, members: Members, { clock, log, retentionMs, configHash }: ClusterOptions) {
    this.#postgres = postgres;
    this.#members = members;
    this.#log = log;
    this.#feed = new ChangeFeed({
      ...{ postgres, clock, log },
      apply: (changes) => this.#apply(changes),
      reload: () => this.#load(),
    });
    this.#silences = new ClusterSilences(postgres);
    this.#alerts = new ClusterAlerts(postgres, clock, log);
    const recovered = () => this.#recovering;
    this.#claims = new ClusterClaims({ postgres, feed: this.#feed, members, clock, log, recovered });
    const fenceOf: FenceOf = ({ evaluation }) => this.#claims.fenceOf(evaluation.claim);
    this.#notifications = new ClusterNotifications(postgres, { fenceOf, retentionMs, node: members.own.name, log });
    this.storage = {
      silences: this.#silences,
      alerts: this.#alerts,
      timers: new ClusterTimers(postgres, clock, log),
      notifications: this.#notifications,
      claims: this.#claims,
      conditions: this.#conditions,
      commit: () => {},
    };
    this.nodes = nodesOf(postgres, members);
    this.#stopWatching = watchConfig({ nodes: this.nodes, configHash, conditions: this.#conditions, clock, log });
  }

  /** The time of PostgreSQL, the same on all nodes. */
  get clock(): Clock {
    return this.#postgres.clock;
  }

  async load(state: AlertState): Promise<void> {
    this.#state = state;
    await this.#feed.start();
    this.#unsubscribe = this.#postgres.subscribe((isUp) => this.#noteAvailability(isUp));
  }

  /** Leaves the cluster. */
  async close(): Promise<void> {
    this.#stopWatching();
    this.#unsubscribe();
    await this.#claims.close();
    await this.#feed.close();
    await this.#members.leave();
    await this.#postgres.close();
  }

  #noteAvailability(isUp: boolean): void {
    if (isUp) {
      this.#conditions.clear(COMPONENT);
      this.#recovering = this.#recover();
      return;
    }
    const since = new Date(this.#postgres.awaySince ?? this.clock.now()).toISOString();
    const text = `PostgreSQL is away since ${since}: alerts are accepted and notified by every node, silences cannot be changed`;
    this.#conditions.set(COMPONENT, { code: 'postgresql_away', text, values: { since } });
  }

  #apply(changes: readonly Change[]): void {
    const state = this.#state as AlertState;
    for (const { kind, key, body } of changes) {
      const text = body ?? '';
      if (kind === 'alert') this.#applyAlert(state, key, text);
      else if (kind === 'silence') this.#applySilence(state, key, text);
      else if (kind === 'notification') this.#applyNotification(state, key, text);
      else if (kind === 'failure') noteFailure(state, this.#notifications.receiveFailure(text));
      else if (kind === 'flush') {
        const flush = this.#claims.receive(key, text);
        if (flush) state.dispatcher.flushedElsewhere(flush.id, flush.result);
      }
    }
  }

  #applyNotification({ notificationLog, health }: AlertState, key: string, text: string): void {
    const entry = this.#notifications.receive(key, text);
    notificationLog.receive(entry);
    health.settled(entry.key);
  }

  #applyAlert({ alerts }: AlertState, fingerprint: string, text: string): void {
    const version = this.#alerts.receive(fingerprint, text);
    if (version) alerts.receive([version]);
  }

  #applySilence({ silences }: AlertState, id: string, text: string): void {
    const before = silences.find(id);
    const after = this.#silences.receive(id, text);
    if (after) silences.apply([{ before, after }]);
  }

  async #load(): Promise<void> {
    const state = this.#state as AlertState;
    if (this.#isLoaded) return this.#reload(state);
    this.#log.info('State restored', await restoreState(state, this.clock.now()));
    this.#isLoaded = true;
  }

  /** Takes everything over from PostgreSQL, and gives it back what it has lost in a failover. */
  async #reload({ silences, alerts, notificationLog, dispatcher }: AlertState): Promise<void> {
    const [storedSilences, storedAlerts, entries, timers] = await Promise.all([
      this.#silences.load(),
      this.#alerts.load(),
      this.#notifications.loadLog(),
      this.storage.timers.load(),
    ]);
    silences.apply(storedSilences.map((after) => ({ before: silences.find(after.id), after })));
    const ids = new Set(storedSilences.map(({ id }) => id));
    await this.#silences.restore([...silences.all()].filter(({ id }) => !ids.has(id)));
    alerts.receive(storedAlerts);
    for (const slot of alerts.sorted()) if (!this.#alerts.has(slot.alert.fingerprint)) this.#alerts.change(slot);
    for (const entry of entries) notificationLog.receive(entry);
    notificationLog.writeMissing(entries);
    for (const [id, { at }] of timers) dispatcher.flushedElsewhere(id, { nextFlushAt: at, released: [] });
  }

  /** Writes the notifications of the outage before any group is claimed, so that none is sent again. */
  async #recover(): Promise<void> {
    const { notificationLog, alerts } = this.#state as AlertState;
    while (this.#postgres.isUp) {
      try {
        await this.#feed.catchUp();
        await notificationLog.flush();
        await alerts.flush();
        return;
      } catch (error) {
        if (!(error instanceof StorageAwayError))
          this.#log.error('what happened without PostgreSQL could not be written; trying again', {
            err: messageOf(error),
          });
        await new Promise<void>((done) => this.clock.after(RECOVERY_RETRY_MS, done));
      }
    }
  }
}
