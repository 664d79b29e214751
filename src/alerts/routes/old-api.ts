import type { HttpHandler } from '../../kernel/http/app.ts';
import type { Log } from '../../kernel/log.ts';

const DEPRECATED =
  'The Alertmanager v1 API was deprecated in version 0.16.0 and is removed as of version 0.27.0 - please use the equivalent route in the v2 API';

/** Answers 410 with the text that Alertmanager uses for its removed first API. */
export function refuseOldApi(log: Log): HttpHandler {
  return (c) => {
    log.warn('a client uses the removed v1 API', { path: c.req.path, method: c.req.method });
    return c.body(`${JSON.stringify({ status: 'deprecated', error: DEPRECATED })}\n`, 410, {
      'content-type': 'application/json',
    });
  };
}
