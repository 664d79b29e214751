import type { Readiness } from '../environment.ts';

export interface ServedEnvironment {
  readonly options: { readonly name: string };
  readonly readiness: Readiness;
}

export interface ReadinessSources {
  readonly environments: () => Iterable<ServedEnvironment>;
  /** Whether the list of environments is known. */
  readonly isComplete: () => boolean;
  /** Whether no environment at all is a valid list: LaunchDarkly may have configured none. */
  readonly mayBeEmpty: boolean;
}

/** Whether there are environments and all have data; `waiting` names those without. */
export interface ReadinessReport {
  readonly isReady: boolean;
  readonly waiting: readonly string[];
}

export function reportReadiness({ environments, isComplete, mayBeEmpty }: ReadinessSources): ReadinessReport {
  const served = [...environments()];
  const waiting = served.filter(({ readiness }) => readiness !== 'ready').map(({ options }) => options.name);
  return { isReady: isComplete() && waiting.length === 0 && (served.length > 0 || mayBeEmpty), waiting };
}
