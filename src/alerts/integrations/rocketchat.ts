import { messageOf } from '../../kernel/errors.ts';
import { accepted, type Outcome, refused } from '../../kernel/outcome.ts';
import type { GlobalConfig } from '../config/global-config.ts';
import {
  attribute,
  bool,
  list,
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
import type { Notification } from '../domain/notification.ts';
import { quoteGo } from '../domain/quote.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { DELIVERED, exchange, failedForGood } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import type { Delivery, Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';
import { shortener } from './truncate.ts';

/** In characters. */
const MAX_TITLE = 1024;

const field = object({
  title: withDefault(prose, ''),
  value: withDefault(prose, ''),
  short: optional(bool),
});

/** Alertmanager sends a button with text, url and msg, whatever else is set; these names have no underscores there. */
const action = object({
  type: withDefault(text, ''),
  text: withDefault(prose, ''),
  url: withDefault(attribute, ''),
  imageurl: withDefault(text, ''),
  iswebview: optional(bool),
  webviewheightratio: withDefault(text, ''),
  msg: withDefault(prose, ''),
  msginchatwindow: optional(bool),
  msgprocessingtype: withDefault(text, ''),
});

const rocketchatConfig = object(
  {
    ...httpFields(false),
    api_url: optional(url),
    token_id: withDefault(secret, ''),
    token_id_file: withDefault(text, ''),
    token: withDefault(secret, ''),
    token_file: withDefault(text, ''),
    channel: withDefault(template, ''),
    color: withDefault(attribute, '{{ if eq .Status "firing" }}red{{ else }}green{{ end }}'),
    title: withDefault(prose, '{{ template "rocketchat.default.title" . }}'),
    title_link: withDefault(attribute, '{{ template "rocketchat.default.titlelink" . }}'),
    text: withDefault(prose, '{{ template "rocketchat.default.text" . }}'),
    fields: withDefault(list(field, 'missing field in rocketchat config'), []),
    short_fields: withDefault(bool, false),
    emoji: withDefault(attribute, '{{ template "rocketchat.default.emoji" . }}'),
    icon_url: withDefault(attribute, '{{ template "rocketchat.default.iconurl" . }}'),
    image_url: withDefault(attribute, ''),
    thumb_url: withDefault(attribute, ''),
    link_names: withDefault(bool, false),
    actions: withDefault(list(action, 'missing action in rocketchat config'), []),
  },
  ({ token, tokenFile, tokenId, tokenIdFile }) => {
    if (token && tokenFile) return 'at most one of token & token_file must be configured';
    if (tokenId && tokenIdFile) return 'at most one of token_id & token_id_file must be configured';
    return undefined;
  },
);

export type RocketchatConfig = ValueOf<typeof rocketchatConfig>;

export const rocketchatIntegration: Integration<RocketchatConfig> = {
  name: 'rocketchat',
  key: 'rocketchat_configs',
  kind: rocketchatConfig,
  complete: completeRocketchat,
  create: createRocketchat,
  addNote: (config, note) => ({ ...config, text: appendNote(config.text, note) }),
};

/** The integration's own token, inline or in a file, takes precedence over both global ones. */
function completeRocketchat(config: RocketchatConfig, global: GlobalConfig): Outcome<RocketchatConfig> {
  const { tokenId, tokenIdFile } =
    config.tokenId || config.tokenIdFile
      ? config
      : { tokenId: global.rocketchatTokenId, tokenIdFile: global.rocketchatTokenIdFile };
  if (!tokenId && !tokenIdFile) return refused('no global Rocketchat TokenID set either inline or in a file');
  const { token, tokenFile } =
    config.token || config.tokenFile
      ? config
      : { token: global.rocketchatToken, tokenFile: global.rocketchatTokenFile };
  if (!token && !tokenFile) return refused('no global Rocketchat Token set either inline or in a file');
  const apiUrl = config.apiUrl ?? global.rocketchatApiUrl;
  return accepted({ ...inheritHttp(config, global), apiUrl, tokenId, tokenIdFile, token, tokenFile });
}

function createRocketchat(config: RocketchatConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  const api = messageUrl(config.apiUrl as string);
  return {
    async notify(notification, signal) {
      const { channel, body } = encodeMessage(config, context, notification);
      let tokens: { readonly token: string; readonly tokenId: string };
      try {
        tokens = await readTokens(config, context);
      } catch (error) {
        return failedForGood(messageOf(error));
      }
      const { token, tokenId } = tokens;
      const headers = { 'content-type': 'application/json', 'x-auth-token': token, 'x-user-id': tokenId };
      const result = await exchange(
        http,
        { method: 'POST', url: api, headers, body, signal },
        { secrets: [token, tokenId] },
      );
      if (result.ok) return readAnswer(result.value.text, channel);
      const { failure } = result;
      // A failure without an answer does not concern the channel.
      return failure.ok || !failure.error.startsWith('unexpected status code') ? failure : ofChannel(channel, failure);
    },
  };
}

function messageUrl(apiUrl: string): string {
  const address = new URL(apiUrl);
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/api/v1/chat.postMessage`;
  return address.href;
}

async function readTokens({ token, tokenFile, tokenId, tokenIdFile }: RocketchatConfig, context: NotifierContext) {
  const read = async (path: string) => {
    try {
      return await context.readSecret(path);
    } catch (error) {
      throw new Error(`could not read ${path}: ${messageOf(error)}`);
    }
  };
  return { token: token || (await read(tokenFile)), tokenId: tokenId || (await read(tokenIdFile)) };
}

function encodeMessage(
  config: RocketchatConfig,
  { templates, dataOf, log }: NotifierContext,
  notification: Notification,
) {
  const data = dataOf(notification);
  const shorten = shortener(log, { integration: 'rocketchat', group_key: notification.groupKey });
  const render = (source: string) => templates.text(source, data);
  const attachment = {
    title: shorten(render(config.title), MAX_TITLE, 'title'),
    title_link: render(config.titleLink),
    text: render(config.text),
    image_url: render(config.imageUrl),
    thumb_url: render(config.thumbUrl),
    color: render(config.color),
    fields: config.fields.map(({ title, value, short }) => ({
      short: short ?? config.shortFields,
      ...withoutEmpty({ title: render(title), value: render(value) }),
    })),
    actions: config.actions.map((action) => renderAction(action, render)),
  };
  const channel = render(config.channel);
  const message = {
    ...withoutEmpty({ channel, emoji: render(config.emoji), avatar: render(config.iconUrl) }),
    attachments: [withoutEmpty(attachment)],
  };
  return { channel, body: encodeJson(message) };
}

function renderAction(action: RocketchatConfig['actions'][number], render: (source: string) => string): unknown {
  return {
    type: 'button',
    ...withoutEmpty({ text: render(action.text), url: render(action.url) }),
    is_webview: false,
    ...withoutEmpty({ msg: render(action.msg) }),
    msg_in_chat_window: false,
  };
}

/** Rocket.Chat may refuse a message with a status of 200. */
function readAnswer(body: string, channel: string): Delivery {
  let said: { readonly success?: unknown; readonly error?: unknown } | null;
  try {
    said = JSON.parse(body);
  } catch {
    const error = `could not unmarshal JSON response ${quoteGo(body)}`;
    return ofChannel(channel, { ok: false, retry: true, reason: 'clientError', error });
  }
  if (said?.success === true) return DELIVERED;
  return ofChannel(channel, failedForGood(`error response from Rocketchat: ${said?.error ?? ''}`, 'clientError'));
}

function ofChannel(channel: string, delivery: Delivery): Delivery {
  return delivery.ok ? delivery : { ...delivery, error: `channel ${quoteGo(channel)}: ${delivery.error}` };
}
