import type { SqlRow } from '../../../kernel/storage/database.ts';
import type { Message } from '../../domain/message/message.ts';
import type { SearchQuery, SearchTerm } from '../store.ts';
import { indexable } from '../words.ts';
import type { Rows } from './rows.ts';
import { placeOf, roomOfPlace, seqOfPlace } from './schema.ts';

// Properties of a message beside its text are indexed as words, so that a search for something rare in a room or of an
// author does not scan all other messages. These words begin with a private-use character, which is removed from all
// texts of users.
const MARK = '\uE000';
const UNWANTED = /[\uE000\0]/g;
/** With more rooms hits are filtered one by one. */
const MAX_ROOM_WORDS = 100;
const DAY_MS = 86_400_000;
/** Times are filtered hit by hit. */
const FIRST_DAY = Date.UTC(2000, 0);
const LAST_DAY = Date.UTC(2100, 0);
/** A decade, a year, a month and a day are prefixes of `20260314`. */
const DATE_DIGITS = [3, 4, 6, 8];

/** The indexed text of a message. */
export function indexedText(message: Message, room: number): string {
  const { author, type, body, attachments, createdAt } = message;
  const file = attachments.length > 0 ? ` ${hasWord('file')}` : '';
  const link = /https?:\/\//i.test(body) ? ` ${hasWord('link')}` : '';
  const facets = `${roomWord(room)} ${authorWord(author.id)} ${typeWord(type)} ${timeWords(createdAt)}`;
  return `${facets}${file}${link} ${indexable(body.replace(UNWANTED, ' '))}`;
}

const roomWord = (room: number): string => `${MARK}r${room}`;
const authorWord = (id: string): string => `${MARK}a${Buffer.from(id).toString('hex')}`;
const typeWord = (type: string): string => `${MARK}t${Buffer.from(type).toString('hex')}`;
const hasWord = (what: 'file' | 'link'): string => `${MARK}h${what}`;
const dateWord = (digits: string): string => `${MARK}d${digits}`;

const dayDigits = (at: number): string => new Date(at).toISOString().slice(0, 10).replaceAll('-', '');

let lastDay = { day: Number.NaN, words: '' };

/** The words of a time, cached since consecutive messages mostly share them. */
function timeWords(createdAt: number): string {
  const at = Math.min(Math.max(createdAt, FIRST_DAY), LAST_DAY - 1);
  const day = Math.floor(at / DAY_MS);
  if (lastDay.day !== day) {
    const digits = dayDigits(at);
    lastDay = { day, words: DATE_DIGITS.map((count) => dateWord(digits.slice(0, count))).join(' ') };
  }
  return lastDay.words;
}

/** A search as a query of the index. */
export interface Match {
  readonly expression: string;
  /** Only messages created after that position can match. */
  readonly after: number;
  /** Whether a hit of the index matches, by its `place` and `created_at`. */
  readonly admits: (row: SqlRow) => boolean;
}

/** `undefined`: no match is possible. */
export async function matchOf(query: SearchQuery, rows: Rows): Promise<Match | undefined> {
  const { terms, createdFrom = -Infinity, createdTo = Infinity } = query;
  const limits = new Map<number, number>();
  for (const { roomId, afterSeq } of query.rooms) {
    const room = rows.numberOf(roomId);
    if (room !== undefined) limits.set(room, afterSeq);
  }
  if (limits.size === 0 || createdFrom >= createdTo) return undefined;
  const wanted = [...groupsOf(query, limits, rows.roomCount()), ...phrasesOf(terms.filter(({ not }) => !not))];
  const unwanted = phrasesOf(terms.filter(({ not }) => not));
  return {
    expression: [wanted.join(' AND '), ...unwanted].join(' NOT '),
    after: await firstPositionOf(limits, rows),
    admits: ({ place, created_at }) => {
      const afterSeq = limits.get(roomOfPlace(Number(place)));
      const at = Number(created_at);
      return afterSeq !== undefined && seqOfPlace(Number(place)) > afterSeq && at >= createdFrom && at < createdTo;
    },
  };
}

function groupsOf(query: SearchQuery, limits: ReadonlyMap<number, number>, roomCount: number): readonly string[] {
  const { authorId, type, has, terms, createdFrom, createdTo } = query;
  const groups: string[] = [];
  if (authorId !== undefined) groups.push(anyOf([authorWord(authorId)]));
  if (type !== undefined) groups.push(anyOf([typeWord(type)]));
  if (has) groups.push(anyOf([hasWord(has)]));
  if (createdFrom !== undefined || createdTo !== undefined) groups.push(anyOf(dateWords(createdFrom, createdTo)));
  const saysSomething = groups.length > 0 || phrasesOf(terms.filter(({ not }) => !not)).length > 0;
  const isSifted = limits.size > MAX_ROOM_WORDS || limits.size >= roomCount;
  if (!isSifted) groups.push(anyOf([...limits.keys()].map(roomWord)));
  else if (!saysSomething) groups.push(anyOf(dateWords(undefined, undefined)));
  return groups;
}

const anyOf = (words: readonly string[]): string => `(${words.map(quote).join(' OR ')})`;

/** A quoted text holds no operators of FTS5. */
const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const WORD = /[\p{L}\p{N}\p{Co}]/u;

function phrasesOf(terms: readonly SearchTerm[]): readonly string[] {
  return terms.flatMap(({ words, prefix }) => {
    const text = indexable(words.join(' ').replace(UNWANTED, ' '));
    return WORD.test(text) ? [`${quote(text)}${prefix ? ' *' : ''}`] : [];
  });
}

/** The fewest decades, years, months and days that cover a range of time. */
function dateWords(createdFrom = FIRST_DAY, createdTo = LAST_DAY): readonly string[] {
  const startOf = (at: number) => Math.floor(Math.min(Math.max(at, FIRST_DAY), LAST_DAY - DAY_MS) / DAY_MS) * DAY_MS;
  const words: string[] = [];
  const end = startOf(createdTo - 1) + DAY_MS;
  for (let at = startOf(createdFrom); at < end; ) {
    const { digits, next } = longestFrom(new Date(at), end);
    words.push(dateWord(dayDigits(at).slice(0, digits)));
    at = next;
  }
  return words;
}

function longestFrom(start: Date, end: number): { readonly digits: number; readonly next: number } {
  const [year, month, day] = [start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()];
  const spans = [
    { digits: 3, begins: year % 10 === 0 && month === 0 && day === 1, next: Date.UTC(year + 10, 0) },
    { digits: 4, begins: month === 0 && day === 1, next: Date.UTC(year + 1, 0) },
    { digits: 6, begins: day === 1, next: Date.UTC(year, month + 1) },
  ];
  return spans.find(({ begins, next }) => begins && next <= end) ?? { digits: 8, next: start.getTime() + DAY_MS };
}

/** Visible history begins at a position. */
async function firstPositionOf(limits: ReadonlyMap<number, number>, rows: Rows): Promise<number> {
  let least = Number.MAX_SAFE_INTEGER;
  for (const [room, afterSeq] of limits) {
    if (afterSeq === 0) return 0;
    const sql = 'SELECT first FROM message WHERE place > ? AND place < ? ORDER BY place LIMIT 1';
    const [row] = await rows.query(sql, [placeOf(room, afterSeq), placeOf(room + 1, 0)]);
    if (row) least = Math.min(least, Number(row.first));
  }
  return least - 1;
}
