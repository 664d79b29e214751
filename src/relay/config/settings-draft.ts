import {
  type CONCURRENCY,
  type ENVIRONMENT,
  type EVENTS,
  type FILTERS,
  type Given,
  type HTTP,
  type MAIN,
  NAMED_SECTIONS,
  type OFFLINE,
  type PROMETHEUS,
  type PROXY,
  type Setting,
  SINGLE_SECTIONS,
  type Values,
} from './settings.ts';

export type SingleSection = keyof typeof SINGLE_SECTIONS;
export type NamedSection = keyof typeof NAMED_SECTIONS;

/** All that was given, by section. */
export interface GivenSettings {
  readonly Main: Values<typeof MAIN>;
  readonly OfflineMode: Values<typeof OFFLINE>;
  readonly Events: Values<typeof EVENTS>;
  readonly Prometheus: Values<typeof PROMETHEUS>;
  readonly Proxy: Values<typeof PROXY>;
  readonly Http: Values<typeof HTTP>;
  readonly Concurrency: Values<typeof CONCURRENCY>;
  readonly Environment: ReadonlyMap<string, Values<typeof ENVIRONMENT>>;
  readonly Filters: ReadonlyMap<string, Values<typeof FILTERS>>;
}

type Collected = Record<string, Given<unknown>>;

/** Gathers settings of a file and of the environment, and all that is wrong with them. */
export class SettingsDraft {
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  readonly #single = new Map<SingleSection, Collected>();
  readonly #named: Readonly<Record<NamedSection, Map<string, Collected>>> = {
    Environment: new Map(),
    Filters: new Map(),
  };

  /** The names that a section stands for so far. */
  names(section: NamedSection): readonly string[] {
    return [...this.#named[section].keys()];
  }

  /** Makes the section known, even if nothing is set in it. */
  open(section: SingleSection | NamedSection, name: string | undefined): void {
    this.#collected(section, name);
  }

  /** Whether the section may have a name, must have one, or is unknown is the caller's business. */
  set(section: SingleSection | NamedSection, name: string | undefined, key: string, text: GivenText): void {
    const { value, place } = text;
    const one = settingOf(section, key);
    const collected = this.#collected(section, name);
    if (value === '') return;
    if (value === undefined && one.bare === undefined) {
      this.problems.push(`${place}: it needs a value, as in ${key} = …`);
      return;
    }
    const outcome = value === undefined ? { ok: true as const, value: one.bare } : one.read(value);
    if (!outcome.ok) {
      this.problems.push(`${place}: ${outcome.reason}`);
      return;
    }
    if (one.withoutEffect !== undefined && outcome.value !== false)
      this.warnings.push(`${place} has no effect: ${one.withoutEffect}`);
    const before = collected[key]?.value;
    const added = text.adds && one.isList && Array.isArray(before) ? [...before, ...(outcome.value as [])] : undefined;
    collected[key] = { value: added ?? outcome.value, place };
  }

  /** What was given so far. */
  given(): GivenSettings {
    // The tables above say of which type each value is, key by key; set() read it with the reader of its key.
    const single = Object.fromEntries(
      Object.keys(SINGLE_SECTIONS).map((section) => [section, this.#single.get(section as SingleSection) ?? {}]),
    );
    return { ...single, ...this.#named } as unknown as GivenSettings;
  }

  #collected(section: SingleSection | NamedSection, name: string | undefined): Collected {
    if (section in this.#named) {
      const values = this.#named[section as NamedSection];
      return values.get(name ?? '') ?? remember(values, name ?? '');
    }
    return this.#single.get(section as SingleSection) ?? remember(this.#single, section as SingleSection);
  }
}

export interface GivenText {
  /** Undefined: the key stood alone. */
  readonly value: string | undefined;
  readonly place: string;
  /** Whether it adds to a list that was begun, or replaces it. */
  readonly adds: boolean;
}

function remember<K>(map: Map<K, Collected>, key: K): Collected {
  const collected: Collected = {};
  map.set(key, collected);
  return collected;
}

/** The settings of a section, by key. */
export function settingsOf(section: SingleSection | NamedSection): Readonly<Record<string, Setting<unknown>>> {
  return { ...SINGLE_SECTIONS, ...NAMED_SECTIONS }[section];
}

function settingOf(section: SingleSection | NamedSection, key: string): Setting<unknown> {
  return settingsOf(section)[key] as Setting<unknown>;
}
