import { readInstant } from './instant.ts';
import type { MessageType } from './message/message.ts';
import { accepted, type Outcome, type Refusal, refuse } from './refusal.ts';

const MAX_LENGTH = 1_000;
const MAX_TERMS = 32;
const TYPES: ReadonlySet<string> = new Set<MessageType>(['text', 'file', 'alert', 'command', 'system']);

/** One term of a search. */
export interface SoughtTerm {
  /** One word, or the words of a phrase; the index folds case and accents. */
  readonly words: readonly string[];
  /** The last word is a prefix. */
  readonly prefix: boolean;
  readonly not: boolean;
}

/** A parsed search. */
export interface SoughtMessages {
  readonly terms: readonly SoughtTerm[];
  /** A user's id. */
  readonly from?: string;
  /** A room's id or slug. */
  readonly in?: string;
  readonly has?: 'file' | 'link';
  readonly type?: MessageType;
  /** Created before that instant; `after:` includes its instant. */
  readonly before?: number;
  readonly after?: number;
}

/** `-`, then a phrase, or a filter's name and its value, quoted or not, or anything up to the next space. */
const PIECE = /(-?)(?:(from|in|has|type|before|after):)?(?:"([^"]*)(?:"(\*?)|$)|([^\s"]+)|(?=\s|$))/giy;
const SPACES = /\s*/y;

/**
 * Parses a search: words (all must match), `"a phrase"`, `-not`, `prefix*`, and the filters `from:ana`, `in:ops`,
 * `has:file`, `has:link`, `type:alert`, `before:` and `after:` with a date (UTC) or an RFC 3339 instant.
 */
export function parseSearch(text: string): Outcome<SoughtMessages> {
  if (text.length > MAX_LENGTH) return invalid(`longer than ${MAX_LENGTH} characters`);
  const terms: SoughtTerm[] = [];
  let filters: Omit<SoughtMessages, 'terms'> = {};
  for (const piece of piecesOf(text)) {
    if (piece.filter === undefined) {
      const term = termOf(piece);
      if (term) terms.push(term);
      continue;
    }
    const filter = filterOf(piece.filter, piece.value);
    if (!filter.ok) return filter;
    filters = { ...filters, ...filter.value };
  }
  if (terms.length > MAX_TERMS) return invalid(`more than ${MAX_TERMS} words and phrases`);
  return accepted({ terms, ...filters });
}

interface Piece {
  readonly not: boolean;
  readonly filter: FilterName | undefined;
  readonly value: string;
  readonly prefix: boolean;
}

type FilterName = 'from' | 'in' | 'has' | 'type' | 'before' | 'after';

function* piecesOf(text: string): Generator<Piece> {
  for (let at = 0; at < text.length; ) {
    SPACES.lastIndex = at;
    SPACES.exec(text);
    PIECE.lastIndex = SPACES.lastIndex;
    const match = PIECE.exec(text);
    if (!match || match[0] === '') {
      at = SPACES.lastIndex + 1;
      continue;
    }
    at = PIECE.lastIndex;
    const [, minus, filter, phrase, phraseStar, word = ''] = match;
    const value = phrase ?? word;
    yield {
      not: minus === '-',
      filter: filter?.toLowerCase() as FilterName | undefined,
      value,
      prefix: phraseStar === '*' || (phrase === undefined && word.endsWith('*')),
    };
  }
}

/** `undefined`: it has no words. */
function termOf({ value, prefix, not }: Piece): SoughtTerm | undefined {
  const words = value.match(/[\p{L}\p{N}\p{M}]+/gu);
  return words ? { words, prefix, not } : undefined;
}

type Filter = Omit<SoughtMessages, 'terms'>;

function filterOf(name: FilterName, value: string): Outcome<Filter> {
  if (value === '') return invalid(`${name}: needs a value`);
  switch (name) {
    case 'from':
      return accepted({ from: value.replace(/^@/, '').toLowerCase() });
    case 'in':
      return accepted({ in: value.replace(/^#/, '') });
    case 'has':
      return value === 'file' || value === 'link' ? accepted({ has: value }) : invalid('has: "file" or "link"');
    case 'type':
      return TYPES.has(value)
        ? accepted({ type: value as MessageType })
        : invalid(`type: one of ${[...TYPES].join(', ')}`);
    default: {
      const at = readInstant(value);
      return at === undefined
        ? invalid(`${name}: a date such as 2026-01-31, or an instant such as 2026-01-31T09:00:00Z`)
        : accepted({ [name]: at });
    }
  }
}

function invalid(reason: string): Refusal {
  return refuse('invalid_query', `q: ${reason}`, { path: 'q' });
}
