import { accepted } from '../../kernel/outcome.ts';
import { object, optional, prose, secretUrl, text, type ValueOf, withDefault } from '../config/kind.ts';
import { notificationStatus } from '../domain/notification.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import { postJson } from './http/post.ts';
import { checkWebhookUrl, readWebhookUrl } from './msteams.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';
import { shortener } from './truncate.ts';

const discordConfig = object(
  {
    ...httpFields(true),
    webhook_url: optional(secretUrl),
    webhook_url_file: withDefault(text, ''),
    content: withDefault(prose, ''),
    title: withDefault(prose, '{{ template "discord.default.title" . }}'),
    message: withDefault(prose, '{{ template "discord.default.message" . }}'),
    username: withDefault(text, ''),
    avatar_url: withDefault(text, ''),
  },
  checkWebhookUrl,
);

export type DiscordConfig = ValueOf<typeof discordConfig>;

export const discordIntegration: Integration<DiscordConfig> = {
  name: 'discord',
  key: 'discord_configs',
  kind: discordConfig,
  complete: (config, global) => accepted(inheritHttp(config, global)),
  create: createDiscord,
  addNote: (config, note) => ({ ...config, message: appendNote(config.message, note) }),
};

/** In characters. Source: Discord's limits of messages and embeds. */
const LIMITS = { content: 2000, title: 256, description: 4096 } as const;
const COLORS = { firing: 0x99_2d22, resolved: 0x2e_cc71 } as const;

function createDiscord(config: DiscordConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  const avatar = URL.canParse(config.avatarUrl, 'http://localhost') ? config.avatarUrl : '';
  return {
    async notify(notification, signal) {
      const data = context.dataOf(notification);
      const shorten = shortener(context.log, { integration: 'discord', group_key: notification.groupKey });
      const render = (source: string, most: number, what: string) =>
        shorten(context.templates.text(source, data), most, what);
      const embed = {
        title: render(config.title, LIMITS.title, 'title'),
        description: render(config.message, LIMITS.description, 'message'),
        color: COLORS[notificationStatus(notification.alerts)],
      };
      const body = encodeJson({
        content: render(config.content, LIMITS.content, 'message'),
        embeds: [embed],
        ...withoutEmpty({ username: config.username, avatar_url: avatar }),
      });
      const url = await readWebhookUrl(config, context);
      if (!url.ok) return failedForGood(url.reason);
      return deliver(http, postJson(url.value, body, signal), { secrets: [url.value] });
    },
  };
}
