import { formatDuration, parseDuration, parseFlagDuration } from '../../kernel/duration.ts';
import { quoteGo } from '../domain/quote.ts';
import { ConfigFault, type ConfigNode, type ConfigProblem } from './config-node.ts';
import { durationProblem, formatGoDuration } from './duration-text.ts';
import {
  listTexts,
  mapTexts,
  objectTexts,
  optionalTexts,
  type PlannedField,
  type TextChange,
  type TextPlace,
  textLeaf,
} from './text-change.ts';

/** How a value is read from the configuration file, and how it is printed again. */
export interface Kind<T> {
  /** Throws a ConfigFault with line and cause. The node is never null: that is an absent field. */
  read(node: ConfigNode): T;
  /**
   * A value for `yaml` to print; undefined leaves it out. The result can be read again; secrets are `<secret>`. `redact`
   * removes the values of environment variables from a text.
   */
  print(value: T, redact?: Redact): unknown;
  /** The value with its `prose` and `attribute` texts changed; undefined leaves it out. Absent on a kind without such texts. */
  mapTexts?(value: T, change: TextChange, place: TextPlace): T | undefined;
}

export type Redact = (text: string) => string;

export type ValueOf<K> = K extends Kind<infer T> ? T : never;

/** Stands for a secret in a printed configuration; reading accepts it, so that the result loads again. */
export const HIDDEN = '<secret>';

function plain<T>(read: (node: ConfigNode) => T): Kind<T> {
  return { read, print: (value) => value };
}

export const text: Kind<string> = { read: (node) => node.text(), print: (value, redact) => redact?.(value) ?? value };

/**
 * A text in the template language that addresses something: a URL, channel, recipient, key or header. A notification whose
 * address cannot be rendered fails.
 */
export const template: Kind<string> = text;

/** A template for people to read: when it cannot be rendered, other words are sent in its place. */
export const prose: Kind<string> = { ...text, ...textLeaf(true) };

/** A template of a colour, link, tag, priority or the like: when it cannot be rendered, its default or nothing is sent. */
export const attribute: Kind<string> = { ...text, ...textLeaf(false) };

export const secret: Kind<string> = { read: (node) => node.text(), print: (value) => (value === '' ? '' : HIDDEN) };

const TRUE = /^(y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;

/** In every spelling of YAML 1.1, which Alertmanager reads. */
export const bool: Kind<boolean> = plain((node) => {
  const word = node.text();
  if (node.isPlain && TRUE.test(word)) return true;
  if (node.isPlain && FALSE.test(word)) return false;
  throw node.fault(`expected true or false, found ${quote(node)}`);
});

const FRACTION = /^[+-]?(\d+\.\d*|\.\d+|\d+(?=[eE]))([eE][+-]?\d+)?$/;

/** In the spellings of YAML 1.1: `1_000`, `0x1f`, `0b11`, and octal `017`. A fraction is cut off, as in Alertmanager. */
export const integer: Kind<number> = plain((node) => {
  const word = node.text().replaceAll('_', '');
  const match = /^([+-]?)(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+|\d+)$/.exec(word);
  const digits = match?.[2]?.replace(/^0(?=[0-7]+$)/, '0o') ?? '';
  const size = FRACTION.test(word) ? Math.trunc(Number(word)) : digits === '' ? Number.NaN : Number(digits);
  if (Number.isSafeInteger(size)) return match?.[1] === '-' ? -size : size;
  throw node.fault(`expected a whole number, found ${quote(node)}`);
});

/** A duration of Prometheus (`5m`, `1d12h`), in milliseconds. */
export const duration: Kind<number> = {
  read(node) {
    const word = node.text();
    const ms = parseDuration(word);
    if (ms !== undefined) return ms;
    throw node.fault(word === '' ? 'empty duration string' : durationProblem(node.written()));
  },
  print: (ms) => formatDuration(ms),
};

/** A duration of Go (`1.5s`, `500ms`), in milliseconds. */
export const goDuration: Kind<number> = {
  read(node) {
    const word = node.text();
    const ms = parseFlagDuration(word);
    if (ms !== undefined) return ms;
    throw node.fault(`not a valid duration string: ${quote(node)}; write for instance 10s or 1m30s`);
  },
  print: (ms) => formatGoDuration(ms),
};

/** A value as written in the file, for errors. */
function quote(node: ConfigNode): string {
  return quoteGo(node.written());
}

function readUrl(node: ConfigNode): string {
  const word = node.text();
  if (word === HIDDEN) return word;
  const scheme = /^([a-zA-Z][a-zA-Z\d+.-]*):/.exec(word)?.[1]?.toLowerCase() ?? '';
  if (scheme !== 'http' && scheme !== 'https') throw node.fault(`unsupported scheme "${scheme}" for URL`);
  const authority = /^\w+:\/\/([^/?#]*)/.exec(word)?.[1] ?? '';
  if (authority.replace(/^.*@/, '') === '') throw node.fault('missing host for URL');
  if (!URL.canParse(word)) throw node.fault('the host of the URL is not valid');
  checkUrlEscapes(node, word);
  return word;
}

/** The query is not checked. The fault is not quoted, as it may be part of a password. */
export function checkUrlEscapes(node: ConfigNode, url: string): void {
  if (/^[^?]*%(?![\da-fA-F]{2})/.test(url)) throw node.fault('invalid URL escape; write a percent sign as %25');
}

/** A URL with a hidden password, like Go's URL.Redacted. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-zA-Z][a-zA-Z\d+.-]*:\/\/[^/?#@:]*):[^/?#]*@/, '$1:xxxxx@');
}

/**
 * An http or https URL, as written in the file; printed without its password. Of a URL with expanded variables only the
 * host is printed.
 */
export const url: Kind<string> = {
  read: readUrl,
  print: (value, redact) => (redact && isMade(value, redact) ? `${new URL(value).origin}/` : withoutPassword(value)),
};

/** Whether a URL has expanded variables; an integration may have added a slash at the end of its path. */
function isMade(url: string, redact: Redact): boolean {
  const written = url.replace(/\/(?=$|[?#])/, '');
  return redact(url) !== url || redact(written) !== written;
}

/** A URL that is a secret. */
export const secretUrl: Kind<string> = { read: readUrl, print: () => HIDDEN };

export function oneOf<const T extends string>(...words: readonly T[]): Kind<T> {
  return plain((node) => {
    const found = node.text();
    const word = words.find((known) => known === found);
    if (word !== undefined) return word;
    throw node.fault(`expected one of ${words.map((known) => known || '""').join(', ')}, found ${quote(node)}`);
  });
}

/** Adds a check to a kind; `check` returns the error text. */
export function refined<T>(kind: Kind<T>, check: (value: T, node: ConfigNode) => string | undefined): Kind<T> {
  return {
    read(node) {
      const value = kind.read(node);
      const wrong = check(value, node);
      if (wrong !== undefined) throw node.fault(wrong);
      return value;
    },
    print: kind.print,
  };
}

/** A value with its line, for later checks. */
export interface Located<T> {
  readonly value: T;
  readonly line: number | undefined;
}

export function located<T>(kind: Kind<T>): Kind<Located<T>> {
  return {
    read: (node) => ({ value: kind.read(node), line: node.line }),
    print: ({ value }, redact) => kind.print(value, redact),
  };
}

/** A kind that contains itself. */
export function lazy<T>(make: () => Kind<T>): Kind<T> {
  return { read: (node) => make().read(node), print: (value, redact) => make().print(value, redact) };
}

/** The problems of a ConfigFault; rethrows any other error. */
export function problemsOf(error: unknown): readonly ConfigProblem[] {
  if (error instanceof ConfigFault) return error.problems;
  throw error;
}

/** Reads all parts and throws all their problems together. */
export function readAll<T>(parts: readonly (() => T)[]): T[] {
  const problems: ConfigProblem[] = [];
  const values: T[] = [];
  for (const part of parts) {
    try {
      values.push(part());
    } catch (error) {
      problems.push(...problemsOf(error));
    }
  }
  if (problems.length > 0) throw new ConfigFault(problems);
  return values;
}

/** `ofNothing` is the error for a null item; without it such an item is read as an empty text. */
export function list<T>(kind: Kind<T>, ofNothing?: string): Kind<readonly T[]> {
  return {
    read: (node) =>
      readAll(
        node.items().map((item) => () => {
          if (ofNothing !== undefined && item.isNothing) throw item.fault(ofNothing);
          return kind.read(item);
        }),
      ),
    print: (values, redact) => values.map((value) => kind.print(value, redact)),
    ...listTexts(kind),
  };
}

/** A mapping with free names, in the order of the file. */
export function map<T>(kind: Kind<T>): Kind<Readonly<Record<string, T>>> {
  return {
    read: (node) =>
      Object.fromEntries(
        readAll(
          node.entries().map(
            ([name, value]) =>
              () =>
                [name.written(), kind.read(value)] as const,
          ),
        ),
      ),
    print: (values, redact) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, kind.print(value, redact)])),
    ...mapTexts(kind),
  };
}

/** One field of a mapping. */
export interface Field<T> {
  readonly kind: Kind<T>;
  /** The value when the field is absent. */
  readonly absent: T;
}

export function optional<T>(kind: Kind<T>): Field<T | undefined> {
  return {
    kind: {
      read: kind.read,
      print: (value, redact) => (value === undefined ? undefined : kind.print(value, redact)),
      ...optionalTexts(kind),
    },
    absent: undefined,
  };
}

export function withDefault<T>(kind: Kind<T>, absent: T): Field<T> {
  return { kind, absent };
}

// biome-ignore lint/suspicious/noExplicitAny: a record of fields of any types; each keeps its own.
export type Fields = Readonly<Record<string, Field<any>>>;

/** `group_wait` → `groupWait` */
type Camel<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;

/** The values of a mapping with these fields, with names in camel case. */
export type FieldValues<F extends Fields> = {
  readonly [Name in keyof F & string as Camel<Name>]: F[Name] extends Field<infer T> ? T : never;
};

function camelOf(name: string): string {
  return name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase());
}

function isEmpty(printed: unknown): boolean {
  if (printed === undefined || printed === null || printed === '') return true;
  return typeof printed === 'object' && printed !== null && Object.keys(printed).length === 0;
}

/** Whether reading gives the same without the printed value. An empty list differs from an absent one. */
function isLeftOut(printed: unknown, absent: unknown): boolean {
  if (Array.isArray(printed) && absent === undefined) return false;
  return isEmpty(printed) && isEmpty(absent);
}

/** A problem of a mapping, with the field whose line is named; by default the line of the mapping. */
export type Wrong = string | { readonly field: string; readonly message: string };

/**
 * A mapping of known fields; an unknown one is refused with its line. `check` returns a problem of the whole. Fields that
 * are off, zero or empty by default are printed only otherwise: an older Alertmanager may not know them.
 */
export function object<const F extends Fields>(
  fields: F,
  check?: (values: FieldValues<F>, node: ConfigNode) => Wrong | undefined,
): Kind<FieldValues<F>> {
  const names = Object.keys(fields);
  const plan: readonly PlannedField[] = Object.entries(fields).map(([name, field]) => ({
    name,
    camel: camelOf(name),
    ...(field as Field<unknown>),
  }));
  return {
    read(node) {
      const found = new Map<string, ConfigNode>();
      const problems: ConfigProblem[] = [];
      for (const [name, value] of node.fields()) {
        const field = name.written();
        if (!Object.hasOwn(fields, field))
          problems.push({ line: name.line, message: unknownFieldMessage(field, names) });
        else if (!value.isNothing) found.set(field, value);
      }
      const read: Record<string, unknown> = {};
      for (const { name, camel, kind, absent } of plan) {
        const value = found.get(name);
        try {
          read[camel] = value ? kind.read(value) : absent;
        } catch (error) {
          problems.push(...problemsOf(error));
        }
      }
      if (problems.length > 0) throw new ConfigFault(problems);
      const values = read as FieldValues<F>;
      const wrong = check?.(values, node);
      if (typeof wrong === 'string') throw node.fault(wrong);
      if (wrong !== undefined) throw (found.get(wrong.field) ?? node).fault(wrong.message);
      return values;
    },
    print(values, redact) {
      const printed: Record<string, unknown> = {};
      for (const { name, camel, kind, absent } of plan) {
        const value = (values as Record<string, unknown>)[camel];
        if ((value === false || value === 0) && value === absent) continue;
        const shown = kind.print(value, redact);
        if (!isLeftOut(shown, absent === undefined ? undefined : kind.print(absent))) printed[name] = shown;
      }
      return printed;
    },
    ...objectTexts<FieldValues<F>>(plan),
  };
}

export function unknownFieldMessage(field: string, names: readonly string[]): string {
  return `field ${field} not found in type config.plain; it may be one of ${names.join(', ')}`;
}
