import { parseFlagDuration } from '../duration.ts';
import { type ListenAddress, parseListenAddress } from '../http/listen-address.ts';
import { bare } from '../http/site-address.ts';
import { accepted, type Outcome, refused } from '../outcome.ts';

/** A kind of value: how it is read from a flag, a variable or a file. */
export interface Kind<T, A = undefined> {
  /** Reads a text, or what a YAML file holds. The reason of a refusal says what to write. */
  readonly read: (written: unknown) => Outcome<T>;
  /** The value of a setting that is not given and has no default. */
  readonly absent: A;
  /** The only values, for the help. */
  readonly words?: readonly string[];
  /** A flag of it may be repeated. */
  readonly isList?: true;
}

/** A kind that is read from text without the spaces around it; `parse` returns undefined for a text that is not valid. */
export function kindOf<T>(expected: string, parse: (text: string) => T | undefined): Kind<T> {
  return {
    absent: undefined,
    read: (written) => {
      const value = parse(textOf(written)?.trim() ?? '');
      return value === undefined ? refused(`write ${expected}`) : accepted(value);
    },
  };
}

function textOf(written: unknown): string | undefined {
  return typeof written === 'string' || typeof written === 'number' ? String(written) : undefined;
}

export const text = kindOf('a text', (found) => found || undefined);

/** Any text, also an empty one, as it is. */
export const anyText: Kind<string> = {
  absent: undefined,
  read: (written) => (typeof written === 'string' ? accepted(written) : refused('write a text')),
};

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...{ true: true, 1: true, yes: true, on: true },
  ...{ false: false, 0: false, no: false, off: false },
};

export const boolean: Kind<boolean, false> = {
  absent: false,
  read: (written) => {
    const word = String(written).trim().toLowerCase();
    const value = Object.hasOwn(BOOLEANS, word) ? BOOLEANS[word] : undefined;
    return value === undefined ? refused('write true or false') : accepted(value);
  },
};

/** One of some words, in any case. */
export function oneOf<const W extends string>(words: readonly W[]): Kind<W> {
  return { ...kindOf(listWords(words), (found) => words.find((word) => word === found.toLowerCase())), words };
}

/** `a, b or c` */
export function listWords(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');
}

/** A whole number. */
export function number(min: number, max?: number): Kind<number> {
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return kindOf(`a whole number ${range}`, (found) =>
    within(/^[+-]?\d{1,15}$/.test(found) ? Number(found) : Number.NaN, min, max),
  );
}

function within(value: number, min: number, max = Number.POSITIVE_INFINITY): number | undefined {
  return value >= min && value <= max ? value : undefined;
}

/** The port of a listener; 0 is any free one. */
export const listenPort = number(0, 65_535);

/** A duration as Go or Prometheus write it, in milliseconds, which may be fractional. */
export const duration = kindOf('a duration such as 90s, 15m or 120h', (found) =>
  within(parseFlagDuration(found) ?? Number.NaN, 0),
);

/** A duration of at least 1 ms, for what is repeated. */
export const interval = kindOf('a duration of at least 1ms, such as 90s or 15m', (found) =>
  within(parseFlagDuration(found) ?? Number.NaN, 1),
);

const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, b: 1 },
  ...{ k: 2 ** 10, kib: 2 ** 10, kb: 1e3 },
  ...{ m: 2 ** 20, mib: 2 ** 20, mb: 1e6 },
  ...{ g: 2 ** 30, gib: 2 ** 30, gb: 1e9 },
};

/** A size in bytes: `65536`, `64KiB`, `25 MiB`, `1GB`. */
export function bytes(min: number, max: number): Kind<number> {
  return kindOf(`a size from ${min} to ${max} bytes, such as 65536, 64KiB or 25MiB`, (found) => {
    const [, digits, unit = ''] = /^(\d{1,15}) ?([a-z]*)$/i.exec(found) ?? [];
    return within(Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN), min, max);
  });
}

/** The http or https URL of a text, or undefined. */
export function parseHttpUrl(found: string): URL | undefined {
  const url = URL.canParse(found) ? new URL(found) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** The http or https URL of a server, without credentials, query and fragment; read without a slash at the end. */
export function serverUrl(example: string): Kind<string> {
  return kindOf(`an http or https URL without a name or password, such as ${example}`, (found) => {
    const url = parseHttpUrl(found);
    return url && !url.username && !url.password && !url.search && !url.hash ? url.href.replace(/\/+$/, '') : undefined;
  });
}

/** An origin of web pages. */
export const origin = kindOf('an origin without a path, such as https://tools.example.com', (found) => {
  const url = parseHttpUrl(found);
  return url && url.origin === found.toLowerCase().replace(/\/$/, '') ? url.origin : undefined;
});

/** The name or address of a host, in small letters. */
export const hostName = kindOf('a name or address without a port, such as chat.example.com', (found) => {
  const name = bare(found);
  const isHost = name.includes(':') ? URL.canParse(`http://[${name}]`) : /^[\w-]+(\.[\w-]+)*$/.test(name);
  return isHost ? name : undefined;
});

export const listenAddress: Kind<ListenAddress> = kindOf(
  'an address such as :9093, 127.0.0.1:9093 or [::1]:9093; sockets of virtual machines (vsock) are not supported',
  parseListenAddress,
);

/** An empty text is read as undefined. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  return { ...kind, read: (written) => (written === '' ? accepted(undefined) : kind.read(written)) };
}

/** Values between commas, of a flag that may be repeated, or of a list in a file. */
export function listOf<T>(entry: Kind<T>): Kind<readonly T[], readonly T[]> {
  return {
    isList: true,
    absent: [],
    read: (written) => {
      const values: T[] = [];
      const entries = (Array.isArray(written) ? written : [written]) as readonly unknown[];
      for (const one of entries.flatMap((part) => textOf(part)?.split(',') ?? [part])) {
        const value = entry.read(one);
        if (!value.ok) return value;
        values.push(value.value);
      }
      return accepted(values);
    },
  };
}
