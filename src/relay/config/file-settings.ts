import { boolean } from '../../kernel/settings/kind.ts';
import { type IniEntry, type IniSection, readIni } from './ini.ts';
import { FOREIGN_SECTIONS, type ForeignSection, NAMED_SECTIONS, OBSOLETE_KEYS, SINGLE_SECTIONS } from './settings.ts';
import { type NamedSection, type SettingsDraft, type SingleSection, settingsOf } from './settings-draft.ts';
import { suggestWord } from './suggestion.ts';

const SINGLE = Object.keys(SINGLE_SECTIONS) as readonly SingleSection[];
const NAMED = Object.keys(NAMED_SECTIONS) as readonly NamedSection[];
const FOREIGN = Object.keys(FOREIGN_SECTIONS);

/** Adds the settings of a file to the draft; `file` is its name in problems. */
export function addFileSettings(text: string, file: string, draft: SettingsDraft): void {
  const { sections, faults } = readIni(text);
  for (const { line, message } of faults) draft.problems.push(`${file}:${line}: ${message}`);
  /** Lists that this file has begun: only these are extended. */
  const begun = new Set<string>();
  for (const section of sections) addSection(section, file, draft, begun);
}

function addSection(section: IniSection, file: string, draft: SettingsDraft, begun: Set<string>): void {
  const { title, name, line } = section;
  const known = [...SINGLE, ...NAMED, ...FOREIGN].find((one) => one.toLowerCase() === title.toLowerCase());
  const foreign = FOREIGN_SECTIONS[known ?? ''];
  const complain = (message: string) => draft.problems.push(`${file}:${line}: ${message}`);
  if (known === undefined) {
    const like = suggestWord(title, [...SINGLE, ...NAMED]);
    complain(`there is no section [${title}]${like ? `; is it [${like}]?` : ''}`);
  } else if (foreign) addForeign(section, known, foreign, file, draft);
  else if (NAMED.includes(known as NamedSection) !== (name !== undefined)) {
    complain(
      name === undefined ? `[${known}] needs a name: [${known} "name"]` : `[${known}] has no name: write [${known}]`,
    );
  } else {
    const id = known as SingleSection | NamedSection;
    draft.open(id, name);
    for (const entry of section.entries) addEntry(entry, id, name, file, draft, begun);
  }
}

function addEntry(
  { key, value, line }: IniEntry,
  section: SingleSection | NamedSection,
  name: string | undefined,
  file: string,
  draft: SettingsDraft,
  begun: Set<string>,
): void {
  const keys = Object.keys(settingsOf(section));
  const known = keys.find((one) => one.toLowerCase() === key.toLowerCase());
  const title = name === undefined ? section : `${section} ${JSON.stringify(name)}`;
  if (known === undefined) {
    draft.problems.push(`${file}:${line}: ${unknownKey(key, section, title, keys)}`);
    return;
  }
  const id = `${section}\0${name}\0${known}`;
  draft.set(section, name, known, { value, place: `${file}:${line}: ${title} ${known}`, adds: begun.has(id) });
  begun.add(id);
}

function unknownKey(key: string, section: string, title: string, keys: readonly string[]): string {
  const advice = OBSOLETE_KEYS[`${section}.${key}`.toLowerCase()];
  if (advice !== undefined) return `${key} is no longer supported; ${advice}`;
  const like = suggestWord(key, keys);
  return `[${title}] has no key ${key}${like ? `; is it ${like}?` : ''}`;
}

/** Checks only that such a section is not turned on, and that its keys exist. */
function addForeign(
  { entries }: IniSection,
  title: string,
  { keys, switches, reason }: ForeignSection,
  file: string,
  draft: SettingsDraft,
): void {
  const reported = new Set<string>();
  for (const { key, value, line } of entries) {
    const known = keys?.find((one) => one.toLowerCase() === key.toLowerCase());
    if (keys && known === undefined) {
      draft.problems.push(`${file}:${line}: ${unknownKey(key, title, title, keys)}`);
      continue;
    }
    const name = known ?? key.toLowerCase();
    if (!(name in switches) || value === '' || reported.has(title)) continue;
    if (name === 'enabled' && value !== undefined && isFalse(value)) continue;
    reported.add(title);
    draft.problems.push(`${file}:${line}: ${title} ${name}: ${reason}`);
  }
}

function isFalse(text: string): boolean {
  const value = boolean.read(text);
  return value.ok && !value.value;
}
