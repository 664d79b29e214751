import type { Condition } from '../../kernel/conditions.ts';
import { type HttpContext, type HttpHandler, type Method, noteAnswerSize } from '../../kernel/http/app.ts';
import type { Outcome } from '../../kernel/outcome.ts';

export interface OperationRoutes {
  readonly reload: () => Promise<Outcome<unknown>>;
  readonly metrics: { readonly contentType: string; render(): Promise<string> };
  /** What the server cannot do at present. */
  readonly conditions: () => readonly Condition[];
}

/** GET /-/healthy */
export const answerOk: HttpHandler = (c) => answerText(c, 'OK', 200);

/**
 * GET /-/ready: 200 from the first answer on, since the server listens only when all data is loaded. Conditions are named in
 * the body: any other status would take away a server that accepts and notifies alerts.
 */
export function answerReady({ conditions }: OperationRoutes): HttpHandler {
  return (c) => {
    const present = conditions().map(({ text }) => text);
    return answerText(c, present.length === 0 ? 'OK' : `OK, but ${present.join('\nand ')}`, 200);
  };
}

/** POST /-/reload: reads the configuration file again; an invalid one changes nothing and is reported. */
export function reload({ reload }: OperationRoutes): HttpHandler {
  return async (c) => {
    const reloaded = await reload();
    return reloaded.ok ? c.body(null, 200) : answerText(c, `failed to reload config: ${reloaded.reason}\n`, 500);
  };
}

/** GET /metrics, in Prometheus' text format. */
export function readMetrics({ metrics }: OperationRoutes): HttpHandler {
  return async (c) => {
    const text = await metrics.render();
    noteAnswerSize(c, Buffer.byteLength(text));
    return c.body(text, 200, { 'content-type': metrics.contentType });
  };
}

/** 405 with `Allow`, as text. */
export function refuseMethodAsText(c: HttpContext, allowed: readonly Method[]): Response {
  return c.text('Method Not Allowed\n', 405, { allow: allowed.join(',') });
}

function answerText(c: HttpContext, text: string, status: 200 | 500): Response {
  if (c.req.method !== 'HEAD') noteAnswerSize(c, Buffer.byteLength(text));
  return c.text(text, status);
}
