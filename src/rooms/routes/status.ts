import type { Refusal } from '../domain/refusal.ts';
import type { Health, HealthFindings } from '../health.ts';
import { answer, answerJson, answerRefusal } from './answer/answers.ts';
import type { Paths } from './index.ts';
import { type Credentials, credentialsOf } from './request/guard.ts';

export interface StatusPathsParts {
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

/** Health, metrics, version and OpenAPI. They need no sign-in, but the metrics may have a token. */
export function statusPaths({ health, isAdmin, metrics, refuseMetrics, version, openapi }: StatusPathsParts): Paths {
  return {
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
