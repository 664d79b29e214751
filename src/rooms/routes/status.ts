import type { Deck } from '../../kernel/deck/deck.ts';
import { answerDeck } from '../../kernel/deck/route.ts';
import type { Refusal } from '../domain/refusal.ts';
import { type Health, type HealthFindings, stateOf } from '../health.ts';
import { answer, answerJson, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { type Credentials, credentialsOf } from './request/guard.ts';

const OWN = { name: 'rooms', title: 'Rooms', url: './' };

export interface StatusPathsParts {
  readonly deck: Deck;
  readonly health: () => HealthFindings;
  /** Of the whole server. */
  readonly isAdmin: (credentials: Credentials) => Promise<boolean>;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  /** Why the metrics may not be read. */
  readonly refuseMetrics: (credentials: Credentials) => Refusal | undefined;
  /** Of the interface, and of the program. */
  readonly version: { readonly version: string; readonly opsdeck: string };
  /** The OpenAPI document, as JSON. */
  readonly openapi: () => Promise<string>;
}

/** The servers that belong together, health, metrics, version and OpenAPI. They need no sign-in, but the metrics may have a token. */
export function statusPaths(parts: StatusPathsParts): Paths {
  const { deck, health, isAdmin, metrics, refuseMetrics, version, openapi } = parts;
  return {
    '/deck.json': { GET: answerDeck(deck, OWN, () => stateOf(health())) },
    '/health': {
      GET: async (c) => {
        const { health: found, accepts, closed } = health();
        const names = closed.length > 0 && (await isAdmin(credentialsOf(c))) ? { reenter: closed } : {};
        const json = JSON.stringify({ ...found, secrets: { ...found.secrets, ...names } } satisfies Health);
        if (accepts) return answerJson(c, json);
        return c.body(json, 503, {
          'content-type': 'application/json',
          'cache-control': 'no-store',
          'retry-after': '5',
        });
      },
    },
    '/metrics': {
      GET: async (c) => {
        const refusal = refuseMetrics(credentialsOf(c));
        if (refusal) return answerRefusal(c, refusal);
        return c.body(await metrics.render(), 200, { 'content-type': metrics.contentType });
      },
    },
    '/version': { GET: (c) => answer(c, version) },
    '/openapi.json': { GET: async (c) => answerJson(c, await openapi()) },
  };
}
