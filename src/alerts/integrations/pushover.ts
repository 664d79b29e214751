import { messageOf } from '../../kernel/errors.ts';
import { accepted } from '../../kernel/outcome.ts';
import {
  attribute,
  bool,
  goDuration,
  object,
  prose,
  secret,
  template,
  text,
  type ValueOf,
  withDefault,
} from '../config/kind.ts';
import type { Notification } from '../domain/notification.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';
import { shortener } from './truncate.ts';

const API = 'https://api.pushover.net/1/messages.json';

/** In characters. Source: https://pushover.net/api#limits */
const MAX_LENGTH = { title: 250, message: 1024, url: 512 };

const pushoverConfig = object(
  {
    ...httpFields(true),
    user_key: withDefault(secret, ''),
    user_key_file: withDefault(text, ''),
    token: withDefault(secret, ''),
    token_file: withDefault(text, ''),
    title: withDefault(prose, '{{ template "pushover.default.title" . }}'),
    message: withDefault(prose, '{{ template "pushover.default.message" . }}'),
    url: withDefault(attribute, '{{ template "pushover.default.url" . }}'),
    url_title: withDefault(attribute, ''),
    device: withDefault(template, ''),
    sound: withDefault(attribute, ''),
    priority: withDefault(attribute, '{{ if eq .Status "firing" }}2{{ else }}0{{ end }}'),
    retry: withDefault(goDuration, 60_000),
    expire: withDefault(goDuration, 3_600_000),
    /** 0 stands for a message that stays. */
    ttl: withDefault(goDuration, 0),
    html: withDefault(bool, false),
    monospace: withDefault(bool, false),
  },
  ({ userKey, userKeyFile, token, tokenFile, html, monospace }) => {
    if (!userKey && !userKeyFile) return 'one of user_key or user_key_file must be configured';
    if (userKey && userKeyFile) return 'at most one of user_key & user_key_file must be configured';
    if (!token && !tokenFile) return 'one of token or token_file must be configured';
    if (token && tokenFile) return 'at most one of token & token_file must be configured';
    if (html && monospace) return 'at most one of monospace & html must be configured';
    return undefined;
  },
);

export type PushoverConfig = ValueOf<typeof pushoverConfig>;

export const pushoverIntegration: Integration<PushoverConfig> = {
  name: 'pushover',
  key: 'pushover_configs',
  kind: pushoverConfig,
  complete: (config, global) => accepted(inheritHttp(config, global)),
  create: createPushover,
  addNote: (config, note) => ({ ...config, message: appendNote(config.message, note) }),
};

function createPushover(config: PushoverConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const { templates, readSecret } = context;
      const data = context.dataOf(notification);
      let [token, user] = [config.token, config.userKey];
      try {
        if (!token) token = await readSecret(config.tokenFile);
      } catch (error) {
        return failedForGood(`read token_file: ${messageOf(error)}`);
      }
      try {
        if (!user) user = await readSecret(config.userKeyFile);
      } catch (error) {
        return failedForGood(`read user_key_file: ${messageOf(error)}`);
      }
      const secrets = { token: templates.text(token, data), user: templates.text(user, data) };
      const query = new URLSearchParams({ ...secrets, ...messageOfGroup(config, context, notification) });
      query.sort();
      return deliver(
        http,
        { method: 'POST', url: `${API}?${query}`, headers: { 'content-type': 'text/plain' }, signal },
        { secrets: [secrets.token, secrets.user] },
      );
    },
  };
}

function messageOfGroup(
  config: PushoverConfig,
  { templates, dataOf, log }: NotifierContext,
  notification: Notification,
): Record<string, string> {
  const data = dataOf(notification);
  const { groupKey } = notification;
  const shorten = shortener(log, { integration: 'pushover', group_key: groupKey, incident: groupKey });
  const render = (source: string) => templates.text(source, data);
  const message = config.html ? templates.html(config.message, data) : render(config.message);
  const ttl = seconds(config.ttl);
  return {
    title: shorten(render(config.title), MAX_LENGTH.title, 'title'),
    // Pushover refuses a message that is empty.
    message: shorten(message, MAX_LENGTH.message, 'message').trim() || '(no details)',
    url: shorten(render(config.url), MAX_LENGTH.url, 'URL'),
    url_title: render(config.urlTitle),
    priority: render(config.priority),
    retry: `${seconds(config.retry)}`,
    expire: `${seconds(config.expire)}`,
    device: render(config.device),
    sound: render(config.sound),
    ...(config.html ? { html: '1' } : {}),
    ...(config.monospace ? { monospace: '1' } : {}),
    ...(ttl > 0 ? { ttl: `${ttl}` } : {}),
  };
}

function seconds(ms: number): number {
  return Math.trunc(ms / 1000);
}
