import type { HttpContext } from '../../kernel/http/app.ts';
import { providerReplacementSchema, providerRequestSchema, wireProvider } from '../contract/provider.ts';
import type { ProviderBook } from '../copilot/provider-book.ts';
import { providerEtag } from '../domain/copilot/provider-change.ts';
import { refuse } from '../domain/refusal.ts';
import { answer, answerRefusal, answerVerdict } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type GuardParts } from './request/guard.ts';

export interface ProviderRouteParts {
  readonly guard: GuardParts;
  readonly book: ProviderBook;
  readonly requireIfMatch: boolean;
}

const BODY_LIMIT = 16 * 1024;

/** The providers of models that rooms refer to; for admins of the server. */
export function providerPaths({ guard, book, requireIfMatch }: ProviderRouteParts): Paths {
  const nameOf = (c: HttpContext) => c.req.param('name') ?? '';
  return {
    '/api/provider': {
      GET: admit(guard, { scope: 'admin' }, (c, caller) =>
        answerVerdict(c, book.list(caller), (providers) => answer(c, { providers: providers.map(wireProvider) })),
      ),
      POST: admit(guard, { scope: 'admin' }, async (c, caller) => {
        const request = await readJson(c, providerRequestSchema, BODY_LIMIT);
        if (!request.ok) return answerRefusal(c, request);
        return answerVerdict(c, await book.create(caller, request.value), (provider) => {
          const headers = { location: `/api/provider/${provider.name}`, etag: providerEtag(provider.version) };
          return answer(c, wireProvider(provider), 201, headers);
        });
      }),
    },
    '/api/provider/:name': {
      GET: admit(guard, { scope: 'admin' }, (c, caller) =>
        answerVerdict(c, book.find(caller, nameOf(c)), (provider) =>
          answerTagged(c, providerEtag(provider.version), () => JSON.stringify(wireProvider(provider))),
        ),
      ),
      PUT: admit(guard, { scope: 'admin' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const body = await readJson(c, providerReplacementSchema, BODY_LIMIT);
        if (!body.ok) return answerRefusal(c, body);
        const name = nameOf(c);
        if (body.value.name !== undefined && body.value.name !== name)
          return answerRefusal(
            c,
            refuse('immutable_field', 'name cannot be changed: rooms refer to it', { path: 'name' }),
          );
        const replaced = await book.replace(caller, { ...body.value, name }, ifMatch.value);
        return answerVerdict(c, replaced, (provider) =>
          answer(c, wireProvider(provider), 200, { etag: providerEtag(provider.version) }),
        );
      }),
      DELETE: admit(guard, { scope: 'admin' }, async (c, caller) => {
        const ifMatch = readIfMatch(c, requireIfMatch);
        if (!ifMatch.ok) return answerRefusal(c, ifMatch);
        const removed = await book.remove(caller, nameOf(c), ifMatch.value);
        return answerVerdict(c, removed, (provider) => answer(c, wireProvider(provider)));
      }),
    },
  };
}
