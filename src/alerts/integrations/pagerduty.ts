import { accepted, type Outcome } from '../../kernel/outcome.ts';
import type { GlobalConfig } from '../config/global-config.ts';
import {
  attribute,
  goDuration,
  type Kind,
  list,
  map,
  object,
  optional,
  prose,
  secret,
  text,
  url,
  type ValueOf,
  withDefault,
} from '../config/kind.ts';
import { groupHash, type Notification, notificationStatus } from '../domain/notification.ts';
import type { TemplateData } from '../template/template-data.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import { encodePlain, type PlainValue, plainValue, renderPlain, withoutEmpty } from './http/payload.ts';
import { inlineOrFile, postJson } from './http/post.ts';
import { withinTimeout } from './http/timeout.ts';
import type { Delivery, HttpAnswer, Integration, Notifier, NotifierContext } from './notifier.ts';
import { namingTemplate } from './template/prefix.ts';
import { shortener } from './truncate.ts';

const details: Kind<Readonly<Record<string, PlainValue>>> = map(plainValue);

const pagerdutyConfig = object(
  {
    ...httpFields(true),
    service_key: withDefault(secret, ''),
    service_key_file: withDefault(text, ''),
    routing_key: withDefault(secret, ''),
    routing_key_file: withDefault(text, ''),
    url: optional(url),
    client: withDefault(attribute, '{{ template "pagerduty.default.client" . }}'),
    client_url: withDefault(attribute, '{{ template "pagerduty.default.clientURL" . }}'),
    description: withDefault(prose, '{{ template "pagerduty.default.description" .}}'),
    details: withDefault(details, {}),
    images: withDefault(
      list(
        object({ src: withDefault(attribute, ''), alt: withDefault(attribute, ''), href: withDefault(attribute, '') }),
      ),
      [],
    ),
    links: withDefault(list(object({ href: withDefault(attribute, ''), text: withDefault(attribute, '') })), []),
    source: withDefault(prose, ''),
    severity: withDefault(attribute, ''),
    class: withDefault(attribute, ''),
    component: withDefault(attribute, ''),
    group: withDefault(attribute, ''),
    timeout: withDefault(goDuration, 0),
  },
  ({ routingKey, routingKeyFile, serviceKey, serviceKeyFile }) => {
    if (!routingKey && !routingKeyFile && !serviceKey && !serviceKeyFile) {
      return 'missing service or routing key in PagerDuty config';
    }
    if (routingKey && routingKeyFile) return 'at most one of routing_key & routing_key_file must be configured';
    if (serviceKey && serviceKeyFile) return 'at most one of service_key & service_key_file must be configured';
    return undefined;
  },
);

export type PagerdutyConfig = ValueOf<typeof pagerdutyConfig>;

export const pagerdutyIntegration: Integration<PagerdutyConfig> = {
  name: 'pagerduty',
  key: 'pagerduty_configs',
  kind: pagerdutyConfig,
  complete: completePagerduty,
  create: (config, context) => createPagerduty(config, context),
  addNote: (config, note) => ({ ...config, details: { ...config.details, template_error: note } }),
};

const DEFAULT_DETAILS = {
  firing: '{{ .Alerts.Firing | toJson }}',
  resolved: '{{ .Alerts.Resolved | toJson }}',
  num_firing: '{{ .Alerts.Firing | len }}',
  num_resolved: '{{ .Alerts.Resolved | len }}',
} as const;

function completePagerduty(config: PagerdutyConfig, global: GlobalConfig): Outcome<PagerdutyConfig> {
  return accepted({
    ...inheritHttp(config, global),
    url: config.url ?? global.pagerdutyUrl,
    source: config.source || config.client,
    details: { ...DEFAULT_DETAILS, ...config.details },
  });
}

const EVENTS_V1_URL = 'https://events.pagerduty.com/generic/2010-04-15/create_event.json';

/** A service key selects version 1 of the events API, a routing key version 2. */
export function createPagerduty(config: PagerdutyConfig, context: NotifierContext, v1Url = EVENTS_V1_URL): Notifier {
  const http = context.openHttp(config.httpConfig);
  const isV1 = Boolean(config.serviceKey || config.serviceKeyFile);
  return {
    async notify(notification, outerSignal) {
      const data = context.dataOf(notification);
      const rendered = renderDetails(config, context, data);
      const key = await readKey(config, isV1, context, data);
      if (typeof key !== 'string') return key;
      const version = isV1 ? 'v1' : 'v2';
      const render = (source: string) =>
        namingTemplate(`failed to template PagerDuty ${version} message`, () => context.templates.text(source, data));
      const shorten = shortener(context.log, { integration: 'pagerduty', key: notification.groupKey });
      const summary = shorten(render(config.description), MAX_SUMMARY_RUNES, isV1 ? 'description' : 'summary');
      const event = { config, notification, key, render, summary };
      const body = isV1
        ? encodeWithin(rendered, context.log, (kept) => eventV1(event, kept))
        : encodeWithin(rendered, context.log, (kept) => eventV2(event, kept));
      const limit = { name: 'pagerduty', timeoutMs: config.timeout, clock: context.clock, signal: outerSignal };
      const address = isV1 ? v1Url : (config.url as string);
      const rules = { retryStatuses: [isV1 ? 403 : 429], describe: describeErrors, secrets: [key] };
      return withinTimeout(limit, (signal) => deliver(http, postJson(address, body, signal), rules));
    },
  };
}

type Details = Readonly<Record<string, PlainValue>>;

interface Event {
  readonly config: PagerdutyConfig;
  readonly notification: Notification;
  readonly key: string;
  readonly render: (template: string) => string;
  readonly summary: string;
}

function renderDetails(config: PagerdutyConfig, { templates }: NotifierContext, data: TemplateData): Details {
  const render = (source: string) => templates.text(source, data);
  const names = Object.keys(config.details).sort();
  return namingTemplate('failed to render details', () =>
    Object.fromEntries(names.map((name) => [name, renderPlain(config.details[name] ?? null, render)])),
  );
}

async function readKey(
  config: PagerdutyConfig,
  isV1: boolean,
  { readSecret, templates }: NotifierContext,
  data: TemplateData,
): Promise<string | Delivery> {
  const what = isV1 ? 'service key' : 'routing key';
  const [inline, file] = isV1 ? [config.serviceKey, config.serviceKeyFile] : [config.routingKey, config.routingKeyFile];
  const found = await inlineOrFile(inline, file, `failed to read ${what} from file`, readSecret);
  if (!found.ok) return failedForGood(found.reason);
  return templates.text(found.value, data) || failedForGood(`${what} cannot be empty`);
}

const MAX_SUMMARY_RUNES = 1024;

function eventV1({ config, notification, key, render, summary }: Event, kept: Details): unknown {
  const type = eventType(notification);
  return {
    service_key: key,
    incident_key: groupHash(notification),
    event_type: type,
    ...withoutEmpty({ description: summary }),
    // Both belong to version 2 only, but Alertmanager sends them here as well.
    event_action: '',
    payload: null,
    ...(type === 'trigger'
      ? withoutEmpty({ client: render(config.client), client_url: render(config.clientUrl) })
      : {}),
    ...withoutEmpty({ details: kept }),
  };
}

function eventV2({ config, notification, key, render, summary }: Event, kept: Details): unknown {
  return {
    routing_key: key,
    dedup_key: groupHash(notification),
    event_action: eventType(notification),
    payload: {
      summary,
      source: render(config.source),
      severity: render(config.severity || 'error'),
      ...withoutEmpty({
        class: render(config.class),
        component: render(config.component),
        group: render(config.group),
        custom_details: kept,
      }),
    },
    ...withoutEmpty({
      client: render(config.client),
      client_url: render(config.clientUrl),
      images: config.images
        .map(({ src, alt, href }) => ({ src: render(src), alt: render(alt), href: render(href) }))
        .filter(({ src }) => src !== ''),
      links: config.links
        .map(({ href, text: label }) => ({ href: render(href), text: render(label) }))
        .filter(({ href }) => href !== ''),
    }),
  };
}

function eventType({ alerts }: Notification): 'trigger' | 'resolve' {
  return notificationStatus(alerts) === 'resolved' ? 'resolve' : 'trigger';
}

const MAX_BYTES = 512_000;
const TOO_LARGE = 'Custom details have been removed because the original event exceeds the maximum size of 512KB';

/** Without its details if it would be too large with them. */
function encodeWithin(all: Details, log: NotifierContext['log'], build: (kept: Details) => unknown): string {
  const whole = encodePlain(build(all));
  const size = Buffer.byteLength(whole);
  if (size <= MAX_BYTES) return whole;
  log.warn(`Truncated Details because message of size ${metricBytes(size)} exceeds limit ${metricBytes(MAX_BYTES)}`, {
    integration: 'pagerduty',
  });
  return encodePlain(build({ error: TOO_LARGE }));
}

/** `512KB`, `1MB200KB5B`; below a gigabyte. */
function metricBytes(count: number): string {
  const parts = [
    [Math.trunc(count / 1e6), 'MB'],
    [Math.trunc(count / 1e3) % 1e3, 'KB'],
    [count % 1e3, 'B'],
  ] as const;
  return parts.map(([amount, unit]) => (amount > 0 ? `${amount}${unit}` : '')).join('');
}

/** Only a status of 400 has useful reasons. */
function describeErrors({ status, text: body }: HttpAnswer): string {
  if (status !== 400) return '';
  try {
    const answer = JSON.parse(body) as { message?: string; errors?: readonly string[] };
    return `${answer.message ?? ''}: ${(answer.errors ?? []).join(',')}`;
  } catch {
    return '';
  }
}
