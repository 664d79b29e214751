import type { HttpHandler } from '../../kernel/http/app.ts';
import type { IntegrationHealth } from '../contract/integration-health.ts';
import type { Answers } from './answers.ts';
import { refuseUnacceptable } from './guards.ts';

export interface IntegrationRoutes {
  readonly answers: Answers;
  readonly integrations: () => readonly IntegrationHealth[];
}

/** GET /integrations: what became of their notifications, and which fail. opsdeck's own. */
export function listIntegrations({ answers, integrations }: IntegrationRoutes): HttpHandler {
  return (c) => refuseUnacceptable(c, answers) ?? answers.json(c, integrations());
}
