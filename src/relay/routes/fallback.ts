import type { HttpHandler } from '../../kernel/http/app.ts';
import { FALLBACK } from '../contract/refusal.ts';
import { ANY_ORIGIN, corsHeaders } from '../cors.ts';
import { refuse } from './answers.ts';

/** Tells an SDK that speaks flag delivery of version 2 to go on with version 1, whatever the status. */
const FALLBACK_HEADER = 'x-ld-fd-fallback';

const METHODS = ['GET', 'POST', 'REPORT', 'OPTIONS'];

/** What servers ask for by version 2 of the protocol. */
export const declineServer: HttpHandler = (c) => refuse(c, 404, FALLBACK, { [FALLBACK_HEADER]: 'true' });

/** What browsers and mobile applications ask for by it. */
export const declineClient: HttpHandler = (c) => {
  const cors = corsHeaders(ANY_ORIGIN, c.req.header('origin'), METHODS);
  if (c.req.method === 'OPTIONS') return c.body(null, 200, cors);
  const exposed = { 'access-control-expose-headers': `Date,${FALLBACK_HEADER}` };
  return refuse(c, 404, FALLBACK, { ...cors, ...exposed, [FALLBACK_HEADER]: 'true' });
};
