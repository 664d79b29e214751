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
  secretUrl,
  template,
  text,
  type ValueOf,
  withDefault,
} from '../config/kind.ts';
import { quoteGo } from '../domain/quote.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';
import { type Shorten, shortener } from './truncate.ts';

/** In characters. Source: Mattermost's limit for the text of a post. */
const MAX_TEXT = 16_383;

const field = object(
  { title: withDefault(prose, ''), value: withDefault(prose, ''), short: optional(bool) },
  ({ title, value }) => {
    if (!title) return 'missing title in Mattermost field configuration';
    return value ? undefined : 'missing value in Mattermost field configuration';
  },
);

/** The call of a default template. */
function fallback(name: string): string {
  return `{{ template "mattermost.default.${name}" . }}`;
}

function attachmentFields(byDefault: (name: string) => string) {
  return {
    fallback: withDefault(prose, byDefault('fallback')),
    color: withDefault(attribute, byDefault('color')),
    pretext: withDefault(prose, ''),
    text: withDefault(prose, byDefault('text')),
    author_name: withDefault(prose, ''),
    author_link: withDefault(attribute, ''),
    author_icon: withDefault(attribute, ''),
    title: withDefault(prose, byDefault('title')),
    title_link: withDefault(attribute, byDefault('titlelink')),
    fields: withDefault(list(field, 'missing field in mattermost config'), []),
    thumb_url: withDefault(attribute, ''),
    footer: withDefault(prose, ''),
    footer_icon: withDefault(attribute, ''),
    image_url: withDefault(attribute, ''),
  };
}

const attachment = object(attachmentFields(() => ''));

const priority = object({
  priority: withDefault(attribute, ''),
  requested_ack: withDefault(bool, false),
  persistent_notifications: withDefault(bool, false),
});

const mattermostConfig = object(
  {
    ...httpFields(true),
    webhook_url: optional(secretUrl),
    webhook_url_file: withDefault(text, ''),
    channel: withDefault(template, ''),
    username: withDefault(attribute, fallback('username')),
    ...attachmentFields(fallback),
    icon_url: withDefault(attribute, ''),
    icon_emoji: withDefault(attribute, ''),
    attachments: withDefault(list(attachment, 'missing attachment in mattermost config'), []),
    type: withDefault(attribute, ''),
    props: optional(object({ card: withDefault(prose, '') })),
    priority: optional(priority),
  },
  ({ webhookUrl, webhookUrlFile }) =>
    webhookUrl && webhookUrlFile ? 'at most one of webhook_url & webhook_url_file must be configured' : undefined,
);

export type MattermostConfig = ValueOf<typeof mattermostConfig>;
type AttachmentConfig = ValueOf<typeof attachment>;
type Render = (source: string) => string;

export const mattermostIntegration: Integration<MattermostConfig> = {
  name: 'mattermost',
  key: 'mattermost_configs',
  kind: mattermostConfig,
  complete: completeMattermost,
  create: createMattermost,
  addNote: (config, note) => ({ ...config, text: appendNote(config.text, note) }),
};

function completeMattermost(config: MattermostConfig, global: GlobalConfig): Outcome<MattermostConfig> {
  const { webhookUrl, webhookUrlFile } =
    config.webhookUrl || config.webhookUrlFile
      ? config
      : { webhookUrl: global.mattermostWebhookUrl, webhookUrlFile: global.mattermostWebhookUrlFile };
  if (!webhookUrl && !webhookUrlFile) return refused('missing webhook_url or webhook_url_file on mattermost_config');
  return accepted({ ...inheritHttp(config, global), webhookUrl, webhookUrlFile });
}

function createMattermost(config: MattermostConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const data = context.dataOf(notification);
      const render: Render = (source) => context.templates.text(source, data);
      const shorten = shortener(context.log, { integration: 'mattermost', key: notification.groupKey });
      const message = messageOfGroup(config, render, shorten);
      let url: string;
      try {
        url = config.webhookUrl ?? (await context.readSecret(config.webhookUrlFile));
      } catch (error) {
        return failedForGood(messageOf(error));
      }
      if (url === '') return failedForGood('webhook url missing');
      const delivery = await deliver(
        http,
        {
          method: 'POST',
          url,
          headers: { 'content-type': 'application/json' },
          body: encodeJson(message),
          signal,
        },
        { secrets: [url] },
      );
      // A failure without an answer does not concern the channel.
      if (delivery.ok || !delivery.error.startsWith('unexpected status code')) return delivery;
      return { ...delivery, error: `channel ${quoteGo(message.channel ?? '')}: ${delivery.error}` };
    },
  };
}

/** Without configured attachments, the message is a single attachment with the text. */
function messageOfGroup(config: MattermostConfig, render: Render, shorten: Shorten) {
  const own = config.attachments.length > 0;
  return withoutEmpty({
    text: own ? shorten(render(config.text), MAX_TEXT, 'text') : '',
    channel: render(config.channel),
    username: render(config.username),
    icon_url: render(config.iconUrl),
    icon_emoji: render(config.iconEmoji),
    attachments: (own ? config.attachments : [config]).map((part) => renderAttachment(part, render)),
    type: render(config.type),
    props: withoutEmpty({ card: render(config.props?.card ?? '') }),
    priority: renderPriority(config.priority, render),
  });
}

function renderAttachment(part: AttachmentConfig, render: Render): unknown {
  return withoutEmpty({
    fallback: render(part.fallback),
    color: render(part.color),
    pretext: render(part.pretext),
    text: render(part.text),
    author_name: render(part.authorName),
    author_link: render(part.authorLink),
    author_icon: render(part.authorIcon),
    title: render(part.title),
    title_link: render(part.titleLink),
    fields: part.fields.map(({ title, value, short }) => ({
      ...withoutEmpty({ title: render(title), value: render(value) }),
      ...(short === undefined ? {} : { short }),
    })),
    thumb_url: render(part.thumbUrl),
    footer: render(part.footer),
    footer_icon: render(part.footerIcon),
    image_url: render(part.imageUrl),
  });
}

/** Mattermost refuses acknowledgements with standard priority, and persistent notifications unless it is urgent. */
function renderPriority(config: MattermostConfig['priority'], render: Render): unknown {
  if (!config?.priority) return undefined;
  const asked = render(config.priority).toLowerCase();
  const level = asked === 'urgent' || asked === 'important' ? asked : 'standard';
  return withoutEmpty({
    priority: level,
    requested_ack: config.requestedAck && level !== 'standard',
    persistent_notifications: config.persistentNotifications && level === 'urgent',
  });
}
