import * as v from 'valibot';
import type { GroupAlert, GroupNotice } from '../domain/card/alert-notice.ts';

const labels = v.optional(v.nullish(v.record(v.string(), v.string()), {}), {});
const text = v.optional(v.nullish(v.string(), ''), '');
const status = v.picklist(['firing', 'resolved']);

/**
 * Alertmanager's webhook, version 4; unknown fields are ignored, as senders add some.
 * Source: https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
 */
export const alertWebhook = v.pipe(
  v.object({
    version: v.optional(v.union([v.literal('4'), v.literal(4)])),
    groupKey: v.pipe(v.union([v.string(), v.number()]), v.transform(String)),
    truncatedAlerts: v.optional(v.nullish(v.number(), 0), 0),
    status,
    receiver: text,
    groupLabels: labels,
    commonLabels: labels,
    commonAnnotations: labels,
    externalURL: text,
    alerts: v.pipe(
      v.array(
        v.object({
          status,
          labels,
          annotations: labels,
          startsAt: text,
          endsAt: text,
          generatorURL: text,
          fingerprint: text,
        }),
      ),
      v.maxLength(50_000),
    ),
  }),
  v.transform((wire): GroupNotice => {
    const { externalURL, truncatedAlerts, alerts, groupKey, receiver, groupLabels, commonLabels } = wire;
    return {
      groupKey,
      receiver,
      status: wire.status,
      groupLabels,
      commonLabels,
      commonAnnotations: wire.commonAnnotations,
      externalUrl: externalURL,
      truncated: Math.max(0, truncatedAlerts),
      alerts: alerts.map(readAlert),
    };
  }),
);

/** Whether a body is meant as such a webhook: a broken one is refused, not posted as another kind. */
export function isAlertWebhook(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'groupKey' in body && 'alerts' in body;
}

function readAlert({
  generatorURL,
  startsAt,
  endsAt,
  ...alert
}: Omit<GroupAlert, 'generatorUrl' | 'startsAt' | 'endsAt'> & {
  readonly generatorURL: string;
  readonly startsAt: string;
  readonly endsAt: string;
}): GroupAlert {
  return { ...alert, generatorUrl: generatorURL, startsAt: readInstant(startsAt), endsAt: readInstant(endsAt) };
}

/** 0 for Go's zero time and for an invalid time. */
function readInstant(text: string): number {
  const at = Date.parse(text);
  return Number.isFinite(at) && at > 0 ? at : 0;
}
