import { type Given, type GivenValues, valuesOf } from '../../kernel/settings/settings.ts';
import { filteredPrefix } from '../stores/names.ts';
import { ENVIRONMENT_DEFAULTS } from './relay-defaults.ts';
import type { EnvironmentOptions } from './relay-options.ts';
import { ENVIRONMENT } from './settings.ts';
import type { GivenSettings } from './settings-draft.ts';

type GivenEnvironment = GivenValues<typeof ENVIRONMENT>;

/** The environments of a configuration, each also with every payload filter of its project; adds to `problems`. */
export function readEnvironments(given: GivenSettings, problems: string[]): readonly EnvironmentOptions[] {
  checkCredentials(given.Environment, problems);
  const filters = readFilters(given, problems);
  const environments = [...given.Environment].flatMap(([name, values]) => {
    const environment = readEnvironment(name, values, problems);
    const keys = filters.get(environment.projKey ?? '') ?? [];
    if (environment.dataFile !== undefined && keys.length > 0)
      problems.push(`${placeOf(values, name)}: a data file cannot be filtered: leave out dataFile or the filters`);
    return [environment, ...keys.map((filter) => withFilter(environment, filter))];
  });
  const names = new Set<string>();
  for (const { name } of environments) {
    if (names.has(name))
      problems.push(`Environment ${JSON.stringify(name)}: a filter of another environment makes the same name`);
    names.add(name);
  }
  return environments;
}

function withFilter(environment: EnvironmentOptions, filter: string): EnvironmentOptions {
  const { name, storePrefix } = environment;
  return { ...environment, name: `${name}/${filter}`, filter, storePrefix: filteredPrefix(storePrefix, filter) };
}

function readEnvironment(name: string, values: GivenEnvironment, problems: string[]): EnvironmentOptions {
  if (!values.sdkKey) {
    const variable = `${ENVIRONMENT.sdkKey.variable}${name}`;
    problems.push(`${placeOf(values, name)}: it has no SDK key; set sdkKey, or the variable ${variable}`);
  }
  const { sdkKey = '', allowedOrigin, allowedHeader, ttl, ...others } = valuesOf(ENVIRONMENT, values);
  for (const { value, place } of CREDENTIALS.flatMap((kind) => values[kind] ?? []))
    if (/\s/.test(value)) problems.push(`${place}: the key contains white space`);
  const { mobileKey, envId, secureMode, logLevel, projKey, dataFile, prefix, tableName } = others;
  return {
    ...ENVIRONMENT_DEFAULTS,
    name,
    sdkKey,
    mobileKey,
    envId,
    secureMode,
    allowedOrigins: allowedOrigin,
    allowedHeaders: allowedHeader,
    ttlMs: ttl,
    logLevel,
    projKey,
    dataFile,
    storePrefix: prefix,
    storeTable: tableName,
  };
}

/** The place of an environment: the first one that sets a value of it. */
function placeOf(values: GivenEnvironment, name: string): string {
  const [first] = Object.values(values) as Given<unknown>[];
  const line = first && /^(.+:\d+): /.exec(first.place)?.[1];
  return `${line === undefined ? '' : `${line}: `}Environment ${JSON.stringify(name)}`;
}

const CREDENTIALS = ['sdkKey', 'mobileKey', 'envId'] as const;

/** Two environments with the same key are an error: one of them could never be reached. */
function checkCredentials(environments: GivenSettings['Environment'], problems: string[]): void {
  for (const kind of CREDENTIALS) {
    const owners = new Map<string, string>();
    for (const [name, values] of environments) {
      const given = values[kind];
      if (!given) continue;
      const owner = owners.get(given.value);
      if (owner === undefined) owners.set(given.value, name);
      else problems.push(`${given.place}: environment ${JSON.stringify(owner)} has the same ${kind}`);
    }
  }
}

/** The payload filters of each project. */
function readFilters(given: GivenSettings, problems: string[]): ReadonlyMap<string, readonly string[]> {
  const filters = new Map<string, readonly string[]>();
  if (given.Filters.size === 0) return filters;
  const environments = [...given.Environment];
  for (const [name, values] of environments)
    if (!values.projKey) problems.push(`${placeOf(values, name)}: it needs a projKey, as there are filters`);
  for (const [project, { keys }] of given.Filters) {
    const place = keys?.place ?? `Filters ${JSON.stringify(project)}`;
    if (!environments.some(([, { projKey }]) => projKey?.value === project))
      problems.push(`${place}: no environment has the projKey ${JSON.stringify(project)}`);
    const known = new Set(keys?.value);
    if (known.size === 0) problems.push(`${place}: the list of filters is empty`);
    else if (known.has('')) problems.push(`${place}: the list has an empty filter`);
    else if (known.size < (keys?.value.length ?? 0)) problems.push(`${place}: the list has a filter twice`);
    filters.set(project, [...known]);
  }
  return filters;
}
