import { existsSync, readFileSync } from 'node:fs';
import { systemCodeOf } from '../../kernel/errors.ts';
import type { LogFormat } from '../../kernel/log.ts';
import { type ConfigOutcome, fileErrorOf, type Variables } from '../../kernel/settings/settings.ts';
import { SAMPLE_FLAGS } from '../file-source/sample.ts';
import { type LocalKeys, openLocalKeys } from '../local-keys.ts';
import type { CommandLine } from './command-line.ts';
import { addEnvironmentSettings } from './environment-settings.ts';
import { addFileSettings } from './file-settings.ts';
import { readRelayOptions } from './relay-config.ts';
import { DEFAULT_CONFIG_FILE } from './relay-defaults.ts';
import type { RelayOptions } from './relay-options.ts';
import { SettingsDraft } from './settings-draft.ts';

export interface LoadedConfig {
  readonly options: RelayOptions;
  /** Settings that have no effect, or another effect than expected. */
  readonly warnings: readonly string[];
  /** Undefined: not set. */
  readonly logFormat: LogFormat | undefined;
  /** Whether nothing was configured, and the built-in sample of flags is served. */
  readonly isSample: boolean;
  /** Whether the environment is not configured, so that its keys must be shown. */
  readonly isUnconfigured: boolean;
}

/** Access to files; tests pass another. */
export interface FileAccess {
  exists(path: string): boolean;
  read(path: string): string;
  /** Keys for flag files whose environment is not configured. */
  localKeys(): LocalKeys;
}

/** The files of this machine; the variables name the folders of the user. */
export function systemFiles(variables: Variables): FileAccess {
  return {
    exists: existsSync,
    read: (path) => readFileSync(path, 'utf8'),
    localKeys: () => openLocalKeys(variables),
  };
}

/**
 * Reads the configuration as ld-relay does: the file of `--config`, above it the variables with `--from-env`, and the command
 * line above both. Without `--config` and `--from-env`: ld-relay's usual file, or else flags on this machine.
 */
export function loadConfig(
  source: CommandLine,
  variables: Variables,
  files: FileAccess = systemFiles(variables),
): ConfigOutcome<LoadedConfig> {
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
  const options = readRelayOptions(given, { ...source, flags, localKeys }, draft.problems, draft.warnings);
  if (draft.problems.length > 0) return { ok: false, problems: draft.problems };
  const warnings = [...draft.warnings];
  if (options.environments.length === 0 && !options.archive && !options.autoConfig)
    warnings.push('no environment is configured: only /status is served, and /readyz stays 503');
  const isUnconfigured = flags !== undefined && given.Environment.size === 0;
  return { ok: true, value: { options, warnings, logFormat: given.Main.logFormat?.value, isSample, isUnconfigured } };
}

function addFile(file: string, mayBeMissing: boolean, files: FileAccess, draft: SettingsDraft): void {
  let text: string;
  try {
    text = files.read(file);
  } catch (error) {
    if (mayBeMissing && systemCodeOf(error) === 'ENOENT') return;
    draft.problems.push(`cannot read the configuration file ${file}: ${fileErrorOf(error)}`);
    return;
  }
  addFileSettings(text, file, draft);
}
