import type { HttpHandler } from '../../kernel/http.ts';
import type { Outcome } from '../../kernel/outcome.ts';

export interface OperationRoutes {
  readonly reload: () => Promise<Outcome<unknown>>;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
}

/** GET /-/healthy and /-/ready: whoever gets an answer has found a server that has all of its data. */
export const answerOk: HttpHandler = (c) => c.text('OK');

/** POST /-/reload: reads the configuration file again; a bad one changes nothing and says why. */
export function reload({ reload }: OperationRoutes): HttpHandler {
  return async (c) => {
    const reloaded = await reload();
    return reloaded.ok ? c.body(null, 200) : c.text(`failed to reload config: ${reloaded.reason}\n`, 500);
  };
}

/** GET /metrics, in Prometheus' text format. */
export function readMetrics({ metrics }: OperationRoutes): HttpHandler {
  return async (c) => c.body(await metrics.render(), 200, { 'content-type': metrics.contentType });
}
