import { isDeepStrictEqual } from 'node:util';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { EnvironmentOptions } from '../config/relay-options.ts';
import type { Environment } from '../environment.ts';
import type { EnvironmentSet, OpenSource } from '../environment-set.ts';

export interface EnvironmentListParts {
  readonly set: Pick<EnvironmentSet, 'add' | 'change' | 'remove'>;
  readonly openSource: OpenSource;
  /** Called for an environment that is no longer served, or has lost a key. */
  readonly onRevoke: (environment: Environment) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Expiry is checked at its instant and at this interval, as the clock of the machine may jump. */
const MAX_CHECK_MS = 60_000;

/** Keeps the served environments equal to a list that changes: of a configuration, an archive, or LaunchDarkly. */
export class EnvironmentList {
  readonly #parts: EnvironmentListParts;
  readonly #served = new Map<string, Environment>();
  #listed: readonly EnvironmentOptions[] = [];
  #isFirst = true;
  #cancelExpiry: CancelTimer = () => {};
  #isClosed = false;

  constructor(parts: EnvironmentListParts) {
    this.#parts = parts;
  }

  /** Serves these environments only. They are identified by name; names are unique. */
  update(environments: readonly EnvironmentOptions[]): void {
    if (this.#isClosed) return;
    this.#listed = environments;
    this.#apply();
    this.#isFirst = false;
  }

  /** Changes nothing afterwards; the environments stay with their set. */
  close(): void {
    this.#isClosed = true;
    this.#cancelExpiry();
  }

  /** Removals first, additions last: a key may move to another environment. */
  #apply(): void {
    const now = this.#parts.clock.now();
    const wanted = new Map(this.#listed.map((options) => [options.name, withoutExpired(options, now)]));
    for (const environment of this.#served.values()) {
      const options = wanted.get(environment.options.name);
      if (!options || !canContinue(environment.options, options)) this.#remove(environment);
    }
    for (const [name, options] of wanted) {
      const environment = this.#served.get(name);
      if (environment) this.#change(environment, options);
    }
    for (const [name, options] of wanted) if (!this.#served.has(name)) this.#add(options);
    this.#scheduleExpiry(now);
  }

  #add(options: EnvironmentOptions): void {
    const { set, openSource, log } = this.#parts;
    this.#served.set(options.name, set.add(options, openSource));
    if (!this.#isFirst) log.info('environment added', { env: options.name });
  }

  #change(environment: Environment, options: EnvironmentOptions): void {
    const before = environment.options;
    if (isDeepStrictEqual(before, options)) return;
    this.#parts.set.change(environment, options);
    const lost = keysOf(before).filter((key) => !keysOf(options).includes(key));
    if (lost.length > 0) this.#parts.onRevoke(environment);
    this.#parts.log.info('environment changed', {
      env: options.name,
      changed: changedFields(before, options).join(', '),
      ...(lost.length > 0 ? { endedKeys: lost.length } : {}),
    });
  }

  #remove(environment: Environment): void {
    const { set, onRevoke, log } = this.#parts;
    const { name } = environment.options;
    this.#served.delete(name);
    onRevoke(environment);
    void set.remove(environment);
    log.info('environment removed', { env: name });
  }

  #scheduleExpiry(now: number): void {
    this.#cancelExpiry();
    let end = Number.POSITIVE_INFINITY;
    for (const { options } of this.#served.values())
      for (const { expiresAt = end } of options.additionalKeys ?? []) end = Math.min(end, expiresAt);
    if (!Number.isFinite(end)) return;
    this.#cancelExpiry = this.#parts.clock.after(Math.min(MAX_CHECK_MS, end - now), () => this.#apply());
  }
}

function withoutExpired(options: EnvironmentOptions, now: number): EnvironmentOptions {
  const { additionalKeys } = options;
  if (!additionalKeys) return options;
  return {
    ...options,
    additionalKeys: additionalKeys.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now),
  };
}

/** The keys by which SDKs are authenticated. */
function keysOf({ sdkKey, mobileKey = '', envId = '', additionalKeys = [] }: EnvironmentOptions): readonly string[] {
  return [sdkKey, mobileKey, envId, ...additionalKeys.map(({ key }) => key)];
}

/** Names only, as values may be keys. */
function changedFields(before: EnvironmentOptions, after: EnvironmentOptions): readonly (keyof EnvironmentOptions)[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]) as Set<keyof EnvironmentOptions>;
  return [...fields].filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

/** Options that change while streams stay open. Source, log and stores of an environment know the others from its start. */
const CHANGEABLE: readonly (keyof EnvironmentOptions)[] = [
  'sdkKey',
  'mobileKey',
  'envId',
  'additionalKeys',
  'secureMode',
  'allowedOrigins',
  'allowedHeaders',
  'ttlMs',
  'projKey',
  'labels',
];

/** Whether an environment can go on with other options, or must be made anew. */
function canContinue(before: EnvironmentOptions, after: EnvironmentOptions): boolean {
  return changedFields(before, after).every((field) => CHANGEABLE.includes(field));
}
