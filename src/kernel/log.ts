import type { Clock } from './clock.ts';
import { escapeUnseen } from './terminal/printable.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_FORMATS = ['logfmt', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** Structured log lines. Never pass it a secret. */
export interface Log {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Whether debug lines are written, for callers whose fields are expensive. */
  readonly debugging: boolean;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly clock: Clock;
  /** Takes one finished line with its newline. */
  readonly write: (line: string) => void;
}

/** The longest value in one line: an echoed body must not flood the log. */
const MAX_VALUE = 4096;

/** Creates a log of `time=… level=… msg="…" key=value` lines, or of JSON objects with the same keys. */
export function createLog({ level, format, clock, write }: LogOptions): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const print = format === 'json' ? printJson : printLogfmt;
  const at =
    (line: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LOG_LEVELS.indexOf(line) < lowest) return;
      write(
        `${print({ time: new Date(clock.now()).toISOString(), level: line.toUpperCase(), msg: message, ...fields })}\n`,
      );
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), debugging: lowest === 0 };
}

function printJson(fields: LogFields): string {
  return escapeUnseen(JSON.stringify(fields, (_, value) => (typeof value === 'string' ? shorten(value) : value)));
}

function printLogfmt(fields: LogFields): string {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) parts.push(`${key}=${typeof value === 'string' ? quoteIfNeeded(shorten(value)) : value}`);
  }
  return parts.join(' ');
}

function shorten(value: string): string {
  return value.length > MAX_VALUE ? `${value.slice(0, MAX_VALUE)}…` : value;
}

function quoteIfNeeded(value: string): string {
  return /^[^\s"=\p{C}]+$/u.test(value) ? value : escapeUnseen(JSON.stringify(value));
}
