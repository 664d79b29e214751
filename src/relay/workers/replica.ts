import type { Clock } from '../../kernel/clock.ts';
import type { Credentials, CredentialTable } from '../credentials.ts';
import type { BigSegmentMemberships } from '../domain/big-segment.ts';
import { Environment } from '../environment.ts';
import type { StreamRegistry } from '../streams/registry.ts';
import type { Change, EnvironmentId } from './change.ts';
import { decodeItems } from './item-texts.ts';

type ChangeOf<K extends Change['kind']> = Extract<Change, { kind: K }>;

export interface ReplicaParts {
  readonly credentials: Credentials;
  readonly registry: StreamRegistry;
  readonly initTimeoutMs: number;
  readonly clock: Clock;
  /** Asks the main thread, whose store and cache cover all workers. Never rejects. */
  readonly memberships: (environment: EnvironmentId, keys: readonly string[]) => Promise<BigSegmentMemberships>;
  /** Called for an environment that is no longer served. */
  readonly onRemove: (environment: Environment) => void;
}

/** The environments of the main thread as copies in a worker. */
export class Replica {
  readonly #parts: ReplicaParts;
  readonly #environments = new Map<EnvironmentId, Environment>();
  readonly #ids = new Map<Environment, EnvironmentId>();

  constructor(parts: ReplicaParts) {
    this.#parts = parts;
  }

  get environments(): ReadonlyMap<EnvironmentId, Environment> {
    return this.#environments;
  }

  idOf(environment: Environment): EnvironmentId | undefined {
    return this.#ids.get(environment);
  }

  apply(change: Change): void {
    if (change.kind === 'added') this.#add(change);
    else if (change.kind === 'credentials') this.#restore(change.table);
    else {
      const environment = this.#environments.get(change.id);
      if (environment) this.#change(environment, change);
    }
  }

  #change(environment: Environment, change: Exclude<Change, { kind: 'added' | 'credentials' }>): void {
    const { store } = environment;
    switch (change.kind) {
      case 'removed':
        this.#remove(change.id, environment);
        break;
      case 'reconfigured':
        environment.reconfigure(change.options);
        break;
      case 'refused':
        this.#refuse(environment, change);
        break;
      case 'put':
        store.load(decodeItems(change.data));
        break;
      case 'patch':
        store.upsert(change.items, change.key, JSON.parse(change.json));
        break;
      case 'delete':
        store.remove(change.items, change.key, change.version);
        break;
      case 'members':
        store.changeMembers();
        break;
      case 'resumed':
        environment.resume(change.changes);
    }
  }

  #refuse({ connection }: Environment, { isRefused, statusCode }: ChangeOf<'refused'>): void {
    const time = this.#parts.clock.now();
    if (isRefused) connection.refused({ kind: 'ERROR_RESPONSE', time, statusCode });
    else connection.succeeded(time);
  }

  #add({ id, options, origin, hasBigSegments }: ChangeOf<'added'>): void {
    const { clock, initTimeoutMs, registry, memberships } = this.#parts;
    const environment = new Environment(options, { clock, initTimeoutMs, registry, origin });
    if (hasBigSegments) environment.bigSegments = { read: (keys) => memberships(id, keys), status: () => undefined };
    this.#environments.set(id, environment);
    this.#ids.set(environment, id);
  }

  #remove(id: EnvironmentId, environment: Environment): void {
    this.#environments.delete(id);
    this.#ids.delete(environment);
    this.#parts.credentials.remove(environment);
    this.#parts.onRemove(environment);
    void environment.close();
  }

  /** Also ends the streams whose credential is no longer valid. */
  #restore({ environments, entries, ...table }: CredentialTable<EnvironmentId>): void {
    const { credentials } = this.#parts;
    credentials.restore({
      ...table,
      environments: environments.flatMap((id) => this.#environments.get(id) ?? []),
      entries: entries.flatMap(([sdkKind, name, filter, id]) => {
        const environment = this.#environments.get(id);
        return environment ? [[sdkKind, name, filter, environment] as const] : [];
      }),
    });
    for (const environment of this.#environments.values()) {
      const { filter } = environment.options;
      environment.streams.endUnless((sdkKind, key) => credentials.find(sdkKind, key, filter) === environment);
    }
  }
}
