import { printHits, SEARCH_QUERY } from '../contract/message-search.ts';
import type { MessageReader } from '../messages/reader.ts';
import type { MessageSearch } from '../messages/search.ts';
import { answerJson, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type GuardParts } from './request/guard.ts';
import { readQuery } from './request/query.ts';

export interface SearchRouteParts {
  readonly guard: GuardParts;
  readonly search: MessageSearch;
  readonly reader: MessageReader;
}

/** Messages by what they say, from all rooms that the caller reads. */
export function searchPaths({ guard, search, reader }: SearchRouteParts): Paths {
  return {
    '/api/search': {
      GET: admit(guard, { scope: 'read', limit: 'search' }, async (c, caller) => {
        const query = readQuery(c, SEARCH_QUERY);
        if (!query.ok) return answerRefusal(c, query);
        const page = await search.search(caller, query.value);
        if (!page.ok) return answerRefusal(c, page);
        const { hits, next } = page.value;
        const json = await reader.print(
          caller,
          hits.map(({ stored }) => stored),
        );
        return answerJson(c, printHits(hits, json, next));
      }),
    },
  };
}
