import { accepted, type Outcome, type Refusal, refuse } from '../refusal.ts';
import { type LabelMatcher, matchesAnything, readMatcher } from './matcher.ts';

/** What somebody asks for by a line that begins with a slash. */
export type Command =
  | { readonly name: 'alerts'; readonly filter: readonly LabelMatcher[] }
  | {
      readonly name: 'silence';
      readonly endsAt: number;
      /** Empty: those of the alert group in whose thread it stands. */
      readonly matchers: readonly LabelMatcher[];
      readonly comment: string;
      /** What it would match is told to the asker alone, and nothing is done. */
      readonly isPreview: boolean;
      readonly force: boolean;
    }
  | { readonly name: 'unsilence'; readonly id: string }
  | { readonly name: 'ack' | 'unack'; readonly note: string }
  | { readonly name: 'ask'; readonly question: string }
  /** `null`: since the asker has read it last. */
  | { readonly name: 'catchup'; readonly sinceAt: number | null }
  | { readonly name: 'help' };

export const COMMANDS: Readonly<Record<Command['name'], string>> = {
  alerts: '/alerts [matcher …] — the alerts that fire now (this and silences: where an admin allows it)',
  silence: '/silence 2h alertname=DiskFull instance=~"web.*" -- why; add ? to see first what it would match',
  unsilence: '/unsilence <id> — ends a silence',
  ack: '/ack [note] — in the thread of an alert: you have it',
  unack: '/unack — in the thread of an alert: you do not have it any more',
  ask: '/ask <question> — asks the copilot of the room, for all to see',
  catchup: '/catchup [2h] — your private copilot sums up what you have not read, or the last two hours',
  help: '/help — this list',
};

const LINE = /^\/([A-Za-z][A-Za-z-]*)(\??)(?:\s+([\s\S]*))?$/;

/** Whether a body is meant as a command: `//x` is a text that begins with a slash, and `/a/path` is a path. */
export function isCommandLine(body: string): boolean {
  return LINE.test(body.trimEnd());
}

/** A body that escapes a command, without the escape. */
export function unescapeCommand(body: string): string {
  return /^\/\/[A-Za-z]/.test(body) ? body.slice(1) : body;
}

/** Reads a line for which `isCommandLine` holds. */
export function readCommand(body: string, now: number): Outcome<Command> {
  const [, typed = '', mark = '', rest = ''] = LINE.exec(body.trimEnd()) ?? [];
  const name = typed.toLowerCase();
  switch (name) {
    case 'help':
      return accepted({ name });
    case 'ack':
    case 'unack':
      return accepted({ name, note: rest.trim() });
    case 'ask':
      return rest.trim() === '' ? wrong(name, 'the question is missing') : accepted({ name, question: rest.trim() });
    case 'catchup':
      return readCatchUp(rest.trim(), now);
    case 'alerts': {
      const filter = readMatchers(splitWords(rest));
      return filter.ok ? accepted({ name, filter: filter.value }) : filter;
    }
    case 'unsilence':
      return /^[0-9A-Za-z-]{8,64}$/.test(rest.trim())
        ? accepted({ name, id: rest.trim() })
        : wrong('unsilence', 'the id of the silence is missing or is none');
    case 'silence':
      return readSilence(rest, mark === '?', now);
    default:
      return unknown(name);
  }
}

const wrong = (name: Command['name'], reason: string): Refusal =>
  refuse('invalid_body', `${reason}. ${COMMANDS[name]}`);

function unknown(name: string): Refusal {
  const near = Object.keys(COMMANDS).find(
    (known) => Math.abs(known.length - name.length) <= 2 && distance(known, name) <= 2,
  );
  const advice = near ? `did you mean /${near}?` : '/help lists what there is.';
  return refuse('invalid_body', `there is no command /${name}; ${advice} To post the text as it is, begin it with //`);
}

function readCatchUp(rest: string, now: number): Outcome<Command> {
  if (rest === '') return accepted({ name: 'catchup', sinceAt: null });
  const end = readLength(rest, now);
  if (end === undefined || end === now || end > now + MAX_MS) return wrong('catchup', 'say how far back: 30m, 2h, 1d');
  return accepted({ name: 'catchup', sinceAt: now - (end - now) });
}

function readSilence(rest: string, isMarked: boolean, now: number): Outcome<Command> {
  const [line = '', ...comments] = rest.split(/(?:^|\s)--(?:\s|$)/);
  const words = splitWords(line);
  const force = words.includes('--force') || / --force\b/.test(` ${rest}`);
  const asked = words.filter((word) => word !== '--force');
  const isPreview = isMarked || asked.at(-1) === '?';
  if (asked.at(-1) === '?') asked.pop();
  const end = readEnd(asked, now);
  if (!end.ok) return end;
  const matchers = readMatchers(asked.slice(end.value.words));
  if (!matchers.ok) return matchers;
  if (matchers.value.length > 0 && matchers.value.every(matchesAnything) && !force)
    return refuse(
      'invalid_body',
      'these matchers would silence everything; name a label (admins of the server may add --force)',
    );
  const comment = comments
    .join(' -- ')
    .replace(/(^|\s)--force\b/g, '')
    .replace(/(^|\s)\?$/, '')
    .trim();
  return accepted({ name: 'silence', endsAt: end.value.endsAt, matchers: matchers.value, comment, isPreview, force });
}

function readMatchers(words: readonly string[]): Outcome<readonly LabelMatcher[]> {
  const matchers: LabelMatcher[] = [];
  for (const word of words) {
    const matcher = readMatcher(word);
    if (!matcher.ok) return matcher;
    matchers.push(matcher.value);
  }
  return accepted(matchers);
}

/**
 * Words are parted by spaces, and by commas as in `{a="b", c="d"}`; quotes hold them together. One that is not closed holds
 * the rest, or each quote of a long text would search all that follows for the other one.
 */
function splitWords(text: string): string[] {
  const inner = text.trim().replace(/(^|\s)\{([\s\S]*)\}$/, '$1$2');
  return inner.match(/(?:"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)|[^\s,"])+/g) ?? [];
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 3.6e6, d: 8.64e7, w: 6.048e8 };
const MAX_MS = 366 * 8.64e7;

/** `2h`, `1d12h`, or `until 09:00` (UTC: the next such moment) or `until 2030-01-02T09:00Z`; how many words it takes. */
function readEnd(words: readonly string[], now: number): Outcome<{ readonly endsAt: number; readonly words: number }> {
  const [first = '', second = ''] = words;
  const endsAt = first === 'until' ? readMoment(second, now) : readLength(first, now);
  if (endsAt === undefined) return wrong('silence', 'say how long: 30m, 2h, 1d, or until 09:00 (UTC)');
  if (endsAt <= now || endsAt > now + MAX_MS) return wrong('silence', 'the end must lie ahead, by a year at the most');
  return accepted({ endsAt, words: first === 'until' ? 2 : 1 });
}

function readLength(word: string, now: number): number | undefined {
  if (!/^(\d+[smhdw])+$/.test(word)) return undefined;
  let ms = 0;
  for (const [, count = '', unit = ''] of word.matchAll(/(\d+)([smhdw])/g)) ms += Number(count) * (UNIT_MS[unit] ?? 0);
  return now + ms;
}

function readMoment(word: string, now: number): number | undefined {
  const time = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(word);
  if (time) {
    const midnight = Math.floor(now / 8.64e7) * 8.64e7;
    const at = midnight + Number(time[1]) * 3.6e6 + Number(time[2]) * 6e4;
    return at > now ? at : at + 8.64e7;
  }
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(word)) return undefined;
  const at = Date.parse(word);
  return Number.isNaN(at) ? undefined : at;
}

/** Levenshtein's. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
