import { messageOf } from '../../kernel/errors.ts';
import { accepted, refused } from '../../kernel/outcome.ts';
import { object, optional, prose, secret, template, text, url, type ValueOf, withDefault } from '../config/kind.ts';
import type { Notification } from '../domain/notification.ts';
import { httpFields, inheritHttp } from './common-fields.ts';
import { type Attempted, failed, failedForGood, failedToSend, failureOfAnswer } from './deliver.ts';
import { encodeJson, withoutEmpty } from './http/payload.ts';
import type { Delivery, HttpAnswer, HttpClient, HttpRequest, Integration, NotifierContext } from './notifier.ts';
import { hideSecrets } from './secret-texts.ts';
import { appendNote } from './template/note.ts';
import { namingTemplate } from './template/prefix.ts';

const TOKEN_LIFE_MS = 2 * 60 * 60 * 1000;
/** Codes for an invalid or expired token: the next attempt requests a new one. Source: WeCom's list of global error codes. */
const TOKEN_ERRORS = [42001, 40014];

const wechatConfig = object(
  {
    ...httpFields(false),
    api_secret: withDefault(secret, ''),
    api_secret_file: withDefault(text, ''),
    corp_id: withDefault(template, ''),
    message: withDefault(prose, '{{ template "wechat.default.message" . }}'),
    api_url: optional(url),
    to_user: withDefault(template, '{{ template "wechat.default.to_user" . }}'),
    to_party: withDefault(template, '{{ template "wechat.default.to_party" . }}'),
    to_tag: withDefault(template, '{{ template "wechat.default.to_tag" . }}'),
    agent_id: withDefault(template, '{{ template "wechat.default.agent_id" . }}'),
    message_type: withDefault(text, 'text'),
  },
  ({ messageType, apiSecret, apiSecretFile }) => {
    if (!/^(text|markdown)?$/.test(messageType))
      return `weChat message type ${JSON.stringify(messageType)} does not match valid options ^(text|markdown)$`;
    if (apiSecret && apiSecretFile) return 'at most one of api_secret & api_secret_file must be configured';
    return undefined;
  },
);

export type WechatConfig = ValueOf<typeof wechatConfig>;

export const wechatIntegration: Integration<WechatConfig> = {
  name: 'wechat',
  key: 'wechat_configs',
  kind: wechatConfig,
  complete(config, global) {
    const own = config.apiSecret !== '' || config.apiSecretFile !== '';
    const apiSecret = own ? config.apiSecret : global.wechatApiSecret;
    const apiSecretFile = own ? config.apiSecretFile : global.wechatApiSecretFile;
    if (!apiSecret && !apiSecretFile) return refused('no global Wechat Api Secret set either inline or in a file');
    const corpId = config.corpId || global.wechatApiCorpId;
    if (!corpId) return refused('no global Wechat CorpID set');
    const apiUrl = withSlash(config.apiUrl ?? global.wechatApiUrl);
    const messageType = config.messageType || 'text';
    return accepted({ ...inheritHttp(config, global), apiSecret, apiSecretFile, corpId, apiUrl, messageType });
  },
  create: (config, context) => new WechatNotifier(config, context),
  addNote: (config, note) => ({ ...config, message: appendNote(config.message, note) }),
};

/** The path ends with a slash. */
function withSlash(address: string): string {
  return address.replace(/^([^?#]*?)\/?([?#].*)?$/, '$1/$2');
}

interface Token {
  readonly text: string;
  readonly fetchedAt: number;
}

type Render = (source: string) => string;

class WechatNotifier {
  readonly #config: WechatConfig;
  readonly #context: NotifierContext;
  readonly #http: HttpClient;
  #token: Token | undefined;

  constructor(config: WechatConfig, context: NotifierContext) {
    this.#config = config;
    this.#context = context;
    this.#http = context.openHttp(config.httpConfig);
  }

  async notify(notification: Notification, signal: AbortSignal): Promise<Delivery> {
    const data = this.#context.dataOf(notification);
    const render: Render = (source) =>
      namingTemplate('templating error', () => this.#context.templates.text(source, data));
    const token = await this.#haveToken(render, signal);
    if (typeof token !== 'string') return token;
    const body = encodeJson(wechatMessage(this.#config, render));
    const url = this.#address('message/send', { access_token: token });
    const headers = { 'content-type': 'application/json' };
    const sent = await fetchFrom(this.#http, { method: 'POST', url, headers, body, signal }, [token]);
    return sent.ok ? this.#readAnswer(sent.value, token) : sent.failure;
  }

  async #haveToken(render: Render, signal: AbortSignal): Promise<string | Delivery> {
    const now = this.#context.clock.now();
    if (this.#token && now - this.#token.fetchedAt <= TOKEN_LIFE_MS) return this.#token.text;
    const { apiSecret, apiSecretFile, corpId } = this.#config;
    let source = apiSecret;
    if (apiSecretFile) {
      try {
        source = await this.#context.readSecret(apiSecretFile);
      } catch (error) {
        return failedForGood(messageOf(error));
      }
    }
    const corpsecret = render(source);
    const url = this.#address('gettoken', { corpid: render(corpId), corpsecret });
    const fetched = await fetchFrom(this.#http, { method: 'GET', url, signal }, [corpsecret]);
    if (!fetched.ok) return fetched.failure;
    const { access_token: text } = readObject(fetched.value.text) ?? {};
    if (typeof text !== 'string' || text === '') return failedForGood(`invalid APISecret for CorpID: ${corpId}`);
    this.#token = { text, fetchedAt: now };
    return text;
  }

  #address(method: string, query: Readonly<Record<string, string>>): string {
    const url = new URL(this.#config.apiUrl ?? '');
    url.pathname += method;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return url.href;
  }

  /** WeChat refuses with status 200. */
  #readAnswer({ text }: HttpAnswer, token: string): Delivery {
    const answer = readObject(text);
    if (!answer) return { ok: false, retry: true, reason: 'other', error: 'the answer is no JSON object' };
    const code = answer.errcode ?? 0;
    if (code === 0) return { ok: true };
    const error = hideSecrets(String(answer.errmsg ?? `error code ${String(code)}`), [token]);
    if (!TOKEN_ERRORS.includes(Number(code))) return failedForGood(error);
    if (this.#token?.text === token) this.#token = undefined;
    return { ok: false, retry: true, reason: 'other', error };
  }
}

/** Every other status is retried. */
async function fetchFrom(
  http: HttpClient,
  request: HttpRequest,
  secrets: readonly string[],
): Promise<Attempted<HttpAnswer>> {
  try {
    const answer = await http.send(request);
    const { status } = answer;
    if (status === 200) return accepted(answer);
    const refusal = failureOfAnswer(answer, { describe: () => '' });
    if (refusal && !refusal.ok) return failed({ ...refusal, retry: true });
    return failed({ ok: false, retry: true, reason: 'other', error: `unexpected status code ${status}` });
  } catch (error) {
    return failed(failedToSend(error, request.signal, secrets));
  }
}

function readObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The part for the other message type is there as well, without content. */
function wechatMessage(config: WechatConfig, render: Render): Readonly<Record<string, unknown>> {
  const receivers = {
    touser: render(config.toUser),
    toparty: render(config.toParty),
    totag: render(config.toTag),
    agentid: render(config.agentId),
  };
  const content = render(config.message);
  const isMarkdown = config.messageType === 'markdown';
  return {
    text: { content: isMarkdown ? '' : content },
    ...withoutEmpty(receivers),
    safe: '0',
    msgtype: config.messageType,
    markdown: { content: isMarkdown ? content : '' },
  };
}
