const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};
const PROMETHEUS_UNITS = ['y', 'w', 'd', 'h', 'm', 's', 'ms'];

/** The longest duration that Go can hold: 2^63 nanoseconds, in milliseconds. */
const MAX_MS = 9_223_372_036_854;

/**
 * Reads a duration as Prometheus writes it (`1h30m`, `2d`, `0`), with units from biggest to smallest, in milliseconds;
 * undefined when the text is no duration. Source: prometheus/common model.ParseDuration.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(ms|[smhdwy]))+$/.test(text)) return undefined;
  let sum = 0;
  let last = -1;
  for (const [, digits, unit] of text.matchAll(/(\d+)(ms|[smhdwy])/g)) {
    const place = PROMETHEUS_UNITS.indexOf(unit as string);
    if (place <= last) return undefined;
    last = place;
    sum += Number(digits) * (UNIT_MS[unit as string] as number);
  }
  return sum <= MAX_MS ? sum : undefined;
}

const GO_UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Reads a duration as Go's time.ParseDuration does (`1.5h`, `300ms`, `-2m`, `0`), or as Prometheus does (`5d`), in
 * milliseconds, which may be fractional; undefined when the text is neither.
 */
export function parseFlagDuration(text: string): number | undefined {
  if (/^[+-]0$/.test(text)) return 0;
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/.exec(text);
  if (!match) return parseDuration(text);
  let sum = 0;
  for (const [, number, unit] of (match[2] as string).matchAll(/([\d.]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g)) {
    sum += Number(number) * (GO_UNIT_MS[unit as string] as number);
  }
  return sum <= MAX_MS ? (match[1] === '-' ? -sum : sum) : undefined;
}

/**
 * Writes whole milliseconds as Prometheus does: `5m`, `-1h30m`, `0s`; weeks and years only where nothing smaller is left.
 * A fraction is dropped.
 */
export function formatDuration(ms: number): string {
  let rest = Math.trunc(Math.abs(ms));
  if (rest === 0) return '0s';
  let text = ms < 0 ? '-' : '';
  for (const unit of PROMETHEUS_UNITS) {
    const unitMs = UNIT_MS[unit] as number;
    const exactOnly = unit === 'y' || unit === 'w';
    if (exactOnly && rest % unitMs !== 0) continue;
    const count = Math.floor(rest / unitMs);
    if (count === 0) continue;
    text += `${count}${unit}`;
    rest -= count * unitMs;
  }
  return text;
}
