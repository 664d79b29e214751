import { parseFlagDuration } from '../../kernel/duration.ts';
import { LOG_LEVELS, type LogLevel } from '../../kernel/log.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { EventOptions, TlsVersion } from './relay-options.ts';

// Readers of single values, as ld-relay's files and environment variables write them. A refusal repeats the value only
// where it cannot be a secret.

export function readText(text: string): Outcome<string> {
  return accepted(text);
}

export function readBoolean(text: string): Outcome<boolean> {
  const word = text.toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return accepted(true);
  if (['false', '0', 'no', 'off'].includes(word)) return accepted(false);
  return refused(`${JSON.stringify(text)} is no boolean: write true or false`);
}

/** A port to listen on, or another number above 0. */
export function readCount(text: string): Outcome<number> {
  const count = Number(text);
  if (!/^\+?\d{1,15}$/.test(text) || count < 1) return refused(`${JSON.stringify(text)} is no whole number above 0`);
  return accepted(count);
}

export function readPort(text: string): Outcome<number> {
  const port = readCount(text);
  if (!port.ok) return port;
  return port.value <= 65_535 ? port : refused(`${text} is no port: the greatest is 65535`);
}

/** An absolute http or https URL, without a slash at its end. */
export function readUrl(text: string): Outcome<string> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || !/^https?:\/\//i.test(text)) {
    // It may hold a password.
    const shown = text.includes('@') ? 'it' : JSON.stringify(text);
    return refused(`${shown} is no absolute http or https URL, such as https://relay.example.org`);
  }
  return accepted(url.href.replace(/\/+$/, ''));
}

const ONE_DURATION = /^[+-]?(0|((\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/;

/** Go's form of a duration, in milliseconds, at least `leastMs`. */
export function durationOf(leastMs: number): (text: string) => Outcome<number> {
  return (text) => {
    const ms = ONE_DURATION.test(text) ? parseFlagDuration(text) : undefined;
    if (ms === undefined) return refused(`${JSON.stringify(text)} is no duration: write 500ms, 30s, 5m or 1h30m`);
    if (ms >= leastMs) return accepted(ms);
    return refused(leastMs === 0 ? `${text} is below 0` : `${text} is too short: the least is ${leastMs}ms`);
  };
}

const SIZE_UNITS = ['', 'K', 'M', 'G', 'T', 'P'];

/** A size in bytes above 0. All units are powers of 1024, with and without `i`, as in ld-relay. */
export function readSize(text: string): Outcome<number> {
  let bytes = 0;
  if (!/^((\d+\.?\d*|\.\d+)([KMGTP]i?)?B)+$/.test(text))
    return refused(`${JSON.stringify(text)} is no size: write 500KiB, 5MiB or 1GiB`);
  for (const [, number, unit = ''] of text.matchAll(/([\d.]+)([KMGTP]?)i?B/g))
    bytes += Number(number) * 1024 ** SIZE_UNITS.indexOf(unit);
  return bytes >= 1 ? accepted(Math.floor(bytes)) : refused(`${text} is no size above 0`);
}

/** Apart by commas; what is empty is kept, for the caller to complain of. */
export function readList(text: string): Outcome<readonly string[]> {
  return accepted(text === '' ? [] : text.split(',').map((one) => one.trim()));
}

export function readLogLevel(text: string): Outcome<LogLevel | 'none'> {
  const level = [...LOG_LEVELS, 'none' as const].find((one) => one === text.toLowerCase());
  if (level !== undefined) return accepted(level);
  return refused(`${JSON.stringify(text)} is no log level: write ${LOG_LEVELS.join(', ')} or none`);
}

const TLS_VERSIONS: Readonly<Record<string, TlsVersion>> = {
  '1.0': 'TLSv1',
  '1.1': 'TLSv1.1',
  '1.2': 'TLSv1.2',
  '1.3': 'TLSv1.3',
};

export function readTlsVersion(text: string): Outcome<TlsVersion> {
  const version = TLS_VERSIONS[text];
  return version ? accepted(version) : refused(`${JSON.stringify(text)} is no TLS version: write 1.0, 1.1, 1.2 or 1.3`);
}

export function readEventMode(text: string): Outcome<EventOptions['mode']> {
  const mode = (['off', 'discard', 'forward'] as const).find((one) => one === text.toLowerCase());
  return mode ? accepted(mode) : refused(`${JSON.stringify(text)} is no mode: write off, discard or forward`);
}
