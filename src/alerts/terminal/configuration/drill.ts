import { createLabelSet, fingerprintOf, printLabelSet } from '../../domain/label-set.ts';
import type { Notification, NotifiedAlert, Pairs } from '../../domain/notification.ts';
import { groupLabels, type Route, type RouteTree } from '../../domain/route.ts';
import type { TemplateRenderer } from '../../integrations/notifier.ts';
import { pairsOf, renderRouteLabels } from '../../pipeline/notification/data.ts';

export interface DrillRequest {
  readonly receiver: string;
  /** In addition to the drill's own labels, or in their place. */
  readonly labels: Pairs;
  readonly annotations: Pairs;
  readonly isResolved: boolean;
  readonly externalUrl: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly templates: TemplateRenderer;
  /** Called for each label of the route whose template fails. */
  readonly routeLabelFailed: (label: string, error: unknown) => void;
}

const MINUTE_MS = 60_000;

const LABELS: Pairs = { alertname: 'Drill', instance: 'drill.example:9100', job: 'drill', severity: 'warning' };

function annotationsOf(receiver: string): Pairs {
  return {
    description: `This is a test of the receiver ${receiver}. Nothing is wrong.`,
    summary: 'This is a drill: nothing needs to be done',
  };
}

/** The first route to the receiver. */
export function routeTo(receiver: string, routes: RouteTree): Route | undefined {
  for (const route of routes.all()) if (route.receiver === receiver) return route;
  return undefined;
}

/**
 * A notification of one alert, grouped by the receiver's route. Its group key belongs to no real group, so that a drill
 * touches no real incident; it is constant, so that `--resolved` ends the drill's incident.
 */
export function drillNotification(request: DrillRequest, route: Route | undefined): Notification {
  const { receiver, isResolved, externalUrl, now, templates, routeLabelFailed: failed } = request;
  const labels = createLabelSet({ ...LABELS, ...request.labels });
  const ofGroup = route
    ? groupLabels(route, labels)
    : createLabelSet({ alertname: request.labels.alertname ?? 'Drill' });
  const alert: NotifiedAlert = {
    status: isResolved ? 'resolved' : 'firing',
    labels: pairsOf(labels),
    annotations: { ...annotationsOf(receiver), ...request.annotations },
    startsAt: now - 5 * MINUTE_MS,
    endsAt: isResolved ? now : undefined,
    generatorURL: `${externalUrl}/#/alerts`,
    fingerprint: fingerprintOf(labels),
  };
  const key = `drill/${receiver}:${printLabelSet(ofGroup)}`;
  return {
    receiver,
    groupKey: key,
    groupLabels: pairsOf(ofGroup),
    routeLabels: route
      ? renderRouteLabels({ route, labels: ofGroup, key }, [alert], { templates, externalUrl, failed })
      : {},
    alerts: [alert],
    reason: isResolved ? 'all alerts resolved' : 'first notification',
    flushedAt: now,
    receiverData: {},
  };
}
