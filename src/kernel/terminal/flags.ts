import { type Command, InvalidArgumentError, Option } from 'commander';
import { LOG_FORMATS, LOG_LEVELS } from '../log.ts';
import { duration, interval, type Kind, oneOf } from '../settings/kind.ts';
import {
  type Flags,
  flagLayer,
  helpOf,
  readSettings,
  refuseConfig,
  type SettingsTable,
  setting,
  type Values,
  type Variables,
  valuesOf,
  variableLayer,
} from '../settings/settings.ts';

const words = new WeakMap<Option, readonly string[]>();

/** The only values of a flag that was added from a table. */
export function wordsOf(option: Option): readonly string[] | undefined {
  return words.get(option);
}

/** Adds the flags of a table to a command. */
export function addSettings(command: Command, table: SettingsTable, group?: string): Command {
  for (const one of Object.values(table)) {
    const { flag, kind, isHidden, isNegatable } = one;
    if (flag === undefined) continue;
    const option = new Option(flag, helpOf(one)).hideHelp(isHidden ?? false);
    if (group !== undefined) option.helpGroup(`${group}:`);
    if (kind.words) words.set(option, kind.words);
    if (kind.isList) option.argParser(repeated((text) => text));
    command.addOption(option);
    if (isNegatable) command.addOption(new Option(flag.replace('--', '--no-')).hideHelp());
  }
  return command;
}

/** What the command line gives of a table, by the keys of the table. */
export function writtenFlags<S extends SettingsTable>(command: Command, table: S): Flags<S> {
  const written: Record<string, unknown> = {};
  for (const [key, { flag }] of Object.entries(table)) {
    const name = flag === undefined ? '' : new Option(flag).attributeName();
    if (command.getOptionValueSource(name) === 'cli') written[key] = command.getOptionValue(name);
  }
  return written as Flags<S>;
}

/** Reads a table from flags and, below them, variables; throws a CommandError with everything that is wrong. */
export function readFlags<S extends SettingsTable>(command: Command, table: S, environment: Variables = {}): Values<S> {
  const problems: string[] = [];
  const given = readSettings(
    table,
    [variableLayer((name) => environment[name]), flagLayer(writtenFlags(command, table))],
    problems,
  );
  if (problems.length > 0) throw refuseConfig(problems);
  return valuesOf(table, given);
}

/** The flags of a server's log. */
export const LOG_SETTINGS = {
  logLevel: setting('--log-level <level>', oneOf(LOG_LEVELS), 'the least important lines written', { default: 'info' }),
  logFormat: setting('--log-format <format>', oneOf(LOG_FORMATS), 'the form of a line', { default: 'logfmt' }),
} as const;

/** Reads the argument of a client command's flag. It throws commander's error, which ends the command with code 2. */
export function argumentOf<T>(kind: Kind<T, unknown>): (text: string) => T {
  return (text) => {
    const value = kind.read(text);
    if (value.ok) return value.value;
    throw new InvalidArgumentError(`${value.reason.charAt(0).toUpperCase()}${value.reason.slice(1)}.`);
  };
}

/** A duration in milliseconds. */
export const durationFlag = argumentOf(duration);
/** A duration of at least 1 ms. */
export const intervalFlag = argumentOf(interval);

/** Collects a flag that may be repeated; the first occurrence replaces the default. */
export function repeated<T>(
  read: (text: string) => T,
): (text: string, before: readonly T[] | undefined) => readonly T[] {
  const collected: T[] = [];
  return (text) => {
    collected.push(read(text));
    return [...collected];
  };
}
