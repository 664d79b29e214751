import { smarthost } from '../integrations/email/smarthost.ts';
import { httpConfig, tlsConfig } from './http-config.ts';
import {
  bool,
  duration,
  type FieldValues,
  type Kind,
  object,
  optional,
  secret,
  secretUrl,
  text,
  url,
  type Wrong,
  withDefault,
} from './kind.ts';

/** Not printed when it is the default: older versions do not know the field. */
function newerUrl(byDefault: string): Kind<string> {
  return { read: url.read, print: (value, redact) => (value === byDefault ? undefined : url.print(value, redact)) };
}

const SLACK_APP_URL = 'https://slack.com/api/chat.postMessage';
const ROCKETCHAT_API_URL = 'https://open.rocket.chat/';

/** The app's URL, which is no secret, was once set here to enable tokens. */
const slackApiUrl: Kind<string> = {
  read: secretUrl.read,
  print: (value) => (value === SLACK_APP_URL ? value : secretUrl.print(value)),
};

const globalFields = {
  resolve_timeout: withDefault(duration, 300_000),
  http_config: optional(httpConfig),
  jira_api_url: optional(url),
  smtp_from: withDefault(text, ''),
  smtp_hello: withDefault(text, 'localhost'),
  smtp_smarthost: withDefault(smarthost, ''),
  smtp_auth_username: withDefault(text, ''),
  smtp_auth_password: withDefault(secret, ''),
  smtp_auth_password_file: withDefault(text, ''),
  smtp_auth_secret: withDefault(secret, ''),
  smtp_auth_secret_file: withDefault(text, ''),
  smtp_auth_identity: withDefault(text, ''),
  smtp_require_tls: withDefault(bool, true),
  smtp_tls_config: optional(tlsConfig),
  smtp_force_implicit_tls: optional(bool),
  slack_api_url: optional(slackApiUrl),
  slack_api_url_file: withDefault(text, ''),
  slack_app_token: withDefault(secret, ''),
  slack_app_token_file: withDefault(text, ''),
  slack_app_url: withDefault(newerUrl(SLACK_APP_URL), SLACK_APP_URL),
  pagerduty_url: withDefault(url, 'https://events.pagerduty.com/v2/enqueue'),
  opsgenie_api_url: withDefault(url, 'https://api.opsgenie.com/'),
  opsgenie_api_key: withDefault(secret, ''),
  opsgenie_api_key_file: withDefault(text, ''),
  wechat_api_url: withDefault(url, 'https://qyapi.weixin.qq.com/cgi-bin/'),
  wechat_api_secret: withDefault(secret, ''),
  wechat_api_secret_file: withDefault(text, ''),
  wechat_api_corp_id: withDefault(text, ''),
  victorops_api_url: withDefault(url, 'https://alert.victorops.com/integrations/generic/20131114/alert/'),
  victorops_api_key: withDefault(secret, ''),
  victorops_api_key_file: withDefault(text, ''),
  telegram_api_url: withDefault(url, 'https://api.telegram.org'),
  telegram_bot_token: withDefault(secret, ''),
  telegram_bot_token_file: withDefault(text, ''),
  webex_api_url: withDefault(url, 'https://webexapis.com/v1/messages'),
  rocketchat_api_url: withDefault(newerUrl(ROCKETCHAT_API_URL), ROCKETCHAT_API_URL),
  rocketchat_token: withDefault(secret, ''),
  rocketchat_token_file: withDefault(text, ''),
  rocketchat_token_id: withDefault(secret, ''),
  rocketchat_token_id_file: withDefault(text, ''),
  mattermost_webhook_url: optional(secretUrl),
  mattermost_webhook_url_file: withDefault(text, ''),
};

/** The defaults of integrations. An empty text is unset. */
export type GlobalConfig = FieldValues<typeof globalFields>;

export const globalConfig: Kind<GlobalConfig> = object(globalFields, checkGlobal);

/** Each has a field `<name>_file` for a file instead; at most one may be set. */
const MAY_BE_IN_FILE = [
  ['slackAppToken', 'slack_app_token'],
  ['slackApiUrl', 'slack_api_url'],
  ['opsgenieApiKey', 'opsgenie_api_key'],
  ['victoropsApiKey', 'victorops_api_key'],
  ['telegramBotToken', 'telegram_bot_token'],
  ['smtpAuthPassword', 'smtp_auth_password'],
  ['rocketchatToken', 'rocketchat_token'],
  ['rocketchatTokenId', 'rocketchat_token_id'],
  ['smtpAuthSecret', 'smtp_auth_secret'],
  ['wechatApiSecret', 'wechat_api_secret'],
  ['mattermostWebhookUrl', 'mattermost_webhook_url'],
] as const;

function checkGlobal(global: GlobalConfig): Wrong | undefined {
  for (const [name, field] of MAY_BE_IN_FILE) {
    if (global[name] && global[`${name}File`])
      return { field: `${field}_file`, message: `at most one of ${field} & ${field}_file must be configured` };
  }
  const hasToken = Boolean(global.slackAppToken || global.slackAppTokenFile);
  const hasUrl = Boolean(global.slackApiUrl || global.slackApiUrlFile);
  // The app's own URL was set to use tokens before there was a field for them.
  if (hasToken && hasUrl && global.slackApiUrl !== global.slackAppUrl) {
    return {
      field: global.slackAppToken ? 'slack_app_token' : 'slack_app_token_file',
      message:
        'at most one of slack_app_token/slack_app_token_file & slack_api_url/slack_api_url_file must be configured',
    };
  }
  return undefined;
}

/** The defaults, where the file has no global part. */
export const DEFAULT_GLOBAL: GlobalConfig = Object.freeze(
  Object.fromEntries(
    Object.entries(globalFields).map(([name, { absent }]) => [
      name.replace(/_([a-z\d])/g, (_, letter: string) => letter.toUpperCase()),
      absent,
    ]),
  ),
) as GlobalConfig;
