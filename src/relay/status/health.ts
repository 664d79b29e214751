export interface ServedEnvironment {
  readonly options: { readonly name: string };
  readonly store: { readonly isInitialised: boolean };
}

export interface ReadinessSources {
  readonly environments: () => Iterable<ServedEnvironment>;
  /** Whether the list of environments is known. */
  readonly isComplete: () => boolean;
}

/** Whether every environment has data; `waiting` names those without. */
export interface ReadinessReport {
  readonly isReady: boolean;
  readonly waiting: readonly string[];
}

export function reportReadiness({ environments, isComplete }: ReadinessSources): ReadinessReport {
  const waiting = [...environments()].filter(({ store }) => !store.isInitialised).map(({ options }) => options.name);
  return { isReady: isComplete() && waiting.length === 0, waiting };
}
