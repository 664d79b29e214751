import { isIP } from 'node:net';
import { parseFlagDuration } from '../../kernel/duration.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';

/** What a value may be as it was written: a text of a flag or a variable, or whatever a configuration file holds. */
export type Written = string | number | boolean | null | readonly unknown[] | object;

/** Reads one kind of value; the reason says what to write instead. */
export type ReadValue<T> = (written: Written) => Outcome<T>;

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 2 ** 20,
  mb: 1e6,
  mib: 2 ** 20,
  g: 2 ** 30,
  gb: 1e9,
  gib: 2 ** 30,
};

export const readText: ReadValue<string> = (written) => {
  const text = textOf(written)?.trim();
  return text ? accepted(text) : refused('write a text');
};

export const readSwitch: ReadValue<boolean> = (written) => {
  if (typeof written === 'boolean') return accepted(written);
  const word = textOf(written)?.trim().toLowerCase() ?? '';
  if (['1', 'true', 'yes', 'on'].includes(word)) return accepted(true);
  return ['0', 'false', 'no', 'off'].includes(word) ? accepted(false) : refused('write true or false');
};

export function readWord<const W extends string>(words: readonly W[]): ReadValue<W> {
  return (written) => {
    const word = words.find((one) => one === textOf(written)?.trim());
    return word === undefined ? refused(`write ${words.join(' or ')}`) : accepted(word);
  };
}

export function readNumber(least: number, most: number): ReadValue<number> {
  return (written) => {
    const text = textOf(written)?.trim() ?? '';
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return number >= least && number <= most
      ? accepted(number)
      : refused(`write a whole number from ${least} to ${most}`);
  };
}

/** Bytes: `65536`, `64KiB`, `25MiB`, `1GB`. */
export function readSize(least: number, most: number): ReadValue<number> {
  return (written) => {
    const [, digits, unit = ''] = /^(\d{1,15}) ?([a-z]*)$/i.exec(textOf(written)?.trim() ?? '') ?? [];
    const bytes = Number(digits) * (UNITS[unit.toLowerCase()] ?? Number.NaN);
    return bytes >= least && bytes <= most
      ? accepted(bytes)
      : refused(`write a size from ${least} to ${most} bytes, such as 65536, 64KiB or 25MiB`);
  };
}

export const readDuration: ReadValue<number> = (written) => {
  const ms = parseFlagDuration(textOf(written)?.trim() ?? '');
  return ms !== undefined && ms >= 0 ? accepted(Math.round(ms)) : refused('write a duration such as 30d, 12h or 0');
};

/** A duration, `never` (0), or `always` (`null`). */
export const readEditWindow: ReadValue<number | null> = (written) => {
  const word = textOf(written)?.trim();
  if (written === null || word === 'always') return accepted(null);
  if (word === 'never') return accepted(0);
  const duration = readDuration(written);
  return duration.ok ? duration : refused('write a duration such as 24h, or never, or always');
};

/** An http or https address without a user, query or fragment; without a slash at the end. */
export const readUrl: ReadValue<string> = (written) => {
  const text = textOf(written)?.trim() ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash)
    return accepted(url.href.replace(/\/+$/, ''));
  return refused('write an http or https address without a name or password, such as https://chat.example.com');
};

/** The address of a proxy, which may hold a name and password. */
export const readProxy: ReadValue<string> = (written) => {
  const text = textOf(written)?.trim() ?? '';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search && !url.hash && isEscaped(url))
    return accepted(url.href);
  return refused(
    'write an http or https address such as http://proxy.example.com:3128; % in a password is %25, @ is %40',
  );
};

function isEscaped({ username, password }: URL): boolean {
  try {
    return [username, password].every((part) => decodeURIComponent(part) !== undefined);
  } catch {
    return false;
  }
}

export const readOrigins: ReadValue<readonly string[]> = (written) =>
  readList(written, (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    return url && /^https?:$/.test(url.protocol) && url.origin === text.toLowerCase().replace(/\/$/, '')
      ? accepted(url.origin)
      : refused('write origins such as https://tools.example.com, without a path');
  });

export const readHosts: ReadValue<readonly string[]> = (written) =>
  readList(written, (text) => {
    const name = text.toLowerCase().replace(/^\[(.*)\]$/, '$1');
    return isIP(name) || /^[\w-]+(\.[\w-]+)*$/.test(name)
      ? accepted(name)
      : refused('write host names such as chat.example.com, without a port');
  });

export const readRooms: ReadValue<readonly string[]> = (written) =>
  // Of a flag that is repeated each may name several.
  readList(Array.isArray(written) ? written.join() : written, (text) =>
    /^[a-z0-9][a-z0-9-]{0,63}$/.test(text)
      ? accepted(text)
      : refused('write slugs or ids of rooms such as ops,oncall, without a leading #'),
  );

/** A list, or texts between commas. */
function readList<T>(written: Written, read: (text: string) => Outcome<T>): Outcome<readonly T[]> {
  const texts = Array.isArray(written) ? written : (textOf(written)?.split(',') ?? [undefined]);
  const values: T[] = [];
  for (const one of texts) {
    const value = read(typeof one === 'string' ? one.trim() : '');
    if (!value.ok) return value;
    values.push(value.value);
  }
  return accepted(values);
}

function textOf(written: Written): string | undefined {
  return typeof written === 'string' || typeof written === 'number' ? String(written) : undefined;
}
