import { CommandError, ExitCode, messageOf, systemCodeOf } from '../errors.ts';
import type { Outcome } from '../outcome.ts';
import { type Kind, listWords } from './kind.ts';

/** One thing that an operator can set. */
export interface Setting<T = unknown, A = unknown> {
  readonly kind: Kind<T, A>;
  /** As in the help: `--port <port>`. */
  readonly flag?: string;
  /** The environment variable. */
  readonly variable?: string;
  readonly help?: string;
  /** The text that stands for it where it is not given. */
  readonly default?: string;
  /** What happens where it is not given, if that is no plain value; for the help. */
  readonly otherwise?: string;
  /** No problem repeats its value. */
  readonly isSecret?: true;
  readonly isHidden?: true;
  /** `--no-x` turns off what `--x` turns on. */
  readonly isNegatable?: true;
  /** Why it is accepted and changes nothing. */
  readonly withoutEffect?: string;
  /** Why it is refused, whatever its value. */
  readonly refusal?: string;
}

export type SettingsTable = Readonly<Record<string, Setting>>;
export type Variables = Readonly<Record<string, string | undefined>>;

type More = Omit<Partial<Setting>, 'kind' | 'flag' | 'help'>;

/** A setting with a flag. */
export function setting<T, A, const M extends More = Record<never, never>>(
  flag: string,
  kind: Kind<T, A>,
  help: string,
  more?: M,
): Setting<T, A> & M {
  return { flag, kind, help, ...more } as Setting<T, A> & M;
}

/** Adds to each setting the variable of its key: `max-body` is `<prefix>MAX_BODY`. */
export function withVariables<S extends Readonly<Record<string, object>>>(prefix: string, table: S): S {
  const named = Object.entries(table).map(([key, one]) => [
    key,
    { variable: prefix + key.toUpperCase().replaceAll('-', '_'), ...one },
  ]);
  return Object.fromEntries(named) as S;
}

type GivenOf<S> = S extends { readonly kind: Kind<infer T, unknown> } ? T : never;
type ValueOf<S> = S extends { readonly kind: Kind<infer T, infer A> }
  ? S extends { readonly default: string }
    ? T
    : T | A
  : never;

/** A value with the place where it was given: `--port`, `PORT`, `relay.conf:3: Main port`. */
export interface Given<T> {
  readonly value: T;
  readonly place: string;
}

/** The values of a table that were given. */
export type GivenValues<S extends SettingsTable> = { readonly [K in keyof S]?: Given<GivenOf<S[K]>> };
/** The values of a table, with defaults filled in. */
export type Values<S extends SettingsTable> = { readonly [K in keyof S]: ValueOf<S[K]> };

export interface Written {
  readonly written: unknown;
  readonly place: string;
}

/** What a command line gives of a table: texts, lists of texts, and true or false of flags without an argument. */
export type Flags<S extends SettingsTable> = { readonly [K in keyof S]?: unknown };

/** Where settings are written. */
export type Layer = (key: string, setting: Setting) => Written | undefined;

/** The flags of a command line, by the key of their setting. */
export function flagLayer(flags: Readonly<Record<string, unknown>>): Layer {
  return (key, { flag = '' }) =>
    flags[key] === undefined ? undefined : { written: flags[key], place: flag.replace(/ .*/, '') };
}

/** Environment variables; an empty one counts as not set. */
export function variableLayer(find: (name: string) => string | undefined): Layer {
  return (_key, { variable }) => {
    const written = variable && find(variable)?.trim();
    return written ? { written, place: variable } : undefined;
  };
}

/** Reads the layers of a table, the lowest first; a later one replaces values. Adds what is wrong to `problems`. */
export function readSettings<S extends SettingsTable>(
  table: S,
  layers: readonly Layer[],
  problems: string[],
): GivenValues<S> {
  const given: Record<string, Given<unknown>> = {};
  for (const layer of layers)
    for (const [key, one] of Object.entries(table)) {
      const found = layer(key, one);
      const value = found && readWritten(one, found, problems);
      if (value) given[key] = value;
    }
  return given as GivenValues<S>;
}

/** Reads one value, or adds to `problems` what is wrong with it. */
export function readWritten<T>(
  { kind, isSecret, refusal }: Setting<T>,
  { written, place }: Written,
  problems: string[],
): Given<T> | undefined {
  const outcome = kind.read(written);
  if (refusal !== undefined) problems.push(`${place}: ${refusal}`);
  else if (outcome.ok) return { value: outcome.value, place };
  else problems.push(`${place}: ${isSecret ? 'the value' : printFound(written)} is invalid; ${outcome.reason}`);
  return undefined;
}

function printFound(written: unknown): string {
  // The part before an @ may be a name and password.
  const found = (JSON.stringify(written) ?? String(written)).replace(/[^\s"']*@/g, '…@');
  return found.length > 80 ? `${found.slice(0, 80)}…` : found;
}

/** Fills in defaults. */
export function valuesOf<S extends SettingsTable>(table: S, given: GivenValues<S> = {}): Values<S> {
  const values = Object.entries(table).map(([key, one]) => [key, key in given ? given[key]?.value : defaultOf(one)]);
  return Object.fromEntries(values) as Values<S>;
}

function defaultOf({ kind, default: written }: Setting): unknown {
  if (written === undefined) return kind.absent;
  const value = kind.read(written);
  if (!value.ok) throw new Error(`default ${written}: ${value.reason}`);
  return value.value;
}

/** The help of a setting: what it is for, its words, default and variable. */
export function helpOf({ help = '', kind, default: written, otherwise = written, variable }: Setting): string {
  const facts = [
    ...(kind.words ? [listWords(kind.words)] : []),
    ...(otherwise === undefined || kind.absent === false ? [] : [`default: ${otherwise}`]),
    ...(variable === undefined ? [] : [`variable: ${variable}`]),
  ];
  return facts.length === 0 ? help : `${help} (${facts.join('; ')})`;
}

/** A configuration, or everything that is wrong with it, in words without secrets. */
export type ConfigOutcome<C> = Outcome<C, { readonly problems: readonly string[] }>;

/** The error that ends a command with a bad configuration. */
export function refuseConfig(problems: readonly string[]): CommandError {
  const [first = '', ...others] = problems;
  const message = others.length === 0 ? first : `the configuration is refused:\n  ${problems.join('\n  ')}`;
  return new CommandError(message, ExitCode.usage);
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user may not read it',
  EISDIR: 'it is a directory',
};

/** Why a file of settings cannot be read. */
export function fileErrorOf(error: unknown): string {
  return FILE_ERRORS[systemCodeOf(error) ?? ''] ?? messageOf(error);
}
