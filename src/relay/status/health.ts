/** What has to be known of an environment to say whether it can be served. */
export interface ServedEnvironment {
  readonly options: { readonly name: string };
  readonly store: { readonly isInitialised: boolean };
}

export interface ReadinessSources {
  readonly environments: () => Iterable<ServedEnvironment>;
  /** Whether the list of environments is there, where it has to come from somewhere. */
  readonly isComplete: () => boolean;
}

/** Whether every environment has data, old or new; `waiting` names those that have none. */
export interface ReadinessReport {
  readonly isReady: boolean;
  readonly waiting: readonly string[];
}

export function reportReadiness({ environments, isComplete }: ReadinessSources): ReadinessReport {
  const waiting = [...environments()].filter(({ store }) => !store.isInitialised).map(({ options }) => options.name);
  return { isReady: isComplete() && waiting.length === 0, waiting };
}
