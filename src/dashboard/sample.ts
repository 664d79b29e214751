import sampleMarkers from '../../data/sample/project-markers.json';
import infoEvents from '../../data/sample/usage-events-info.csv';
import slopeEvents from '../../data/sample/usage-events-slope.csv';

// The data shown before there are any: invented usage of two users.

/** The last day of the sample, a Sunday, and its end. */
const WRITTEN_UNTIL = Date.parse('2026-03-15T23:59:59.999Z');
const WEEK_MS = 7 * 86_400_000;
const DAY_MS = 86_400_000;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

const EVENT_FILES: Readonly<Record<string, string>> = {
  'usage-events-info.csv': infoEvents,
  'usage-events-slope.csv': slopeEvents,
};

export interface SampleFile {
  readonly contentType: string;
  readonly text: string;
}

/**
 * A file of the sample, shifted by whole weeks (working days stay working days) and cut off at `now` (epoch
 * milliseconds).
 */
export function readSample(name: string, now: number): SampleFile | undefined {
  const shiftMs = Math.ceil((now - WRITTEN_UNTIL) / WEEK_MS) * WEEK_MS;
  if (name === 'project-markers.json')
    return { contentType: 'application/json', text: `${JSON.stringify(shiftMarkers(shiftMs, now), null, 2)}\n` };
  const csv = Object.hasOwn(EVENT_FILES, name) ? EVENT_FILES[name] : undefined;
  if (csv === undefined) return undefined;
  return { contentType: 'text/csv; charset=utf-8', text: shiftEvents(csv, shiftMs, now) };
}

function shiftEvents(csv: string, shiftMs: number, now: number): string {
  const [header = '', ...rows] = csv.trimEnd().split('\n');
  const shifted = rows.flatMap((row) => {
    const at = Date.parse(INSTANT.exec(row)?.[0] ?? '') + shiftMs;
    return at <= now ? [row.replace(INSTANT, new Date(at).toISOString())] : [];
  });
  return `${[header, ...shifted].join('\n')}\n`;
}

function shiftMarkers(shiftMs: number, now: number): typeof sampleMarkers {
  const shift = (text: string) => new Date(Date.parse(text) + shiftMs).toISOString();
  const markers = sampleMarkers.markers
    .filter(({ start }) => Date.parse(start) + shiftMs < now - DAY_MS / 24)
    .map((marker) => {
      const end = shift(marker.end);
      return {
        ...marker,
        start: shift(marker.start),
        end: Date.parse(end) > now ? new Date(now).toISOString() : end,
        createdAt: shift(marker.createdAt),
        updatedAt: shift(marker.updatedAt),
      };
    });
  return { ...sampleMarkers, markers };
}
