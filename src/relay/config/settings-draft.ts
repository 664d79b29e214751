import { boolean } from '../../kernel/settings/kind.ts';
import {
  type Given,
  type GivenValues,
  readWritten,
  type Setting,
  type SettingsTable,
} from '../../kernel/settings/settings.ts';
import { credential, entriesOf, list } from './setting-kinds.ts';
import { NAMED_SECTIONS, SINGLE_SECTIONS } from './settings.ts';

export type SingleSection = keyof typeof SINGLE_SECTIONS;
export type NamedSection = keyof typeof NAMED_SECTIONS;

/** The given settings, by section. */
export type GivenSettings = {
  readonly [S in SingleSection]: GivenValues<(typeof SINGLE_SECTIONS)[S]>;
} & {
  readonly [S in NamedSection]: ReadonlyMap<string, GivenValues<(typeof NAMED_SECTIONS)[S]>>;
};

type Collected = Record<string, Given<unknown>>;

/** Collects the settings of a file and of the environment, with problems and warnings. */
export class SettingsDraft {
  readonly problems: string[] = [];
  readonly warnings: string[] = [];
  readonly #single = new Map<SingleSection, Collected>();
  readonly #named: Readonly<Record<NamedSection, Map<string, Collected>>> = {
    Environment: new Map(),
    Filters: new Map(),
  };

  /** The names of a section so far. */
  names(section: NamedSection): readonly string[] {
    return [...this.#named[section].keys()];
  }

  /** Makes the section known, even if nothing is set in it. */
  open(section: SingleSection | NamedSection, name: string | undefined): void {
    this.#collected(section, name);
  }

  /** Reads one setting. The caller has checked that there is such a section, and whether it has a name. */
  set(section: SingleSection | NamedSection, name: string | undefined, key: string, text: GivenText): void {
    const { place } = text;
    const one = settingsOf(section)[key] as Setting;
    const collected = this.#collected(section, name);
    const value = one.kind === credential ? text.value?.trim() : text.value;
    if (value === '') return;
    if (value === undefined && one.kind !== boolean) {
      this.problems.push(`${place}: it needs a value, as in ${key} = …`);
      return;
    }
    const given = readWritten(one, { written: value ?? true, place }, this.problems);
    if (!given) return;
    if (one.withoutEffect !== undefined && given.value !== false)
      this.warnings.push(`${place} has no effect: ${one.withoutEffect}`);
    if (value !== text.value) this.warnings.push(`${place}: the white space around it is ignored`);
    if (one.kind === list && entriesOf(String(value)).includes(''))
      this.warnings.push(`${place}: an empty entry of the list is ignored`);
    const before = collected[key]?.value;
    const isAdded = text.adds && one.kind.isList && Array.isArray(before);
    collected[key] = isAdded ? { value: [...before, ...(given.value as [])], place } : given;
  }

  /** The settings so far. */
  given(): GivenSettings {
    // set() has read each value with the kind of its key.
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
  /** Whether it extends a list, or replaces it. */
  readonly adds: boolean;
}

function remember<K>(map: Map<K, Collected>, key: K): Collected {
  const collected: Collected = {};
  map.set(key, collected);
  return collected;
}

/** The settings of a section, by key. */
export function settingsOf(section: SingleSection | NamedSection): SettingsTable {
  return { ...SINGLE_SECTIONS, ...NAMED_SECTIONS }[section];
}
