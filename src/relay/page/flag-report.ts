import type { FlagDetails, FlagList, FlagRow, Share, SwitchObstacle } from '../contract/page.ts';
import type { Flag } from '../domain/flag.ts';
import type { Environment } from '../environment.ts';
import { NO_VARIATION } from '../journal/evaluation-counts.ts';
import type { Journal } from '../journal/journal.ts';

const MAX_VALUE_CHARS = 120;

/** JSON of limited length. */
export function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}

/** Every flag of an environment, sorted by key. */
export function listFlags(environment: Environment, journal: Journal): FlagList {
  const { options, revision, store } = environment;
  const flags = store.flags().map(({ flag }) => rowOf(flag, journal));
  return { environment: options.name, revision, since: journal.since, flags };
}

function rowOf(flag: Flag, { changes, evaluations }: Journal): FlagRow {
  const { key, on, rules, targets, contextTargets, version } = flag;
  const counts = evaluations.flags.get(key);
  let total = 0;
  for (const count of counts?.variations.values() ?? []) total += count;
  return {
    key,
    on,
    default: defaultOf(flag),
    rules: rules.length,
    targets: [...targets, ...contextTargets].reduce((sum, { values }) => sum + values.length, 0),
    version,
    changedAt: changes.changedAt(key) ?? null,
    evaluations: total,
    requestedAt: counts?.lastAt ?? null,
  };
}

function defaultOf(flag: Flag): readonly Share[] {
  const share = (variation: number | undefined, weight: number): Share => ({
    variation: variation ?? null,
    value: variation === undefined ? 'null' : shortJson(flag.variations[variation]),
    percent: weight / 1000,
  });
  const { variation, rollout } = flag.fallthrough;
  if (!flag.on) return [share(flag.offVariation, 100_000)];
  if (variation !== undefined || !rollout) return [share(variation, 100_000)];
  return rollout.variations.filter(({ weight }) => weight > 0).map((one) => share(one.variation, one.weight));
}

/** One flag with its counts; undefined if the environment does not have it. */
export function describeFlag(
  key: string,
  environment: Environment,
  journal: Journal,
  switchObstacle: SwitchObstacle | null,
): FlagDetails | undefined {
  const { store, options } = environment;
  const flag = store.flag(key)?.flag;
  const json = store.json('flags', key);
  if (!flag || json === undefined) return undefined;
  const counts = journal.evaluations.flags.get(key);
  const dependents = store.flags().filter(({ prerequisites }) => prerequisites.some((one) => one.key === key));
  return {
    environment: options.name,
    key,
    flag,
    json,
    changedAt: journal.changes.changedAt(key) ?? null,
    since: journal.since,
    counts: [...(counts?.variations ?? [])].map(([variation, count]) => ({
      variation: variation === NO_VARIATION ? null : variation,
      count,
    })),
    requestedAt: counts?.lastAt ?? null,
    required: flag.prerequisites.map((one) => {
      const value = store.flag(one.key)?.flag.variations[one.variation];
      return value === undefined ? null : shortJson(value);
    }),
    dependents: dependents.map(({ flag }) => flag.key),
    switchObstacle,
  };
}
