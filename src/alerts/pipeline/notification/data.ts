import { compareUtf8, type LabelSet } from '../../domain/label-set.ts';
import {
  commonPairs,
  type Notification,
  type NotifiedAlert,
  notificationStatus,
  type Pairs,
} from '../../domain/notification.ts';
import type { Delivery, TemplateRenderer } from '../../integrations/notifier.ts';
import type { AlertGroup } from '../../store/group.ts';
import type { TemplateData } from '../../template/template-data.ts';
import type { FlushedAlert } from '../flushed-alert.ts';
import { MAX_NAMED_ALERTS, type NotificationRecord } from './history.ts';

export function pairsOf(labels: LabelSet): Pairs {
  return Object.fromEntries(labels.names.map((name, index) => [name, labels.values[index] as string]));
}

export function notifiedAlert({ alert, isResolved }: Pick<FlushedAlert, 'alert' | 'isResolved'>): NotifiedAlert {
  return {
    status: isResolved ? 'resolved' : 'firing',
    labels: pairsOf(alert.labels),
    annotations: JSON.parse(alert.annotationsJson) as Pairs,
    startsAt: alert.startsAt,
    endsAt: isResolved ? alert.endsAt : undefined,
    generatorURL: alert.generatorURL,
    fingerprint: alert.fingerprint,
  };
}

/** The receiver's name, escaped: links filter by it as a regular expression. */
function quoteReceiver(name: string): string {
  return name.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
}

/** The template data of a notification. */
export function templateDataOf(
  {
    receiver,
    alerts,
    reason,
    groupLabels,
    routeLabels,
  }: Omit<Notification, 'reason'> & { readonly reason: TemplateData['notificationReason'] },
  externalURL: string,
): TemplateData {
  return {
    receiver: quoteReceiver(receiver),
    status: notificationStatus(alerts),
    alerts,
    notificationReason: reason,
    groupLabels,
    commonLabels: commonPairs(alerts.map(({ labels }) => labels)),
    commonAnnotations: commonPairs(alerts.map(({ annotations }) => annotations)),
    routeLabels,
    externalURL,
  };
}

/** The history's record of a finished notification. */
export function recordOf(
  { name, index }: { readonly name: string; readonly index: number },
  { receiver, groupKey, groupLabels, reason, alerts }: Notification,
  delivery: Delivery,
  { attempts, startedAt, now }: { readonly attempts: number; readonly startedAt: number; readonly now: number },
): NotificationRecord {
  const firing = alerts.filter(({ status }) => status === 'firing').length;
  return {
    at: now,
    receiver,
    integration: name,
    index,
    groupKey,
    groupLabels,
    reason,
    attempts,
    durationMs: now - startedAt,
    firing,
    resolved: alerts.length - firing,
    alerts: alerts
      .slice(0, MAX_NAMED_ALERTS)
      .map(({ fingerprint, status, labels }) => ({ fingerprint, status, labels })),
    error: delivery.ok ? undefined : delivery.error,
    templateError: delivery.templateError,
  };
}

/** Renders the labels of a group's route, by name; one whose template fails is left out and reported to `failed`. */
export function renderRouteLabels(
  { route, labels, key }: Pick<AlertGroup, 'route' | 'labels' | 'key'>,
  alerts: readonly NotifiedAlert[],
  { templates, externalUrl, failed }: RouteLabelParts,
): Pairs {
  const entries = Object.entries(route.labels).sort(([a], [b]) => compareUtf8(a, b));
  if (entries.length === 0) return {};
  const data: TemplateData = {
    ...templateDataOf(
      {
        receiver: route.receiver,
        groupKey: key,
        groupLabels: pairsOf(labels),
        routeLabels: route.labels,
        alerts,
        reason: '',
        flushedAt: 0,
        receiverData: {},
      },
      externalUrl,
    ),
    routeLabelsAreTemplates: true,
  };
  const rendered: Record<string, string> = {};
  for (const [name, template] of entries) {
    try {
      rendered[name] = templates.text(template, data);
    } catch (error) {
      failed(name, error);
    }
  }
  return rendered;
}

export interface RouteLabelParts {
  readonly templates: TemplateRenderer;
  readonly externalUrl: string;
  readonly failed: (label: string, error: unknown) => void;
}
