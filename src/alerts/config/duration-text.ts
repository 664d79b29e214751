import { quoteGo } from '../domain/quote.ts';

const DURATION_UNITS = ['ms', 's', 'm', 'h', 'd', 'w', 'y'];

/** The error for an invalid duration. Source of the texts: prometheus/common model.ParseDuration. */
export function durationProblem(word: string): string {
  const unit = [...(/^(?:\d+\D+)*/.exec(word)?.[0].matchAll(/\D+/g) ?? [])].map(([found]) => found);
  const unknown = unit.find((found) => !DURATION_UNITS.includes(found));
  if (unknown !== undefined) return `unknown unit ${quoteGo(unknown)} in duration ${quoteGo(word)}`;
  return /^(?:\d+[a-z]+)+$/.test(word) && isOrdered(unit)
    ? 'duration out of range'
    : `not a valid duration string: ${quoteGo(word)}; write for instance 5m or 1h30m`;
}

function isOrdered(units: readonly string[]): boolean {
  const places = units.map((unit) => DURATION_UNITS.indexOf(unit));
  return places.every((place, index) => index === 0 || place < (places[index - 1] as number));
}

/** Formats milliseconds like Go, which has no days: `36h0m1.5s`. */
export function formatGoDuration(ms: number): string {
  const seconds = Math.abs(ms) / 1000;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  const text = hours > 0 ? `${hours}h${minutes}m${rest}` : minutes > 0 ? `${minutes}m${rest}` : rest;
  return ms < 0 ? `-${text}` : text;
}
