import { boolean } from '../../kernel/settings/kind.ts';
import { readWritten, type Setting, type Variables } from '../../kernel/settings/settings.ts';
import { FOREIGN_SECTIONS, IGNORED_VARIABLES, OBSOLETE_VARIABLES, SINGLE_SECTIONS } from './settings.ts';
import { type NamedSection, type SettingsDraft, type SingleSection, settingsOf } from './settings-draft.ts';
import { isUsed } from './store-options.ts';
import { STORE_SWITCHES } from './store-settings.ts';
import { suggestWord } from './suggestion.ts';

/** Adds the environment's variables to the draft, above the file. Other variables are ignored. */
export function addEnvironmentSettings(variables: Variables, draft: SettingsDraft): void {
  refuseObsolete(variables, draft);
  refuseForeign(variables, draft);
  for (const [variable, reason] of Object.entries(IGNORED_VARIABLES))
    if (variables[variable]) draft.warnings.push(`${variable} has no effect: ${reason}`);
  for (const section of Object.keys(SINGLE_SECTIONS) as SingleSection[]) addSingle(section, variables, draft);
  addNamed('Environment', 'sdkKey', variables, draft);
  addNamed('Filters', 'keys', variables, draft);
}

function addSingle(section: SingleSection, variables: Variables, draft: SettingsDraft): void {
  const { enabled, ...others } = settingsOf(section);
  if (enabled) setFrom(variables, enabled.variable ?? '', section, undefined, 'enabled', draft);
  if (isStore(section) && !isUsed(draft.given(), section)) {
    for (const key of STORE_SWITCHES[section]) {
      const { variable = '' } = others[key] as Setting;
      if (variables[variable]) draft.warnings.push(`${variable} has no effect without ${enabled?.variable}=true`);
    }
    return;
  }
  for (const [key, { variable = '' }] of Object.entries(others))
    setFrom(variables, variable, section, undefined, key, draft);
}

function isStore(section: SingleSection): section is keyof typeof STORE_SWITCHES {
  return section in STORE_SWITCHES;
}

function setFrom(
  variables: Variables,
  variable: string,
  section: SingleSection | NamedSection,
  name: string | undefined,
  key: string,
  draft: SettingsDraft,
): void {
  const value = variables[variable];
  if (value) draft.set(section, name, key, { value, place: variable, adds: false });
}

/**
 * Adds variables whose names end in that of an environment or project; the one of `mainKey` makes a new one. An empty
 * LD_ENV_… makes an environment without a key, which is refused: a secret that is not set must not go unnoticed.
 */
function addNamed(section: NamedSection, mainKey: string, variables: Variables, draft: SettingsDraft): void {
  const settings = Object.entries(settingsOf(section));
  const mainPrefix = settingsOf(section)[mainKey]?.variable ?? '';
  const names = new Set(draft.names(section));
  for (const [variable, value] of Object.entries(variables))
    if (variable.startsWith(mainPrefix) && variable !== mainPrefix && (value || section === 'Environment'))
      names.add(variable.slice(mainPrefix.length));
  const used = new Set<string>();
  for (const name of names) {
    draft.open(section, name);
    for (const [key, { variable = '' }] of settings) {
      used.add(variable + name);
      setFrom(variables, variable + name, section, name, key, draft);
    }
  }
  for (const [variable, value] of Object.entries(variables)) {
    if (!value || used.has(variable) || isObsolete(variable)) continue;
    const prefix = settings
      .map(([, { variable: start = '' }]) => start)
      .find((one) => variable.startsWith(one) && variable !== one);
    if (prefix === undefined) continue;
    const name = variable.slice(prefix.length);
    const like = suggestWord(name, names);
    draft.warnings.push(
      `${variable} has no effect: there is no ${mainPrefix}${name}${like === undefined ? '' : `; is it ${prefix}${like}?`}`,
    );
  }
}

function isObsolete(variable: string): boolean {
  return OBSOLETE_VARIABLES.some(([prefix]) => obsoletes(prefix, variable));
}

function obsoletes(prefix: string, variable: string): boolean {
  return prefix.endsWith('_') ? variable.startsWith(prefix) : variable === prefix;
}

function refuseObsolete(variables: Variables, draft: SettingsDraft): void {
  for (const [variable, value] of Object.entries(variables)) {
    const found = OBSOLETE_VARIABLES.find(([prefix]) => obsoletes(prefix, variable));
    if (!found || !value) continue;
    const [prefix, advice] = found;
    const suffix = prefix.endsWith('_') ? variable.slice(prefix.length) : '';
    draft.problems.push(`${variable}: this variable is no longer supported; ${advice}${suffix}`);
  }
}

function refuseForeign(variables: Variables, draft: SettingsDraft): void {
  for (const { switches, reason } of Object.values(FOREIGN_SECTIONS)) {
    for (const [key, variable] of Object.entries(switches)) {
      const value = variables[variable ?? ''];
      if (variable === undefined || !value) continue;
      const written = key === 'enabled' ? value : true;
      const isOn = readWritten({ kind: boolean }, { written, place: variable }, draft.problems);
      if (isOn?.value) draft.problems.push(`${variable}: ${reason}`);
    }
  }
}
