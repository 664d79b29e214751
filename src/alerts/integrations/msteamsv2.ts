import { accepted } from '../../kernel/outcome.ts';
import type { GlobalConfig } from '../config/global-config.ts';
import { object, optional, prose, secretUrl, text, type ValueOf, withDefault } from '../config/kind.ts';
import { notificationStatus } from '../domain/notification.ts';
import { httpFields } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import { encodeJson } from './http/payload.ts';
import { postJson } from './http/post.ts';
import { checkWebhookUrl, readWebhookUrl } from './msteams.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';

const msteamsv2Config = object(
  {
    ...httpFields(true),
    webhook_url: optional(secretUrl),
    webhook_url_file: withDefault(text, ''),
    title: withDefault(prose, '{{ template "msteamsv2.default.title" . }}'),
    text: withDefault(prose, '{{ template "msteamsv2.default.text" . }}'),
  },
  checkWebhookUrl,
);

export type Msteamsv2Config = ValueOf<typeof msteamsv2Config>;

/** Workflows of Microsoft Teams. */
export const msteamsv2Integration: Integration<Msteamsv2Config> = {
  name: 'msteamsv2',
  key: 'msteamsv2_configs',
  kind: msteamsv2Config,
  complete: (config, global) => accepted({ ...config, httpConfig: inheritProxyToo(config, global) }),
  create: createMsteamsv2,
  addNote: (config, note) => ({ ...config, text: appendNote(config.text, note) }),
};

/** Only here the global proxy also applies to an own HTTP configuration without one. */
function inheritProxyToo({ httpConfig }: Msteamsv2Config, global: GlobalConfig) {
  if (!httpConfig || httpConfig.proxyUrl) return httpConfig ?? global.httpConfig;
  return { ...httpConfig, proxyUrl: global.httpConfig?.proxyUrl };
}

const COLORS = { firing: 'Attention', resolved: 'Good' } as const;

function createMsteamsv2(config: Msteamsv2Config, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const data = context.dataOf(notification);
      const title = context.templates.text(config.title, data);
      const message = context.templates.text(config.text, data);
      const body = encodeJson(adaptiveCard(title, message, COLORS[notificationStatus(notification.alerts)]));
      const url = await readWebhookUrl(config, context);
      if (!url.ok) return failedForGood(url.reason);
      return deliver(http, postJson(url.value, body, signal), { secrets: [url.value] });
    },
  };
}

function adaptiveCard(title: string, message: string, color: string): unknown {
  const heading = {
    type: 'TextBlock',
    text: title,
    weight: 'Bolder',
    size: 'Medium',
    wrap: true,
    style: 'heading',
    color,
  };
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: [heading, { type: 'TextBlock', text: message, wrap: true }],
    msteams: { width: 'full' },
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}
