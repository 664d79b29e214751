import { parseFlagDuration } from '../../kernel/duration.ts';
import { LOG_LEVELS, type LogFormat } from '../../kernel/log.ts';
import { accepted } from '../../kernel/outcome.ts';
import { anyText, type Kind, kindOf, number, oneOf, parseHttpUrl } from '../../kernel/settings/kind.ts';
import type { TlsVersion } from './relay-options.ts';

// Kinds of values as ld-relay's files and environment variables write them.

export const count = number(1);
export const workerCount = number(1, 64);
export const port = number(1, 65_535);
export const eventMode = oneOf(['off', 'discard', 'forward']);
export const logLevel = oneOf([...LOG_LEVELS, 'none']);

const LOG_FORMATS: ReadonlyMap<string, LogFormat> = new Map([
  ['text', 'logfmt'],
  ['logfmt', 'logfmt'],
  ['json', 'json'],
]);
export const logFormat = kindOf('text or json', (found) => LOG_FORMATS.get(found.toLowerCase()));

/** An absolute http or https URL, read without a slash at its end. It may hold a password. */
export const httpUrl = kindOf('an absolute http or https URL, such as https://relay.example.org', (found) =>
  /^https?:\/\//i.test(found) ? parseHttpUrl(found)?.href.replace(/\/+$/, '') : undefined,
);

const GO_DURATION = /^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;

/** A duration as Go writes it, in milliseconds. */
export function goDuration(min: number): Kind<number> {
  const least = min === 0 ? '' : ` of at least ${min}ms`;
  return kindOf(`a duration${least} such as 500ms, 30s, 5m or 1h30m`, (found) => {
    const ms = GO_DURATION.test(found) ? parseFlagDuration(found) : undefined;
    return ms === undefined || ms < min ? undefined : ms;
  });
}

/** The same, and a number alone, which is one of seconds: ld-relay's reference allows it for heartbeats. */
export const durationOrSeconds = kindOf('a duration such as 30s or 3m, 0 for none', (found) => {
  if (/^\d{1,9}$/.test(found)) return Number(found) * 1000;
  const read = goDuration(0).read(found);
  return read.ok ? read.value : undefined;
});

const SIZE_UNITS = ['', 'K', 'M', 'G', 'T', 'P'];

/** A size in bytes above 0. All units are powers of 1024, with and without `i`, as in ld-relay. */
export const size = kindOf('a size of at least 1B such as 500KiB, 5MiB or 1GiB', (found) => {
  if (!/^((\d+\.?\d*|\.\d+)([KMGTP]i?)?B)+$/.test(found)) return undefined;
  let bytes = 0;
  for (const [, digits, unit = ''] of found.matchAll(/([\d.]+)([KMGTP]?)i?B/g))
    bytes += Number(digits) * 1024 ** SIZE_UNITS.indexOf(unit);
  return bytes >= 1 ? Math.floor(bytes) : undefined;
});

/** A key or an id. White space around it is left out. */
export const credential: Kind<string> = { ...anyText };

/** Texts between commas; empty ones are left out. */
export const list: Kind<readonly string[], readonly string[]> = {
  isList: true,
  absent: [],
  read: (written) => accepted(entriesOf(String(written)).filter((one) => one !== '')),
};

/** Texts between commas. Empty ones are kept, for the caller to refuse. */
export const strictList: Kind<readonly string[], readonly string[]> = {
  ...list,
  read: (written) => accepted(entriesOf(String(written))),
};

/** The texts between commas, without the white space around them. */
export function entriesOf(text: string): readonly string[] {
  return text.split(',').map((one) => one.trim());
}

const MIN_TOKEN_LENGTH = 16;

/** A secret that nobody guesses: there is no limit on attempts. */
export const pageToken = kindOf(
  `at least ${MIN_TOKEN_LENGTH} visible ASCII characters, such as the output of openssl rand -hex 16`,
  (found) => (found.length >= MIN_TOKEN_LENGTH && /^[!-~]+$/.test(found) ? found : undefined),
);

const TLS_VERSIONS: ReadonlyMap<string, TlsVersion> = new Map([
  ['1.0', 'TLSv1'],
  ['1.1', 'TLSv1.1'],
  ['1.2', 'TLSv1.2'],
  ['1.3', 'TLSv1.3'],
]);
export const tlsVersion = kindOf('1.0, 1.1, 1.2 or 1.3', (found) => TLS_VERSIONS.get(found));
