import { accepted } from '../../kernel/outcome.ts';
import { object, optional, prose, secretUrl, text, type ValueOf, withDefault } from '../config/kind.ts';
import { notificationStatus } from '../domain/notification.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver, failedForGood } from './deliver.ts';
import { encodeJson } from './http/payload.ts';
import { inlineOrFile, postJson } from './http/post.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote } from './template/note.ts';

const msteamsConfig = object(
  {
    ...httpFields(true),
    webhook_url: optional(secretUrl),
    webhook_url_file: withDefault(text, ''),
    title: withDefault(prose, '{{ template "msteams.default.title" . }}'),
    summary: withDefault(prose, '{{ template "msteams.default.summary" . }}'),
    text: withDefault(prose, '{{ template "msteams.default.text" . }}'),
  },
  checkWebhookUrl,
);

/** A URL that is a secret, inline or in a file. */
export interface WebhookUrl {
  readonly webhookUrl: string | undefined;
  readonly webhookUrlFile: string;
}

export function checkWebhookUrl({ webhookUrl, webhookUrlFile }: WebhookUrl): string | undefined {
  if (webhookUrl === undefined && !webhookUrlFile) return 'one of webhook_url or webhook_url_file must be configured';
  if (webhookUrl !== undefined && webhookUrlFile) {
    return 'at most one of webhook_url & webhook_url_file must be configured';
  }
  return undefined;
}

export function readWebhookUrl({ webhookUrl, webhookUrlFile }: WebhookUrl, { readSecret }: NotifierContext) {
  return inlineOrFile(webhookUrl, webhookUrlFile, 'read webhook_url_file', readSecret);
}

export type MsteamsConfig = ValueOf<typeof msteamsConfig>;

/** Connectors of Microsoft Teams, deprecated by Microsoft; `msteamsv2` replaces them. */
export const msteamsIntegration: Integration<MsteamsConfig> = {
  name: 'msteams',
  key: 'msteams_configs',
  kind: msteamsConfig,
  complete: (config, global) => accepted(inheritHttp(config, global)),
  create: createMsteams,
  addNote: (config, note) => ({ ...config, text: appendNote(config.text, note) }),
};

const COLORS = { firing: '8C1A1A', resolved: '2DC72D' } as const;

function createMsteams(config: MsteamsConfig, context: NotifierContext): Notifier {
  const http = context.openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const data = context.dataOf(notification);
      const render = (source: string) => context.templates.text(source, data);
      const body = encodeJson({
        '@context': 'http://schema.org/extensions',
        type: 'MessageCard',
        title: render(config.title),
        summary: render(config.summary),
        text: render(config.text),
        themeColor: COLORS[notificationStatus(notification.alerts)],
      });
      const url = await readWebhookUrl(config, context);
      if (!url.ok) return failedForGood(url.reason);
      return deliver(http, postJson(url.value, body, signal), { secrets: [url.value] });
    },
  };
}
