import * as v from 'valibot';
import type { SearchHit } from '../store/room-store.ts';

const text = v.optional(v.pipe(v.string(), v.maxLength(1_000)));
const LIMIT = 'must be a number from 1 to 100';

/** The query of a search. What has a filter in `q` too may stand in a parameter of its own. */
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
  next: v.optional(v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'is no cursor of a search'), v.transform(Number))),
});
export type SearchRequest = v.InferOutput<typeof SEARCH_QUERY>;

/** `json`: the messages of the hits, as the caller sees them. */
export function printHits(hits: readonly SearchHit[], json: readonly string[], next: number | null): string {
  const printed = hits.map(
    ({ snippet, offsets }, index) =>
      `{"message":${json[index]},"snippet":${JSON.stringify(snippet)},"offsets":${JSON.stringify(offsets)}}`,
  );
  return `{"hits":[${printed.join(',')}],"next":${next === null ? null : `"${next}"`}}`;
}
