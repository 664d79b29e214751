import { parseFlagDuration } from '../../kernel/duration.ts';
import { CommandError, ExitCode } from '../../kernel/errors.ts';

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function instantOf(text: string): number | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  // Date.parse rolls 30 February over into March.
  if (day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return undefined;
  const at = Date.parse(text.toUpperCase().replace(' ', 'T'));
  return Number.isNaN(at) ? undefined : at;
}

/** Reads the RFC 3339 instant of a flag, in epoch milliseconds. Throws for wrong usage. */
export function parseInstant(text: string, flag: string): number {
  const at = instantOf(text);
  if (at !== undefined) return at;
  throw new CommandError(
    `${flag}: "${text}" is no time in RFC 3339, such as 2026-03-01T18:00:00Z or 2026-03-01T18:00:00+01:00`,
    ExitCode.usage,
  );
}

/** Reads the duration of a flag, in milliseconds; zero and less are refused. Throws for wrong usage. */
export function parseSpan(text: string, flag: string): number {
  const ms = parseFlagDuration(text);
  if (ms === undefined) {
    throw new CommandError(`${flag}: "${text}" is no duration, such as 30m, 2h or 1d12h`, ExitCode.usage);
  }
  if (ms <= 0) throw new CommandError(`${flag}: a duration must be greater than 0, found "${text}"`, ExitCode.usage);
  return ms;
}

/** Formats an instant of the API: `2026-03-01 18:00:00 UTC`. Any other text stays as it is. */
export function formatInstant(text: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return text;
  return `${new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, '')} UTC`;
}

/** An instant for the API. */
export function toWireInstant(at: number): string {
  return new Date(at).toISOString();
}
