import { accepted } from '../../kernel/outcome.ts';
import { object, optional, template, url, type ValueOf, withDefault } from '../config/kind.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { deliver } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import type { Integration, Notifier, NotifierContext } from './notifier.ts';
import { truncateBytes } from './truncate.ts';

/** In bytes of UTF-8. Source: the Webex API for messages. */
const MAX_MESSAGE = 7439;

const webexConfig = object(
  {
    ...httpFields(true),
    api_url: optional(url),
    message: withDefault(template, '{{ template "webex.default.message" . }}'),
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
};

function createWebex(config: WebexConfig, { templates, dataOf, openHttp }: NotifierContext): Notifier {
  const http = openHttp(config.httpConfig);
  return {
    async notify(notification, signal) {
      const data = dataOf(notification);
      const markdown = truncateBytes(templates.text(config.message, data), MAX_MESSAGE);
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
