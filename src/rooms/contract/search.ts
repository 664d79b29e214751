import * as v from 'valibot';
import type { WireMessage } from './message.ts';

const text = v.optional(v.pipe(v.string(), v.maxLength(1_000)));
const LIMIT = 'must be a number from 1 to 100';

/** The query of a search. The filters of `q` may also be parameters. */
export const SEARCH_QUERY = v.object({
  q: text,
  room: text,
  from: text,
  type: text,
  has: text,
  before: text,
  after: text,
  limit: v.optional(
    v.pipe(v.string(), v.regex(/^\d{1,3}$/, LIMIT), v.transform(Number), v.minValue(1, LIMIT), v.maxValue(100, LIMIT)),
  ),
  next: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be the cursor of a search'), v.transform(Number))),
});
export type SearchRequest = v.InferOutput<typeof SEARCH_QUERY>;

export interface WireHit {
  readonly message: WireMessage;
  /** A piece of the text. */
  readonly snippet: string;
  /** The finds in the snippet, each `[start, end)` in UTF-16 units. */
  readonly offsets: readonly (readonly [number, number])[];
}

export interface WireHits {
  readonly hits: readonly WireHit[];
  readonly next: string | null;
}

/** `WireHits` as JSON; `json`: the messages of the hits, as the caller sees them. */
export function printHits(
  hits: readonly Omit<WireHit, 'message'>[],
  json: readonly string[],
  next: number | null,
): string {
  const printed = hits.map(
    ({ snippet, offsets }, index) =>
      `{"message":${json[index]},"snippet":${JSON.stringify(snippet)},"offsets":${JSON.stringify(offsets)}}`,
  );
  return `{"hits":[${printed.join(',')}],"next":${next === null ? null : `"${next}"`}}`;
}
