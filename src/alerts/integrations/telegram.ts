import { messageOf } from '../../kernel/errors.ts';
import { accepted, refused } from '../../kernel/outcome.ts';
import {
  bool,
  integer,
  object,
  optional,
  prose,
  secret,
  text,
  url,
  type ValueOf,
  withDefault,
} from '../config/kind.ts';
import type { Notification } from '../domain/notification.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { DELIVERED, failedToSend, failureOfAnswer } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import type { Delivery, HttpAnswer, Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote, splitNote } from './template/note.ts';
import { shortener, truncateRunes } from './truncate.ts';

/** In characters. Source: https://core.telegram.org/bots/api#sendmessage */
const MAX_MESSAGE = 4096;

/** HTML is not cut: the rest might be malformed, and Telegram would refuse it. */
const TOO_LONG = `The notification is longer than the ${MAX_MESSAGE} characters that Telegram takes. Please shorten the template of its message.`;

const NOT_READY = { ok: false, retry: true, reason: 'other' } as const;

const PARSE_MODES = ['', 'Markdown', 'MarkdownV2', 'HTML'];

const telegramConfig = object(
  {
    ...httpFields(true),
    api_url: optional(url),
    bot_token: withDefault(secret, ''),
    bot_token_file: withDefault(text, ''),
    chat_id: withDefault(integer, 0),
    chat_id_file: withDefault(text, ''),
    message_thread_id: withDefault(integer, 0),
    message: withDefault(prose, '{{ template "telegram.default.message" . }}'),
    disable_notifications: withDefault(bool, false),
    parse_mode: withDefault(text, 'HTML'),
  },
  ({ botToken, botTokenFile, chatId, chatIdFile, parseMode }) => {
    if (botToken && botTokenFile) return 'at most one of bot_token & bot_token_file must be configured';
    if (!chatId && !chatIdFile) return 'missing chat_id or chat_id_file on telegram_config';
    if (chatId && chatIdFile) return 'at most one of chat_id & chat_id_file must be configured';
    return PARSE_MODES.includes(parseMode)
      ? undefined
      : 'unknown parse_mode on telegram_config, must be Markdown, MarkdownV2, HTML or empty string';
  },
);

export type TelegramConfig = ValueOf<typeof telegramConfig>;

export const telegramIntegration: Integration<TelegramConfig> = {
  name: 'telegram',
  key: 'telegram_configs',
  kind: telegramConfig,
  complete(config, global) {
    const own = config.botToken || config.botTokenFile;
    const { botToken, botTokenFile } = own
      ? config
      : { botToken: global.telegramBotToken, botTokenFile: global.telegramBotTokenFile };
    if (!botToken && !botTokenFile) return refused('missing bot_token or bot_token_file on telegram_config');
    const apiUrl = config.apiUrl ?? global.telegramApiUrl;
    return accepted({ ...inheritHttp(config, global), apiUrl, botToken, botTokenFile });
  },
  create: createTelegram,
  // Telegram refuses a text with unescaped signs of its Markdown; the default text and the note have such.
  addNote: (config, note) => ({
    ...config,
    message: appendNote(config.message, note),
    parseMode: config.parseMode === 'HTML' ? 'HTML' : '',
  }),
};

function createTelegram(config: TelegramConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  const api = (config.apiUrl as string).replace(/\/+$/, '');
  return {
    async notify(notification, signal) {
      const message = renderMessage(config, context, notification);
      let token: string;
      let chatId: string;
      try {
        token = config.botToken || (await readFrom(config.botTokenFile, context));
        chatId = config.chatId ? String(config.chatId) : await readChatId(config.chatIdFile, context);
      } catch (error) {
        return { ...NOT_READY, error: messageOf(error) };
      }
      try {
        const answer = await http.send({
          method: 'POST',
          url: `${api}/bot${token}/sendMessage`,
          headers: { 'content-type': 'application/json' },
          body: encodeJson(requestOf(config, chatId, message)),
          signal,
        });
        return readAnswer(answer, token);
      } catch (error) {
        return failedToSend(error, signal, [token]);
      }
    },
  };
}

function renderMessage(
  { parseMode, message }: TelegramConfig,
  { templates, dataOf, log }: NotifierContext,
  notification: Notification,
): string {
  const data = dataOf(notification);
  const shorten = shortener(log, { integration: 'telegram', group_key: notification.groupKey });
  if (parseMode !== 'HTML') return shorten(templates.text(message, data), MAX_MESSAGE, 'message');
  const html = templates.html(message, data);
  return truncateRunes(html, MAX_MESSAGE) === html ? html : `${TOO_LONG}${splitNote(html).note}`;
}

/** All values are texts, as Alertmanager sends them. */
function requestOf(config: TelegramConfig, chatId: string, message: string): unknown {
  return {
    chat_id: chatId,
    ...(config.disableNotifications ? { disable_notification: 'true' } : {}),
    disable_web_page_preview: 'true',
    ...(config.messageThreadId === 0 ? {} : { message_thread_id: `${config.messageThreadId}` }),
    ...withoutEmpty({ parse_mode: config.parseMode }),
    text: message,
  };
}

async function readFrom(path: string, { readSecret }: NotifierContext): Promise<string> {
  try {
    return await readSecret(path);
  } catch (error) {
    throw new Error(`could not read ${path}: ${messageOf(error)}`);
  }
}

async function readChatId(path: string, context: NotifierContext): Promise<string> {
  const id = await readFrom(path, context);
  if (!/^[+-]?\d+$/.test(id)) throw new Error(`could not parse chat_id from ${path}: not a whole number`);
  return id.replace(/^\+/, '');
}

interface TelegramAnswer {
  readonly ok?: unknown;
  readonly error_code?: unknown;
  readonly description?: unknown;
  readonly parameters?: { readonly retry_after?: unknown; readonly migrate_to_chat_id?: unknown };
}

/** Every refusal is retried: a chat may be opened to the bot meanwhile. */
function readAnswer(answer: HttpAnswer, token: string): Delivery {
  const said = parseBody(answer.text);
  if (said.ok === true) return DELIVERED;
  const { error_code: code, description, parameters } = said;
  const status = typeof code === 'number' ? code : answer.status;
  const moved = parameters?.migrate_to_chat_id;
  const details = `${description ?? answer.text}${moved === undefined ? '' : `; the chat now has the id ${moved}`}`;
  const failure = failureOfAnswer({ ...answer, status }, { secrets: [token], describe: () => details });
  if (!failure || failure.ok) return { ...NOT_READY, error: 'the answer is not that of a Telegram Bot API' };
  const waitS = parameters?.retry_after;
  return { ...failure, retry: true, retryAfterMs: typeof waitS === 'number' ? waitS * 1000 : failure.retryAfterMs };
}

function parseBody(body: string): TelegramAnswer {
  try {
    const said: unknown = JSON.parse(body);
    return typeof said === 'object' && said !== null ? said : {};
  } catch {
    return {};
  }
}
