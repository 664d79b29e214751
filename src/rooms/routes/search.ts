import { printHits, SEARCH_QUERY } from '../contract/search.ts';
import type { MessageReader } from '../messages/reader.ts';
import type { MessageSearch } from '../messages/search.ts';
import { answerJson, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { readQuery } from './request/query.ts';

export interface SearchRouteParts {
  readonly guard: GuardParts;
  readonly search: MessageSearch;
  readonly reader: MessageReader;
}

/** `/api/search`: messages of all rooms that the caller may read. */
export function searchPaths(parts: SearchRouteParts): Paths {
  return { '/api/search': { GET: admit(parts.guard, { scope: 'read', limit: 'search' }, searchMessages(parts)) } };
}

function searchMessages({ search, reader }: SearchRouteParts): CallerHandler {
  return async (c, caller) => {
    const query = readQuery(c, SEARCH_QUERY);
    if (!query.ok) return answerRefusal(c, query);
    const page = await search.search(caller, query.value);
    if (!page.ok) return answerRefusal(c, page);
    const { hits, next } = page.value;
    const stored = hits.map((hit) => hit.stored);
    return answerJson(c, printHits(hits, await reader.print(caller, stored), next));
  };
}
