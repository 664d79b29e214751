import { accepted } from '../../kernel/outcome.ts';
import { object, optional, prose, template, url, type ValueOf, withDefault } from '../config/kind.ts';
import type { Notification } from '../domain/notification.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { appendNote, cutBeforeNote } from './template/note.ts';
import { truncateBytes } from './truncate.ts';

/** In bytes of UTF-8. Source: the Webex API for messages. */
const MAX_MESSAGE = 7439;

const webexConfig = object(
  {
    ...httpFields(true),
    api_url: optional(url),
    message: withDefault(prose, '{{ template "webex.default.message" . }}'),
    room_id: withDefault(template, ''),
  },
  ({ roomId, httpConfig: http }) => {
    if (!roomId) return 'missing room_id on webex_config';
    const authorized = http && (http.authorization || http.bearerToken || http.bearerTokenFile);
    return authorized ? undefined : 'missing webex_configs.http_config.authorization';
  },
);

export type WebexConfig = ValueOf<typeof webexConfig>;

export const webexIntegration: Integration<WebexConfig> = {
  name: 'webex',
  key: 'webex_configs',
  kind: webexConfig,
  complete: (config, global) =>
    accepted({ ...inheritHttp(config, global), apiUrl: config.apiUrl ?? global.webexApiUrl }),
  create: createWebex,
  addNote: (config, note) => ({ ...config, message: appendNote(config.message, note) }),
};

function createWebex(config: WebexConfig, { templates, dataOf, openHttp, log }: NotifierContext): Notifier {
  const http = openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const data = dataOf(notification);
      const whole = templates.text(config.message, data);
      const markdown = cutBeforeNote(whole, MAX_MESSAGE, Buffer.byteLength, truncateBytes);
      if (markdown !== whole) logCut(log, notification, markdown);
      const roomId = templates.text(config.roomId, data);
      return deliver(http, {
        method: 'POST',
        url: config.apiUrl as string,
        headers: { 'content-type': 'application/json' },
        body: encodeJson({ markdown, ...withoutEmpty({ roomId }) }),
        signal,
      });
    },
  };
}

/** At level debug, as in Alertmanager. */
function logCut(log: NotifierContext['log'], { groupKey }: Notification, message: string): void {
  const fields = { integration: 'webex', group_key: groupKey, truncated_message: message };
  log.debug('message truncated due to exceeding maximum allowed length by webex', fields);
}
