import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { AdditionalKey, EnvironmentOptions, RelayOptions } from '../config/relay-options.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { listsAllKeys, type RepresentedEnvironment, readRepresentation } from '../environment-list/representation.ts';
import { fillTemplate } from '../stores/names.ts';
import type { Configuration, ConfigurationChange, ConfigurationKind } from './message.ts';
import { VersionedItems } from './versions.ts';

interface ConfiguredEnvironment {
  readonly json: Json;
  readonly options: RepresentedEnvironment['options'];
}

interface ConfiguredFilter {
  readonly json: Json;
  readonly projKey: string;
  readonly key: string;
}

/** The settings that hold for every environment of automatic configuration. */
export type AutoConfigDefaults = Omit<NonNullable<RelayOptions['autoConfig']>, 'key' | 'cache'>;

/** A change of the configuration itself. */
export type AppliedChange = Extract<ConfigurationChange, { readonly kind: 'put' | 'patch' | 'delete' }>;

/** An item that was not used: a broken one, or one with the id of another. */
export interface UnusedItem {
  readonly item: string;
  readonly error: string;
}

/** The automatic configuration as received so far. */
export class AutoConfigState {
  readonly #defaults: AutoConfigDefaults;
  readonly #environments = new VersionedItems<ConfiguredEnvironment>();
  readonly #filters = new VersionedItems<ConfiguredFilter>();

  constructor(defaults: AutoConfigDefaults) {
    this.#defaults = defaults;
  }

  /** Applies a change; an item that cannot be used leaves its last version. */
  apply(change: AppliedChange): readonly UnusedItem[] {
    if (change.kind === 'put') return this.#replace(change.configuration);
    if (change.kind === 'patch') return this.#set(change.items, change.id, change.item);
    const items = change.items === 'environments' ? this.#environments : this.#filters;
    items.delete(change.id, change.version);
    return [];
  }

  /** Each environment, and each of them with every payload filter of its project. */
  get environments(): readonly EnvironmentOptions[] {
    const filters = this.#filters.entries.map(([, filter]) => filter);
    return this.#environments.entries.flatMap(([, { options }]) => {
      const keys = new Set(filters.filter(({ projKey }) => projKey === options.projKey).map(({ key }) => key));
      return [this.#optionsOf(options, undefined), ...[...keys].map((filter) => this.#optionsOf(options, filter))];
    });
  }

  /** The present configuration, in the form of a put. */
  get json(): Json {
    const jsonOf = (items: VersionedItems<{ readonly json: Json }>) =>
      Object.fromEntries(items.entries.map(([id, { json }]) => [id, json]));
    return { environments: jsonOf(this.#environments), filters: jsonOf(this.#filters) };
  }

  #replace({ environments, filters }: Configuration): readonly UnusedItem[] {
    this.#environments.retain(environments);
    this.#filters.retain(filters);
    return [
      ...[...environments].flatMap(([id, json]) => this.#set('environments', id, json)),
      ...[...filters].flatMap(([id, json]) => this.#set('filters', id, json)),
    ];
  }

  #set(items: ConfigurationKind, id: string, json: Json): readonly UnusedItem[] {
    const set = items === 'environments' ? this.#setEnvironment(id, json) : this.#setFilter(id, json);
    return set.ok ? [] : [{ item: `/${items}/${id}`, error: set.reason }];
  }

  #setEnvironment(id: string, json: Json): Outcome<void> {
    const read = readRepresentation(json, id, this.#defaults);
    if (!read.ok) return read;
    const { options, version } = read.value;
    if (options.envId !== id) return refused(`it says that it is ${JSON.stringify(options.envId)}`);
    const before = this.#environments.get(id)?.options;
    const additionalKeys = listsAllKeys(json) ? options.additionalKeys : keysAfter(before, options);
    this.#environments.set(id, version, { json, options: { ...options, additionalKeys } });
    return accepted(undefined);
  }

  #setFilter(id: string, json: Json): Outcome<void> {
    if (!isJsonObject(json)) return refused('it is not an object');
    const { projKey, key, version } = json;
    if (typeof projKey !== 'string' || typeof key !== 'string' || projKey === '' || key === '')
      return refused('it has no project or no key');
    this.#filters.set(id, typeof version === 'number' ? version : 0, { json, projKey, key });
    return accepted(undefined);
  }

  #optionsOf(options: ConfiguredEnvironment['options'], filter: string | undefined): EnvironmentOptions {
    if (filter === undefined) return options;
    const { envId } = options;
    const { storePrefix, storeTable } = this.#defaults;
    return {
      ...options,
      name: `${envId}/${filter}`,
      filter,
      storePrefix: fillTemplate(storePrefix, envId, filter),
      storeTable: fillTemplate(storeTable, envId, filter),
    };
  }
}

/**
 * The additional keys after an update. An update names only the last SDK key that was replaced; those replaced before it stay
 * until they end, unless the update names no expiring key at all.
 */
function keysAfter(
  before: ConfiguredEnvironment['options'] | undefined,
  { sdkKey, additionalKeys }: ConfiguredEnvironment['options'],
): readonly AdditionalKey[] {
  const isExpiring = ({ sdkKind, expiresAt }: AdditionalKey) => sdkKind === 'server' && expiresAt !== undefined;
  if (!additionalKeys.some(isExpiring)) return additionalKeys;
  const named = new Set([sdkKey, ...additionalKeys.map(({ key }) => key)]);
  const earlier = (before?.additionalKeys ?? []).filter((one) => isExpiring(one) && !named.has(one.key));
  return [...additionalKeys, ...earlier];
}
