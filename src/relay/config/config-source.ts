import { existsSync, readFileSync } from 'node:fs';
import { CommandError, ExitCode, messageOf, systemCodeOf } from '../../kernel/errors.ts';
import type { LogFormat } from '../../kernel/log.ts';
import { SAMPLE_FLAGS } from '../file-source/sample.ts';
import { type LocalKeys, openLocalKeys } from '../local-keys.ts';
import { addEnvironmentSettings, type Variables } from './environment-settings.ts';
import { addFileSettings } from './file-settings.ts';
import { type CommandLineSettings, readRelayOptions } from './relay-config.ts';
import { DEFAULT_CONFIG_FILE } from './relay-defaults.ts';
import type { RelayOptions } from './relay-options.ts';
import { SettingsDraft } from './settings-draft.ts';

export interface ConfigSourceOptions extends CommandLineSettings {
  readonly config?: string | undefined;
  readonly fromEnv?: boolean | undefined;
  readonly allowMissingFile?: boolean | undefined;
}

export interface LoadedConfig {
  readonly options: RelayOptions;
  /** What was set and has no effect, or not the effect that one may think. */
  readonly warnings: readonly string[];
  /** Undefined: nothing was said of it. */
  readonly logFormat: LogFormat | undefined;
  /** Whether nothing was configured, and the flags that the program brings along are served. */
  readonly isSample: boolean;
  /** Whether nobody configured the environment, so that SDKs have to be told how to reach it. */
  readonly isUnconfigured: boolean;
}

/** What a configuration comes to, or all that is wrong with it, each with its place on a line of its own. */
export type ConfigOutcome =
  | { readonly ok: true; readonly value: LoadedConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Where files are read; tests hand in another. */
export interface FileAccess {
  exists(path: string): boolean;
  read(path: string): string;
  /** For the flags of files whose environment nobody configured. */
  localKeys(): LocalKeys;
}

/** The files of this machine; the variables say where the user's own lie. */
export function systemFiles(variables: Variables): FileAccess {
  return {
    exists: existsSync,
    read: (path) => readFileSync(path, 'utf8'),
    localKeys: () => openLocalKeys(variables),
  };
}

/**
 * Reads the configuration as ld-relay does: the file of `--config`, then with `--from-env` the variables above it, then
 * the command line above all. With neither of the two, ld-relay's usual file; without that, flags on this machine.
 */
export function loadConfig(
  source: ConfigSourceOptions,
  variables: Variables,
  files: FileAccess = systemFiles(variables),
): ConfigOutcome {
  const draft = new SettingsDraft();
  const isLeftOut = source.config === undefined && !source.fromEnv;
  const usual = isLeftOut && source.flags === undefined && files.exists(DEFAULT_CONFIG_FILE);
  const file = source.config ?? (usual ? DEFAULT_CONFIG_FILE : undefined);
  if (file !== undefined) addFile(file, source.allowMissingFile ?? false, files, draft);
  if (source.fromEnv) addEnvironmentSettings(variables, draft);
  const isSample = isLeftOut && file === undefined && source.flags === undefined;
  const flags = isSample ? SAMPLE_FLAGS : source.flags;
  const given = draft.given();
  // The sample is no secret: its keys are the same everywhere, so that a snippet can be pasted.
  const needsKeys = source.flags !== undefined && given.Environment.size === 0 && draft.problems.length === 0;
  const localKeys = needsKeys ? files.localKeys() : undefined;
  const options = readRelayOptions(given, { ...source, flags, localKeys }, draft.problems);
  if (draft.problems.length > 0) return { ok: false, problems: draft.problems };
  const warnings = [...draft.warnings];
  if (options.environments.length === 0 && !options.archive)
    warnings.push('no environment is configured: nothing is served but the status');
  const isUnconfigured = flags !== undefined && given.Environment.size === 0;
  return { ok: true, value: { options, warnings, logFormat: given.Main.logFormat?.value, isSample, isUnconfigured } };
}

/** What ends a command whose configuration is refused. */
export function refuseConfig(problems: readonly string[]): CommandError {
  const [first, ...others] = problems;
  const text = others.length === 0 ? first : `the configuration is refused:\n  ${problems.join('\n  ')}`;
  return new CommandError(text ?? '', ExitCode.usage);
}

const FILE_TROUBLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
};

function addFile(file: string, mayBeMissing: boolean, files: FileAccess, draft: SettingsDraft): void {
  let text: string;
  try {
    text = files.read(file);
  } catch (error) {
    const code = systemCodeOf(error) ?? '';
    if (mayBeMissing && code === 'ENOENT') return;
    draft.problems.push(`cannot read the configuration file ${file}: ${FILE_TROUBLE[code] ?? messageOf(error)}`);
    return;
  }
  addFileSettings(text, file, draft);
}
