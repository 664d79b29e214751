import { printHits, SEARCH_QUERY } from '../contract/search.ts';
import type { Inbox } from '../messages/inbox.ts';
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
  readonly inbox: Inbox;
}

/** Messages of all rooms: `/api/search` of those that the caller may read, `/api/inbox` of those that wait for the caller. */
export function searchPaths(parts: SearchRouteParts): Paths {
  const { guard, inbox } = parts;
  const needs = { scope: 'read', limit: 'search' } as const;
  return {
    '/api/search': { GET: admit(guard, needs, searchMessages(parts)) },
    '/api/inbox': { GET: admit(guard, needs, async (c, caller) => answerJson(c, await inbox.print(caller))) },
  };
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
