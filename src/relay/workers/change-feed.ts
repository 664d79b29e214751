import type { MessagePort } from 'node:worker_threads';
import type { Credentials, CredentialTable } from '../credentials.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentSet } from '../environment-set.ts';
import type { Change, EnvironmentId, NumberedChange } from './change.ts';
import { encodeItems } from './item-texts.ts';

export interface ChangeFeedParts {
  readonly set: Pick<EnvironmentSet, 'environments' | 'subscribe'>;
  readonly credentials: Pick<Credentials, 'subscribe' | 'table'>;
}

type ChangePort = Pick<MessagePort, 'postMessage'>;

/**
 * Posts each change of environments, credentials and data once to every worker, in order. A change is numbered before it is
 * posted, and a worker answers only when it has applied all changes up to the newest number: so no client that has seen a
 * change gets older data from another worker.
 */
export class ChangeFeed {
  /** The number of the newest change, shared with all threads. */
  readonly newest = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #parts: ChangeFeedParts;
  readonly #ports = new Set<ChangePort>();
  readonly #ids = new Map<Environment, EnvironmentId>();
  readonly #environments = new Map<EnvironmentId, Environment>();
  #lastId = 0;
  #isTablePending = false;

  constructor(parts: ChangeFeedParts) {
    this.#parts = parts;
    const { set, credentials } = parts;
    for (const environment of set.environments) this.#add(environment);
    set.subscribe({
      added: (environment) => this.#add(environment),
      removed: (environment) => this.#remove(environment),
    });
    credentials.subscribe(() => this.#postTableSoon());
  }

  /** Undefined if it is no longer served. */
  environment(id: EnvironmentId): Environment | undefined {
    return this.#environments.get(id);
  }

  idOf(environment: Environment): EnvironmentId | undefined {
    return this.#ids.get(environment);
  }

  /** Posts the present state, then every change. */
  attach(port: ChangePort): void {
    const number = Atomics.load(this.newest, 0);
    for (const change of this.#state()) port.postMessage({ number, change } satisfies NumberedChange);
    this.#ports.add(port);
  }

  detach(port: ChangePort): void {
    this.#ports.delete(port);
  }

  *#state(): Generator<Change> {
    for (const [id, { options, origin, store, connection, changes, bigSegments }] of this.#environments) {
      yield { kind: 'added', id, options, origin, hasBigSegments: bigSegments !== undefined };
      if (connection.isRefusedFromTheStart) yield { kind: 'refused', id, ...refusalOf(connection) };
      if (store.isInitialised) yield { kind: 'put', id, data: encodeItems(() => store.items()) };
      yield { kind: 'resumed', id, changes };
    }
    yield { kind: 'credentials', table: this.#table() };
  }

  #add(environment: Environment): void {
    const { options, origin, store, connection, bigSegments } = environment;
    const id = ++this.#lastId;
    this.#ids.set(environment, id);
    this.#environments.set(id, environment);
    this.#post(() => ({ kind: 'added', id, options, origin, hasBigSegments: bigSegments !== undefined }));
    store.subscribe({
      replaced: () => this.#post(() => ({ kind: 'put', id, data: encodeItems(() => store.items()) })),
      changed: (items, key, json) => this.#post(() => ({ kind: 'patch', id, items, key, json })),
      removed: (items, key, version) => this.#post(() => ({ kind: 'delete', id, items, key, version })),
      membersChanged: () => this.#post(() => ({ kind: 'members', id })),
    });
    let known = refusalOf(connection);
    connection.subscribe(() => {
      const refusal = refusalOf(connection);
      if (refusal.isRefused === known.isRefused && refusal.statusCode === known.statusCode) return;
      known = refusal;
      this.#post(() => ({ kind: 'refused', id, ...refusal }));
    });
    environment.onReconfigure = () => this.#post(() => ({ kind: 'reconfigured', id, options: environment.options }));
  }

  #remove(environment: Environment): void {
    const id = this.#ids.get(environment);
    if (id === undefined) return;
    this.#ids.delete(environment);
    this.#environments.delete(id);
    this.#post(() => ({ kind: 'removed', id }));
  }

  /** Once for all credentials that change together. */
  #postTableSoon(): void {
    if (this.#isTablePending) return;
    this.#isTablePending = true;
    queueMicrotask(() => {
      this.#isTablePending = false;
      this.#post(() => ({ kind: 'credentials', table: this.#table() }));
    });
  }

  #table(): CredentialTable<EnvironmentId> {
    const { environments, entries, ...table } = this.#parts.credentials.table;
    const served = environments.flatMap((environment) => this.#ids.get(environment) ?? []);
    return {
      ...table,
      environments: served,
      entries: entries.flatMap(([sdkKind, name, filter, environment]) => {
        const id = this.#ids.get(environment);
        return id === undefined ? [] : [[sdkKind, name, filter, id] as const];
      }),
    };
  }

  #post(make: () => Change): void {
    if (this.#ports.size === 0) return;
    const change = make();
    const number = (Atomics.add(this.newest, 0, 1) + 1) | 0;
    for (const port of this.#ports) port.postMessage({ number, change } satisfies NumberedChange);
  }
}

function refusalOf({ isRefusedFromTheStart: isRefused, lastError }: Environment['connection']) {
  return { isRefused, statusCode: isRefused ? lastError?.statusCode : undefined };
}
