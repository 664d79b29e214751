import { accepted, type Outcome, refused } from '../../../kernel/outcome.ts';
import type { GlobalConfig } from '../../config/global-config.ts';
import { DEFAULT_HTTP_CONFIG, type HttpConfig } from '../../config/http-config.ts';
import {
  attribute,
  bool,
  goDuration,
  HIDDEN,
  type Kind,
  list,
  object,
  optional,
  prose,
  secret,
  secretUrl,
  template,
  text,
  url,
  type ValueOf,
  withDefault,
} from '../../config/kind.ts';
import { httpFields, inheritHttp } from '../common-fields.ts';

const confirmation = object(
  {
    text: withDefault(prose, ''),
    title: withDefault(prose, ''),
    ok_text: withDefault(prose, ''),
    dismiss_text: withDefault(prose, ''),
  },
  (confirm) => (confirm.text ? undefined : 'missing text in Slack confirmation configuration'),
);

const rawAction = object(
  {
    type: withDefault(attribute, ''),
    text: withDefault(prose, ''),
    url: withDefault(attribute, ''),
    style: withDefault(attribute, ''),
    name: withDefault(attribute, ''),
    value: withDefault(prose, ''),
    confirm: optional(confirmation),
  },
  (action) => {
    if (!action.type) return 'missing type in Slack action configuration';
    if (!action.text) return 'missing text in Slack action configuration';
    return action.url || action.name ? undefined : 'missing name or url in Slack action configuration';
  },
);

/** A button either opens a URL or sends a message. */
const action: Kind<ValueOf<typeof rawAction>> = {
  ...rawAction,
  read(node) {
    const read = rawAction.read(node);
    return read.url ? { ...read, name: '', value: '', confirm: undefined } : read;
  },
};

const field = object(
  { title: withDefault(prose, ''), value: withDefault(prose, ''), short: optional(bool) },
  ({ title, value }) => {
    if (!title) return 'missing title in Slack field configuration';
    return value ? undefined : 'missing value in Slack field configuration';
  },
);

export type SlackAction = ValueOf<typeof action>;
export type SlackField = ValueOf<typeof field>;

const byDefault = (kind: Kind<string>, name: string) => withDefault(kind, `{{ template "slack.default.${name}" . }}`);

const POST_MESSAGE = 'https://slack.com/api/chat.postMessage';

export const slackConfig = object(
  {
    ...httpFields(false),
    api_url: optional(secretUrl),
    api_url_file: withDefault(text, ''),
    app_token: withDefault(secret, ''),
    app_token_file: withDefault(text, ''),
    app_url: optional(url),
    channel: withDefault(template, ''),
    username: byDefault(attribute, 'username'),
    color: byDefault(attribute, 'color'),
    title: byDefault(prose, 'title'),
    title_link: byDefault(attribute, 'titlelink'),
    pretext: byDefault(prose, 'pretext'),
    text: byDefault(prose, 'text'),
    message_text: withDefault(prose, ''),
    fields: withDefault(list(field), []),
    short_fields: withDefault(bool, false),
    footer: byDefault(prose, 'footer'),
    fallback: byDefault(prose, 'fallback'),
    callback_id: byDefault(attribute, 'callbackid'),
    icon_emoji: byDefault(attribute, 'iconemoji'),
    icon_url: byDefault(attribute, 'iconurl'),
    image_url: withDefault(attribute, ''),
    thumb_url: withDefault(attribute, ''),
    link_names: withDefault(bool, false),
    mrkdwn_in: withDefault(list(text), []),
    actions: withDefault(list(action), []),
    update_message: withDefault(bool, false),
    timeout: withDefault(goDuration, 0),
  },
  ({ apiUrl, apiUrlFile, appToken, appTokenFile, updateMessage }) => {
    const byUrl = apiUrl !== undefined || apiUrlFile !== '';
    const byToken = appToken !== '' || appTokenFile !== '';
    if (apiUrl !== undefined && apiUrlFile) return 'at most one of api_url & api_url_file must be configured';
    if (appToken && appTokenFile) return 'at most one of app_token & app_token_file must be configured';
    if (byUrl && byToken) return 'at most one of api_url/api_url_file & app_token/app_token_file must be configured';
    return updateMessage && byUrl && apiUrl !== POST_MESSAGE && apiUrl !== HIDDEN ? NO_UPDATE : undefined;
  },
);

const NO_UPDATE = `update_message can only be used with bot tokens. api_url must be set to ${POST_MESSAGE}`;

export type SlackConfig = ValueOf<typeof slackConfig>;

/** An own URL, token or authorization replaces the global ones. */
export function completeSlack(own: SlackConfig, global: GlobalConfig): Outcome<SlackConfig> {
  const hasUrl = own.apiUrl !== undefined || own.apiUrlFile !== '';
  const hasToken = own.appToken !== '' || own.appTokenFile !== '';
  const mayTakeToken = !hasUrl && !hasToken && !own.httpConfig?.authorization;
  const appToken = mayTakeToken ? global.slackAppToken : own.appToken;
  const appTokenFile = mayTakeToken ? global.slackAppTokenFile : own.appTokenFile;
  const byToken = appToken !== '' || appTokenFile !== '';
  const mayTakeUrl = !hasUrl && !byToken;
  const config = {
    ...inheritHttp(own, global),
    // Unused without a token, and older versions do not know the field.
    appUrl: byToken ? (own.appUrl ?? global.slackAppUrl) : own.appUrl,
    appToken,
    appTokenFile,
    apiUrl: mayTakeUrl ? global.slackApiUrl : own.apiUrl,
    apiUrlFile: mayTakeUrl ? global.slackApiUrlFile : own.apiUrlFile,
  };
  const fault = findFault(config, byToken);
  return fault === undefined ? accepted(config) : refused(fault);
}

function findFault(config: SlackConfig, byToken: boolean): string | undefined {
  if (byToken) {
    return config.httpConfig?.authorization
      ? "http authorization can't be set when using Slack App tokens"
      : faultOfUpdates(config, config.appUrl);
  }
  if (config.apiUrl === undefined && !config.apiUrlFile) {
    return 'no Slack API URL nor App token set either inline or in a file';
  }
  return faultOfUpdates(config, config.apiUrl);
}

function faultOfUpdates({ updateMessage }: SlackConfig, target: string | undefined): string | undefined {
  return updateMessage && target !== POST_MESSAGE && target !== HIDDEN ? NO_UPDATE : undefined;
}

/** The URL and token of a completed configuration; undefined for a URL in a file. */
export function slackTarget(config: SlackConfig): { url: string | undefined; http: HttpConfig | undefined } {
  const { appToken, appTokenFile, appUrl, apiUrl, httpConfig } = config;
  if (!appToken && !appTokenFile) return { url: apiUrl, http: httpConfig };
  const authorization = { type: 'Bearer', credentials: appToken, credentialsFile: appTokenFile };
  return { url: appUrl, http: { ...(httpConfig ?? DEFAULT_HTTP_CONFIG), authorization } };
}
