import { providerReplacementSchema, providerRequestSchema, wireProvider } from '../contract/provider.ts';
import type { ProviderRegistry } from '../copilot/provider-registry.ts';
import { providerEtag } from '../domain/copilot/provider-change.ts';
import { refuse } from '../domain/refusal.ts';
import { answer, answerOutcome, answerRefusal } from './answer/answers.ts';
import { answerTagged, readIfMatch } from './answer/etag.ts';
import type { Paths } from './index.ts';
import { readJson } from './request/body.ts';
import { admit, type CallerHandler, type GuardParts } from './request/guard.ts';
import { param } from './request/query.ts';

export interface ProviderRouteParts {
  readonly guard: GuardParts;
  readonly providers: ProviderRegistry;
  readonly requireIfMatch: boolean;
}

const BODY_LIMIT = 16 * 1024;

/** The providers of models that rooms refer to; for admins of the server. */
export function providerPaths(parts: ProviderRouteParts): Paths {
  const { guard } = parts;
  return {
    '/api/provider': {
      GET: admit(guard, { scope: 'admin' }, listProviders(parts)),
      POST: admit(guard, { scope: 'admin' }, postProvider(parts)),
    },
    '/api/provider/:name': {
      GET: admit(guard, { scope: 'admin' }, getProvider(parts)),
      PUT: admit(guard, { scope: 'admin' }, putProvider(parts)),
      DELETE: admit(guard, { scope: 'admin' }, deleteProvider(parts)),
    },
  };
}

function listProviders({ providers }: ProviderRouteParts): CallerHandler {
  return (c, caller) =>
    answerOutcome(c, providers.list(caller), (all) => answer(c, { providers: all.map(wireProvider) }));
}

function postProvider({ providers }: ProviderRouteParts): CallerHandler {
  return async (c, caller) => {
    const request = await readJson(c, providerRequestSchema, BODY_LIMIT);
    if (!request.ok) return answerRefusal(c, request);
    return answerOutcome(c, await providers.create(caller, request.value), (provider) => {
      const headers = { location: `/api/provider/${provider.name}`, etag: providerEtag(provider.version) };
      return answer(c, wireProvider(provider), 201, headers);
    });
  };
}

function getProvider({ providers }: ProviderRouteParts): CallerHandler {
  return (c, caller) =>
    answerOutcome(c, providers.find(caller, param(c, 'name')), (provider) =>
      answerTagged(c, providerEtag(provider.version), () => JSON.stringify(wireProvider(provider))),
    );
}

function putProvider({ providers, requireIfMatch }: ProviderRouteParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const body = await readJson(c, providerReplacementSchema, BODY_LIMIT);
    if (!body.ok) return answerRefusal(c, body);
    const name = param(c, 'name');
    if (body.value.name !== undefined && body.value.name !== name)
      return answerRefusal(c, refuse('immutable_field', 'name cannot be changed: rooms refer to it', { path: 'name' }));
    const replaced = await providers.replace(caller, { ...body.value, name }, ifMatch.value);
    return answerOutcome(c, replaced, (provider) =>
      answer(c, wireProvider(provider), 200, { etag: providerEtag(provider.version) }),
    );
  };
}

function deleteProvider({ providers, requireIfMatch }: ProviderRouteParts): CallerHandler {
  return async (c, caller) => {
    const ifMatch = readIfMatch(c, requireIfMatch);
    if (!ifMatch.ok) return answerRefusal(c, ifMatch);
    const removed = await providers.remove(caller, param(c, 'name'), ifMatch.value);
    return answerOutcome(c, removed, (provider) => answer(c, wireProvider(provider)));
  };
}
