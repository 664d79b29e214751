import { messageOf } from '../../kernel/errors.ts';
import { accepted } from '../../kernel/outcome.ts';
import { DEFAULT_HTTP_CONFIG, type HttpConfig } from '../config/http-config.ts';
import {
  goDuration,
  integer,
  type Kind,
  object,
  optional,
  secret,
  text,
  url,
  type ValueOf,
  withDefault,
} from '../config/kind.ts';
import type { Notification } from '../domain/notification.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { type DeliveryRules, deliver, failedForGood } from './deliver.ts';
import { encodeJson } from './http/payload.ts';
import { withinTimeout } from './http/timeout.ts';
import type { Delivery, HttpAnswer, Integration, Notifier, NotifierContext } from './notifier.ts';
import { webhookMessage } from './webhook.ts';

/** In bytes. Source: incident.io's limit for the body of an alert event. */
const MAX_BODY = 512 * 1024;
const TRUNCATED = 'Truncated alert content due to incident.io payload size limit';

const count: Kind<number> = {
  ...integer,
  read(node) {
    const value = integer.read(node);
    if (value < 0) throw node.fault(`expected a whole number from 0 on, found ${value}`);
    return value;
  },
};

const incidentioConfig = object(
  {
    ...httpFields(true),
    url: optional(url),
    url_file: withDefault(text, ''),
    alert_source_token: withDefault(secret, ''),
    alert_source_token_file: withDefault(text, ''),
    /** 0 stands for no limit. */
    max_alerts: withDefault(count, 0),
    /** 0 stands for no limit. */
    timeout: withDefault(goDuration, 0),
  },
  ({ url, urlFile, alertSourceToken: token, alertSourceTokenFile: tokenFile, httpConfig: http }) => {
    if (!url && !urlFile) return 'one of url or url_file must be configured';
    if (url && urlFile) return 'at most one of url & url_file must be configured';
    if (token && tokenFile) return 'at most one of alert_source_token & alert_source_token_file must be configured';
    if (!http) return undefined;
    const authorized = Boolean(http.authorization || http.bearerToken || http.bearerTokenFile);
    if (authorized && (token || tokenFile)) {
      return 'cannot specify alert_source_token or alert_source_token_file when using http_config.authorization';
    }
    if (!authorized && !token && !tokenFile) {
      return 'at least one of alert_source_token, alert_source_token_file or http_config.authorization must be configured';
    }
    return undefined;
  },
);

export type IncidentioConfig = ValueOf<typeof incidentioConfig>;

export const incidentioIntegration: Integration<IncidentioConfig> = {
  name: 'incidentio',
  key: 'incidentio_configs',
  kind: incidentioConfig,
  complete: (config, global) => accepted(inheritHttp(config, global)),
  create: createIncidentio,
};

function createIncidentio(config: IncidentioConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(authorize(config));
  const rules = { retryStatuses: [429], describe: describeAnswer, secrets: [config.alertSourceToken] };
  return {
    async notify(notification, outerSignal) {
      const body = encodeBody(config, context, notification);
      const address = await readUrl(config, context);
      if (typeof address !== 'string') return address;
      const { timeout: timeoutMs } = config;
      return withinTimeout({ name: 'incident.io', timeoutMs, clock: context.clock, signal: outerSignal }, (signal) =>
        deliver(
          http,
          { method: 'POST', url: address, headers: { 'content-type': 'application/json' }, body, signal },
          rules satisfies DeliveryRules,
        ),
      );
    },
  };
}

/** The token of the alert source replaces any authorization of the HTTP configuration. */
function authorize({ httpConfig, alertSourceToken, alertSourceTokenFile }: IncidentioConfig): HttpConfig | undefined {
  if (!alertSourceToken && !alertSourceTokenFile) return httpConfig;
  return {
    ...(httpConfig ?? DEFAULT_HTTP_CONFIG),
    bearerToken: undefined,
    bearerTokenFile: undefined,
    authorization: {
      type: 'Bearer',
      credentials: alertSourceToken || undefined,
      credentialsFile: alertSourceTokenFile || undefined,
    },
  };
}

/** A message that is too large is reduced to its first alert, which is enough for an incident. */
function encodeBody(
  { maxAlerts }: IncidentioConfig,
  { dataOf, log }: NotifierContext,
  notification: Notification,
): string {
  const { alerts, groupKey } = notification;
  const kept = maxAlerts > 0 ? alerts.slice(0, maxAlerts) : alerts;
  const data = dataOf({ ...notification, alerts: kept });
  const encode = (shown: number) =>
    encodeJson({
      ...(webhookMessage({ ...data, alerts: data.alerts.slice(0, shown) }, groupKey, alerts.length - shown) as object),
      version: '1',
    });
  const body = encode(kept.length);
  const size = Buffer.byteLength(body);
  if (size <= MAX_BODY) return body;
  const reduced = encode(1);
  const finalSize = Buffer.byteLength(reduced);
  const fields = { integration: 'incidentio', original_size: size, final_size: finalSize, max_size: MAX_BODY };
  if (finalSize <= MAX_BODY) log.warn(TRUNCATED, fields);
  else log.error(`${TRUNCATED}, but still exceeds limit`, fields);
  return reduced;
}

async function readUrl(
  { url, urlFile }: IncidentioConfig,
  { readSecret }: NotifierContext,
): Promise<string | Delivery> {
  if (url) return url;
  try {
    return await readSecret(urlFile);
  } catch (error) {
    return failedForGood(`read url_file: ${messageOf(error)}`);
  }
}

/** The text of incident.io's errors: `message`, `error` and `errors`. */
function describeAnswer({ text: body }: HttpAnswer): string {
  let said: unknown;
  try {
    said = JSON.parse(body);
  } catch {
    return '';
  }
  if (typeof said !== 'object' || said === null) return '';
  const { message, error, errors } = said as Readonly<Record<string, unknown>>;
  const parts = [message, error, Array.isArray(errors) ? errors.join(', ') : undefined];
  return parts.filter((part) => typeof part === 'string' && part !== '').join(': ');
}
