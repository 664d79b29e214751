import type { HttpHandler, PathHandlers } from '../../kernel/http/app.ts';
import { FALLBACK } from '../contract/refusal.ts';
import { ANY_ORIGIN, corsHeaders } from '../cors.ts';
import { refuse } from './answers.ts';
import type { Paths } from './index.ts';

/** Makes an SDK that uses version 2 of flag delivery fall back to version 1, whatever the status. */
const FALLBACK_HEADER = 'x-ld-fd-fallback';

const METHODS = ['GET', 'POST', 'REPORT', 'OPTIONS'];

/** Version 2 of flag delivery to mobile and client-side SDKs: declined. */
export function fallbackPaths(): Paths {
  const client = Object.fromEntries(METHODS.map((method) => [method, declineClient])) as PathHandlers;
  return {
    '/sdk/poll/eval': client,
    '/sdk/poll/eval/:context': client,
    '/sdk/stream/eval': client,
    '/sdk/stream/eval/:context': client,
  };
}

const declineClient: HttpHandler = (c) => {
  const cors = corsHeaders(ANY_ORIGIN, c.req.header('origin'), METHODS);
  if (c.req.method === 'OPTIONS') return c.body(null, 200, cors);
  const exposed = { 'access-control-expose-headers': `Date,${FALLBACK_HEADER}` };
  return refuse(c, 404, FALLBACK, { ...cors, ...exposed, [FALLBACK_HEADER]: 'true' });
};
