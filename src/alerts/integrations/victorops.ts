import { messageOf } from '../../kernel/errors.ts';
import { accepted, refused } from '../../kernel/outcome.ts';
import {
  attribute,
  map,
  object,
  optional,
  prose,
  secret,
  template,
  text,
  url,
  type ValueOf,
  withDefault,
} from '../config/kind.ts';
import { compareUtf8 } from '../domain/label-set.ts';
import { groupHash, type Notification, notificationStatus } from '../domain/notification.ts';
import { quoteGo } from '../domain/quote.ts';
import type { TemplateData } from '../template/template-data.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import { encodeJson } from './http/payload.ts';
import type { Delivery, Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';
import { namingTemplate } from './template/prefix.ts';
import { type Shorten, shortener } from './truncate.ts';

/** Source: VictorOps' glossary of incident fields. */
const MAX_MESSAGE_RUNES = 20_480;
const FIRING_TYPES = ['INFO', 'WARNING', 'CRITICAL'];
const FIXED_FIELDS = [
  'routing_key',
  'message_type',
  'state_message',
  'entity_display_name',
  'monitoring_tool',
  'entity_id',
  'entity_state',
];

const victoropsConfig = object(
  {
    ...httpFields(true),
    api_key: withDefault(secret, ''),
    api_key_file: withDefault(text, ''),
    api_url: optional(url),
    routing_key: withDefault(template, ''),
    message_type: withDefault(attribute, 'CRITICAL'),
    state_message: withDefault(prose, '{{ template "victorops.default.state_message" . }}'),
    entity_display_name: withDefault(prose, '{{ template "victorops.default.entity_display_name" . }}'),
    monitoring_tool: withDefault(attribute, '{{ template "victorops.default.monitoring_tool" . }}'),
    custom_fields: withDefault(map(prose), {}),
  },
  ({ routingKey, apiKey, apiKeyFile, customFields }) => {
    if (routingKey === '') return 'missing Routing key in VictorOps config';
    if (apiKey && apiKeyFile) return 'at most one of api_key & api_key_file must be configured';
    const taken = FIXED_FIELDS.find((field) => Object.hasOwn(customFields, field));
    if (taken === undefined) return undefined;
    return `victorOps config contains custom field ${taken} which cannot be used as it conflicts with the fixed/static fields`;
  },
);

export type VictoropsConfig = ValueOf<typeof victoropsConfig>;

export const victoropsIntegration: Integration<VictoropsConfig> = {
  name: 'victorops',
  key: 'victorops_configs',
  kind: victoropsConfig,
  complete(config, global) {
    const own = config.apiKey !== '' || config.apiKeyFile !== '';
    const apiKey = own ? config.apiKey : global.victoropsApiKey;
    const apiKeyFile = own ? config.apiKeyFile : global.victoropsApiKeyFile;
    if (!apiKey && !apiKeyFile) return refused('no global VictorOps API Key set');
    const apiUrl = withSlash(config.apiUrl ?? global.victoropsApiUrl);
    return accepted({ ...inheritHttp(config, global), apiUrl, apiKey, apiKeyFile });
  },
  create: createVictorops,
  addNote: (config, note) => ({ ...config, stateMessage: appendNote(config.stateMessage, note) }),
};

/** The path ends with a slash. */
function withSlash(address: string): string {
  return address.replace(/^([^?#]*?)\/?([?#].*)?$/, '$1/$2');
}

function createVictorops(config: VictoropsConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const data = context.dataOf(notification);
      const apiKey = await readKey(config, context);
      if (typeof apiKey !== 'string') return apiKey;
      const render = (source: string) => namingTemplate('templating error', () => context.templates.text(source, data));
      const routingKey = render(config.routingKey);
      // In a URL they would remove the parts before them, the key among these.
      if (/(^|\/)\.\.?(\/|$)/.test(routingKey)) {
        return failedForGood(`the routing key must not have "." or ".." as a part of its path: ${quoteGo(routingKey)}`);
      }
      const url = new URL(config.apiUrl ?? '');
      url.pathname += escapePath(`${apiKey}/${routingKey}`);
      const shorten = shortener(context.log, { integration: 'victorops', group_key: notification.groupKey });
      const body = encodeJson(victoropsMessage(config, notification, data, { render, shorten }));
      const headers = { 'content-type': 'application/json' };
      return deliver(http, { method: 'POST', url: url.href, headers, body, signal }, { secrets: [apiKey] });
    },
  };
}

async function readKey({ apiKey, apiKeyFile }: VictoropsConfig, context: NotifierContext): Promise<string | Delivery> {
  if (apiKey) return apiKey;
  try {
    return await context.readSecret(apiKeyFile);
  } catch (error) {
    return failedForGood(`failed to read API key from file: ${messageOf(error)}`);
  }
}

/** Escapes only what cannot be part of a path. */
function escapePath(path: string): string {
  return encodeURIComponent(path).replace(/%(2[46BCF]|3[ABD]|40)/g, decodeURIComponent);
}

function victoropsMessage(
  config: VictoropsConfig,
  notification: Notification,
  data: TemplateData,
  { render, shorten }: { readonly render: (source: string) => string; readonly shorten: Shorten },
): Readonly<Record<string, string>> {
  const custom = Object.entries(config.customFields).map(([name, value]) => [name, render(value)] as const);
  const fields = {
    message_type: messageType(render(config.messageType), data),
    entity_id: groupHash(notification),
    entity_display_name: render(config.entityDisplayName),
    state_message: shorten(render(config.stateMessage), MAX_MESSAGE_RUNES, 'state_message'),
    monitoring_tool: render(config.monitoringTool),
  };
  return Object.fromEntries([...Object.entries(fields), ...custom].sort(([a], [b]) => compareUtf8(a, b)));
}

function messageType(wanted: string, { alerts }: TemplateData): string {
  if (notificationStatus(alerts) === 'resolved') return 'RECOVERY';
  return FIRING_TYPES.includes(wanted) ? wanted : 'CRITICAL';
}
