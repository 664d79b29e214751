import { messageOf } from '../../kernel/errors.ts';
import { accepted } from '../../kernel/outcome.ts';
import type { ConfigNode } from '../config/config-node.ts';
import {
  goDuration,
  HIDDEN,
  integer,
  type Kind,
  object,
  optional,
  secretUrl,
  text,
  type ValueOf,
  withDefault,
} from '../config/kind.ts';
import type { Notification } from '../domain/notification.ts';
import type { TemplateAlert, TemplateData } from '../template/template-data.ts';
import { templateFault } from '../template/templates.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import { encodeJson, encodePlain, type PlainValue, plainValue, renderPlain } from './http/payload.ts';
import { withinTimeout } from './http/timeout.ts';
import type { Delivery, Integration, Notifier, NotifierContext } from './notifier.ts';
import { namingTemplate } from './template/prefix.ts';

/** A URL that may be a template; then only its syntax can be checked here. */
const secretTemplateUrl: Kind<string> = {
  read(node: ConfigNode) {
    const word = node.text();
    if (word !== '' && !word.includes('{{')) return secretUrl.read(node);
    const fault = templateFault(word);
    if (fault !== undefined) throw node.fault(`invalid template syntax: ${fault}`);
    return word;
  },
  print: (value) => (value === '' ? '' : HIDDEN),
};

const count: Kind<number> = {
  ...integer,
  read(node) {
    const value = integer.read(node);
    if (value < 0) throw node.fault(`expected a whole number from 0 on, found ${value}`);
    return value;
  },
};

const webhookConfig = object(
  {
    ...httpFields(true),
    url: withDefault(secretTemplateUrl, ''),
    url_file: withDefault(text, ''),
    max_alerts: withDefault(count, 0),
    timeout: withDefault(goDuration, 0),
    payload: optional(plainValue),
  },
  ({ url, urlFile }) => {
    if (!url && !urlFile) return 'one of url or url_file must be configured';
    if (url && urlFile) return 'at most one of url & url_file must be configured';
    return undefined;
  },
);

export type WebhookConfig = ValueOf<typeof webhookConfig>;

export const webhookIntegration: Integration<WebhookConfig> = {
  name: 'webhook',
  key: 'webhook_configs',
  kind: webhookConfig,
  complete: (config, global) => accepted(inheritHttp(config, global)),
  create: createWebhook,
};

function createWebhook(config: WebhookConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, outerSignal) {
      const { data, truncated } = dataWithin(config.maxAlerts, notification, context);
      const body = encodeBody(config.payload, context, data, notification, truncated);
      const url = await readUrl(config, context, data);
      if (typeof url !== 'string') return url;
      const { timeout: timeoutMs } = config;
      return withinTimeout({ name: 'webhook', timeoutMs, clock: context.clock, signal: outerSignal }, (signal) =>
        deliver(http, { method: 'POST', url, headers: headersOf(notification), body, signal }, { secrets: [url] }),
      );
    },
  };
}

/** By the key, a receiver can recognise a repeated notification. */
function headersOf({ id }: Notification): Record<string, string> {
  const headers = { 'content-type': 'application/json' };
  return id === undefined ? headers : { 'idempotency-key': id, ...headers };
}

/** The template data; with max_alerts only of the first alerts. */
function dataWithin(maxAlerts: number, notification: Notification, context: NotifierContext) {
  const { alerts } = notification;
  const kept = maxAlerts > 0 ? alerts.slice(0, maxAlerts) : alerts;
  return { data: context.dataOf({ ...notification, alerts: kept }), truncated: alerts.length - kept.length };
}

function encodeBody(
  payload: PlainValue | undefined,
  { templates }: NotifierContext,
  data: TemplateData,
  { groupKey }: Notification,
  truncatedAlerts: number,
): string {
  if (payload === undefined) return encodeJson(webhookMessage(data, groupKey, truncatedAlerts));
  return encodePlain(
    namingTemplate('failed to render custom payload', () =>
      renderPlain(payload, (template) => templates.text(template, data)),
    ),
  );
}

/** The keys and their order are Alertmanager's, version 4 of the message. */
export function webhookMessage(data: TemplateData, groupKey: string, truncatedAlerts: number): unknown {
  return {
    receiver: data.receiver,
    status: data.status,
    alerts: data.alerts.map(printAlert),
    notification_reason: data.notificationReason,
    groupLabels: data.groupLabels,
    commonLabels: data.commonLabels,
    commonAnnotations: data.commonAnnotations,
    routeLabels: data.routeLabels,
    externalURL: data.externalURL,
    version: '4',
    groupKey,
    truncatedAlerts,
  };
}

function printAlert(alert: TemplateAlert): unknown {
  return {
    status: alert.status,
    labels: alert.labels,
    annotations: alert.annotations,
    startsAt: printInstant(alert.startsAt),
    endsAt: alert.endsAt === undefined ? '0001-01-01T00:00:00Z' : printInstant(alert.endsAt),
    generatorURL: alert.generatorURL,
    fingerprint: alert.fingerprint,
  };
}

/** Without trailing zeros of the fraction. */
function printInstant(at: number): string {
  return new Date(at).toISOString().replace(/\.?0*Z$/, 'Z');
}

async function readUrl(
  { url, urlFile }: WebhookConfig,
  { templates, readSecret }: NotifierContext,
  data: TemplateData,
): Promise<string | Delivery> {
  let template = url;
  if (!template) {
    try {
      template = await readSecret(urlFile);
    } catch (error) {
      return failedForGood(`read url_file: ${messageOf(error)}`);
    }
  }
  const rendered = namingTemplate('failed to template webhook URL', () => templates.text(template, data));
  return rendered === '' ? failedForGood('webhook URL is empty after templating') : rendered;
}
