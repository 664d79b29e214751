import type { Condition } from '../../kernel/conditions.ts';
import type { HttpHandler } from '../../kernel/http/app.ts';
import type { IntegrationHealth } from '../contract/integration-health.ts';
import { readParameters } from '../contract/query.ts';
import type { Routing } from '../contract/routing.ts';
import type { ServerInfo } from '../contract/server-info.ts';
import type { Timeline } from '../contract/timeline.ts';
import type { LabelSet } from '../domain/label-set.ts';
import type { TimelineReport } from '../reports/timeline.ts';
import type { Answers } from './answers.ts';
import { refuseUnacceptable } from './guards.ts';
import { orStorageAway, printNotification, readLabels, refuseHistory } from './notifications.ts';

/** opsdeck's own reports, all of them reads. */
export interface ReportRoutes {
  readonly answers: Answers;
  readonly conditions: () => readonly Condition[];
  readonly integrations: () => readonly IntegrationHealth[];
  readonly routing: () => Routing;
  readonly server: () => ServerInfo;
  readonly timeline: (labels: LabelSet) => Promise<TimelineReport>;
}

/** GET /conditions: what the server cannot do at present, as `/-/ready` says in words. */
export function readConditions({ answers, conditions }: ReportRoutes): HttpHandler {
  return (c) => refuseUnacceptable(c, answers) ?? answers.json(c, conditions());
}

/** GET /integrations: what became of their notifications, and which fail. */
export function listIntegrations({ answers, integrations }: ReportRoutes): HttpHandler {
  return (c) => refuseUnacceptable(c, answers) ?? answers.json(c, integrations());
}

/** GET /routes: the routing tree and its receivers. */
export function readRouting({ answers, routing }: ReportRoutes): HttpHandler {
  return (c) => refuseUnacceptable(c, answers) ?? answers.json(c, routing());
}

/** GET /server: version, configuration, storage and nodes. */
export function readServer({ answers, server }: ReportRoutes): HttpHandler {
  return (c) => refuseUnacceptable(c, answers) ?? answers.json(c, server());
}

/** GET /timeline: the last day of the alert with the labels of the parameters. */
export function readTimeline({ answers, timeline }: ReportRoutes): HttpHandler {
  return async (c) => {
    const unacceptable = refuseUnacceptable(c, answers);
    if (unacceptable) return unacceptable;
    const labels = readLabels(readParameters(c.req.url).getAll('label'));
    if (!labels.ok) return answers.refuse(c, 400, labels.reason);
    const found = await orStorageAway(timeline(labels.value));
    if (!found.ok) return refuseHistory(c, answers, found.reason);
    const { notifications, ...rest } = found.value;
    return answers.json(c, { ...rest, notifications: notifications.map(printNotification) } satisfies Timeline);
  };
}
