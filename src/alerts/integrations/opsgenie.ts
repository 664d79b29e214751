import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { GlobalConfig } from '../config/global-config.ts';
import {
  attribute,
  bool,
  list,
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
import { groupHash, type Notification, notificationStatus, type Pairs } from '../domain/notification.ts';
import { templateFault } from '../template/templates.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { DELIVERED, deliver, failedForGood } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import { inlineOrFile } from './http/post.ts';
import type { HttpRequest, Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';
import { namingTemplate } from './template/prefix.ts';
import { shortener } from './truncate.ts';

const responder = object({
  id: withDefault(template, ''),
  name: withDefault(template, ''),
  username: withDefault(template, ''),
  type: withDefault(template, ''),
});

type Responder = ValueOf<typeof responder>;

const RESPONDER_TYPES = '^(team|teams|user|escalation|schedule)$';

const opsgenieConfig = object(
  {
    ...httpFields(true),
    api_key: withDefault(secret, ''),
    api_key_file: withDefault(text, ''),
    api_url: optional(url),
    message: withDefault(prose, '{{ template "opsgenie.default.message" . }}'),
    description: withDefault(prose, '{{ template "opsgenie.default.description" . }}'),
    source: withDefault(attribute, '{{ template "opsgenie.default.source" . }}'),
    details: withDefault(map(prose), {}),
    entity: withDefault(attribute, ''),
    responders: withDefault(list(responder), []),
    actions: withDefault(attribute, ''),
    tags: withDefault(attribute, ''),
    note: withDefault(prose, ''),
    priority: withDefault(attribute, ''),
    update_alerts: withDefault(bool, false),
  },
  ({ apiKey, apiKeyFile, responders }) => {
    if (apiKey && apiKeyFile) return 'at most one of api_key & api_key_file must be configured';
    return responders.map(checkResponder).find((wrong) => wrong !== undefined);
  },
);

function checkResponder({ id, name, username, type }: Responder): string | undefined {
  const shown = `opsGenieConfig responder {${[id, name, username, type].join(' ')}}`;
  if (!id && !username && !name) return `${shown} has to have at least one of id, username or name specified`;
  if (type.includes('{{')) {
    const fault = templateFault(type);
    return fault === undefined ? undefined : `${shown} type is not a valid template: ${fault}`;
  }
  if (new RegExp(RESPONDER_TYPES, 'i').test(type)) return undefined;
  return `${shown} type does not match valid options ${RESPONDER_TYPES}`;
}

export type OpsgenieConfig = ValueOf<typeof opsgenieConfig>;

export const opsgenieIntegration: Integration<OpsgenieConfig> = {
  name: 'opsgenie',
  key: 'opsgenie_configs',
  kind: opsgenieConfig,
  complete: completeOpsgenie,
  create: createOpsgenie,
  addNote: (config, note) => ({ ...config, description: appendNote(config.description, note) }),
};

function completeOpsgenie(config: OpsgenieConfig, global: GlobalConfig): Outcome<OpsgenieConfig> {
  const own = config.apiKey !== '' || config.apiKeyFile !== '';
  const apiKey = own ? config.apiKey : global.opsgenieApiKey;
  const apiKeyFile = own ? config.apiKeyFile : global.opsgenieApiKeyFile;
  if (!apiKey && !apiKeyFile) return refused('no global OpsGenie API Key set either inline or in a file');
  const apiUrl = withSlash(config.apiUrl ?? global.opsgenieApiUrl);
  return accepted({ ...inheritHttp(config, global), apiUrl, apiKey, apiKeyFile });
}

function withSlash(address: string): string {
  const base = new URL(address);
  if (base.pathname.endsWith('/')) return address;
  base.pathname += '/';
  return base.href;
}

const MAX_MESSAGE_RUNES = 130;

function createOpsgenie(config: OpsgenieConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const render = renderer(notification, context);
      const messages = messagesFor(config, notification, context);
      const key = await inlineOrFile(config.apiKey, config.apiKeyFile, 'read key_file error', context.readSecret);
      if (!key.ok) return failedForGood(key.reason);
      const apiKey = render(key.value).trim();
      for (const message of messages) {
        const { method, path, body } = message;
        const request: HttpRequest = {
          method,
          url: endpoint(config.apiUrl as string, path),
          headers: { 'content-type': 'application/json', authorization: `GenieKey ${apiKey}` },
          body: encodeJson(body),
          signal,
        };
        const delivery = await deliver(http, request, { retryStatuses: [429], secrets: [apiKey] });
        if (!delivery.ok) return delivery;
      }
      return DELIVERED;
    },
  };
}

function renderer(notification: Notification, { templates, dataOf }: NotifierContext) {
  const data = dataOf(notification);
  return (source: string) => namingTemplate('templating error', () => templates.text(source, data));
}

interface Message {
  readonly method: 'POST' | 'PUT';
  /** Below the URL of the API. */
  readonly path: string;
  readonly body: unknown;
}

function endpoint(apiUrl: string, path: string): string {
  const target = new URL(apiUrl);
  target.pathname += path;
  // All requests but the creation address the alert by its alias.
  if (path !== 'v2/alerts') target.searchParams.set('identifierType', 'alias');
  return target.href;
}

function messagesFor(config: OpsgenieConfig, notification: Notification, context: NotifierContext): readonly Message[] {
  const render = renderer(notification, context);
  const alias = groupHash(notification);
  const { groupKey } = notification;
  const shorten = shortener(context.log, { integration: 'opsgenie', group_key: groupKey, alert: groupKey });
  const source = render(config.source);
  if (notificationStatus(notification.alerts) === 'resolved') {
    return [{ method: 'POST', path: `v2/alerts/${alias}/close`, body: { source } }];
  }
  const message = shorten(render(config.message), MAX_MESSAGE_RUNES, 'message');
  const description = render(config.description);
  const details = renderDetails(context.dataOf(notification).commonLabels, config.details, render);
  const alert = {
    alias,
    message,
    ...withoutEmpty({ description }),
    details,
    source,
    ...withoutEmpty({
      responders: renderResponders(config.responders, render),
      tags: splitList(render(config.tags)),
      note: render(config.note),
      priority: render(config.priority),
      entity: render(config.entity),
      actions: splitList(render(config.actions)),
    }),
  };
  const created: Message = { method: 'POST', path: 'v2/alerts', body: alert };
  if (!config.updateAlerts) return [created];
  return [
    created,
    { method: 'PUT', path: `v2/alerts/${alias}/message`, body: withoutEmpty({ message }) },
    { method: 'PUT', path: `v2/alerts/${alias}/description`, body: withoutEmpty({ description }) },
  ];
}

function renderDetails(common: Pairs, own: Pairs, render: (source: string) => string): Pairs {
  const rendered = Object.entries(own).map(([name, source]) => [name, render(source)] as const);
  const all = new Map([...Object.entries(common), ...rendered]);
  return Object.fromEntries([...all].sort(([a], [b]) => compareUtf8(a, b)));
}

/** Responders that render to nothing are left out; `teams` is a comma-separated list of teams. */
function renderResponders(responders: readonly Responder[], render: (source: string) => string): readonly unknown[] {
  return responders.flatMap((one): readonly object[] => {
    const [id, name, username, type] = [one.id, one.name, one.username, one.type].map(render) as [
      string,
      string,
      string,
      string,
    ];
    if (!id && !name && !username && !type) return [];
    if (type === 'teams') return splitList(name).map((team) => ({ name: team, type: 'team' }));
    return [{ ...withoutEmpty({ id, name, username }), type }];
  });
}

function splitList(words: string): readonly string[] {
  return words
    .trim()
    .split(',')
    .filter((word) => word !== '');
}
