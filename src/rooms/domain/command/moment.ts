import { MAX_LENGTH_MS, readLength } from './arguments.ts';

const DAY_MS = 8.64e7;

/** A time ahead as typed, and the number of words that say so. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly words: number;
}

/**
 * Reads `2h`, `in 1d12h`, `until 09:00`, `at 6pm` (the next such time), `tomorrow 8am` or `until 2030-01-02T09:00Z`; clock
 * times are UTC. `undefined`: no time. `past`: it is over, or more than a year ahead.
 */
export function readMoment(words: readonly string[], now: number): Moment | 'past' | undefined {
  const found = findMoment(words, now);
  if (!found) return undefined;
  return found.at > now && found.at <= now + MAX_LENGTH_MS ? found : 'past';
}

function findMoment([first = '', second = '', third = '']: readonly string[], now: number): Moment | undefined {
  const length = readLength(first === 'in' ? second : first);
  if (length !== undefined) return { at: now + length, words: first === 'in' ? 2 : 1 };
  const isNamed = first === 'until' || first === 'at';
  const [word, after, before] = isNamed ? [second, third, 1] : [first, second, 0];
  if (word === 'tomorrow') {
    const time = clockTime(after);
    const midnight = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS;
    return time === undefined ? undefined : { at: midnight + time, words: before + 2 };
  }
  const at = isNamed ? readTime(word, now) : undefined;
  return at === undefined ? undefined : { at, words: 2 };
}

function readTime(word: string, now: number): number | undefined {
  const time = clockTime(word);
  if (time !== undefined) {
    const at = Math.floor(now / DAY_MS) * DAY_MS + time;
    return at > now ? at : at + DAY_MS;
  }
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(word)) return undefined;
  const at = Date.parse(word);
  return Number.isNaN(at) ? undefined : at;
}

/** `09:00`, `8am` or `8:30pm` in milliseconds since midnight. */
function clockTime(word: string): number | undefined {
  const found = /^(\d{1,2})(?::([0-5]\d))?(am|pm)?$/.exec(word);
  if (!found || (found[2] === undefined && found[3] === undefined)) return undefined;
  const [, hours = '', minutes = '0', half] = found;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === 'pm' ? 12 : 0);
  if (hour > 23 || (half !== undefined && (Number(hours) < 1 || Number(hours) > 12))) return undefined;
  return hour * 3.6e6 + Number(minutes) * 6e4;
}
