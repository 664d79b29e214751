import { Readable } from 'node:stream';
import type { PublishCommandInput, SNSClient, SNSClientConfig } from '@aws-sdk/client-sns';
import { DEFAULT_HTTP_CONFIG, type HttpConfig } from '../../config/http-config.ts';
import { failedToSend, failureOfAnswer } from '../deliver.ts';
import { withinTimeout } from '../http/timeout.ts';
import type { Delivery, HttpAnswer, HttpClient, HttpRequest, NotifierContext } from '../notifier.ts';

export type SnsMessage = PublishCommandInput;

/** Credentials and region; the AWS client finds empty or absent ones in its usual places. */
export interface AwsAccess {
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly profile: string;
  readonly roleArn: string;
  readonly externalId: string;
}

type Credentials = NonNullable<SNSClientConfig['credentials']>;
type Handler = Extract<SNSClientConfig['requestHandler'], { handle: unknown }>;
type AwsRequest = Parameters<Handler['handle']>[0];
type AwsResponse = Awaited<ReturnType<Handler['handle']>>['response'];

/** The AWS client passes it only to the handler of the message's request. */
export interface Sending {
  readonly abortSignal: AbortSignal;
}

/** Templates may give every notification an address of its own. */
const MAX_CLIENTS = 16;
/** Timeout for requests for credentials, which belong to no notification. */
const CREDENTIALS_TIMEOUT_MS = 30_000;
/** The headers of an answer that the AWS client reads. */
const READ_HEADERS = ['content-type', 'date', 'retry-after', 'x-amzn-requestid', 'x-amzn-errortype'];

/** Publishes to Amazon SNS. The large AWS client is loaded for the first message. */
export class SnsPublisher {
  readonly #access: Partial<AwsAccess>;
  readonly #handler: Handler;
  readonly #clients = new Map<string, Promise<SNSClient>>();
  #credentials: Promise<Credentials | undefined> | undefined;

  constructor(options: {
    readonly access: AwsAccess | undefined;
    readonly httpConfig: HttpConfig | undefined;
    readonly context: NotifierContext;
  }) {
    this.#access = options.access ?? {};
    this.#handler = handlerOver(options.context.openHttp(withBundle(options.httpConfig)), options.context);
  }

  /** An empty endpoint is that of the region. Rejects with the AWS client's error. */
  async publish(endpoint: string, message: SnsMessage, sending: Sending): Promise<void> {
    const { PublishCommand } = await import('@aws-sdk/client-sns');
    const client = await this.#clientOf(endpoint);
    const published = client.send(new PublishCommand(message), sending);
    await Promise.race([published, aborted(sending.abortSignal, published)]);
  }

  #clientOf(endpoint: string): Promise<SNSClient> {
    let client = this.#clients.get(endpoint);
    if (!client) {
      if (this.#clients.size >= MAX_CLIENTS) this.#clients.clear();
      client = this.#connect(endpoint);
      this.#clients.set(endpoint, client);
    }
    return client;
  }

  async #connect(endpoint: string): Promise<SNSClient> {
    // It would warn about supported versions of Node.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
    const { SNSClient } = await import('@aws-sdk/client-sns');
    this.#credentials ??= this.#resolveCredentials();
    const credentials = await this.#credentials;
    return new SNSClient({
      ...this.#common(),
      ...(credentials === undefined ? {} : { credentials }),
      ...(endpoint === '' ? {} : { endpoint }),
    });
  }

  #common() {
    const { region, profile } = this.#access;
    return {
      requestHandler: this.#handler,
      // Retries are the pipeline's work.
      maxAttempts: 1,
      ...(region ? { region } : {}),
      ...(profile ? { profile } : {}),
    };
  }

  /** Undefined: the AWS client finds them itself. */
  async #resolveCredentials(): Promise<Credentials | undefined> {
    const { accessKey, secretKey = '', roleArn, externalId } = this.#access;
    const own = accessKey ? { accessKeyId: accessKey, secretAccessKey: secretKey } : undefined;
    if (!roleArn) return own;
    const { fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
    return fromTemporaryCredentials({
      ...(own ? { masterCredentials: own } : {}),
      params: { RoleArn: roleArn, RoleSessionName: 'opsdeck', ...(externalId ? { ExternalId: externalId } : {}) },
      clientConfig: this.#common(),
    });
  }
}

/** The environment's certificate authorities, unless the configuration names some. */
function withBundle(config: HttpConfig | undefined): HttpConfig | undefined {
  const caFile = process.env.AWS_CA_BUNDLE;
  const tls = config?.tlsConfig;
  if (!caFile || tls?.ca || tls?.caFile) return config;
  const none = { ca: undefined, cert: undefined, key: undefined, certFile: undefined, keyFile: undefined };
  const rest = { serverName: undefined, insecureSkipVerify: false, minVersion: undefined, maxVersion: undefined };
  return { ...DEFAULT_HTTP_CONFIG, ...config, tlsConfig: { ...none, ...rest, ...tls, caFile } };
}

/** Rejects when the signal is aborted, which requests for credentials ignore. */
function aborted(signal: AbortSignal, until: Promise<unknown>): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const forget = () => signal.removeEventListener('abort', abort);
    until.then(forget, forget);
  });
}

/** Sends the AWS client's signed requests by the HTTP configuration. */
function handlerOver(http: HttpClient, { clock }: NotifierContext): Handler {
  const unending = new AbortController().signal;
  const handle = async (request: AwsRequest, { abortSignal }: Partial<Sending> = {}) => {
    const send = (signal: AbortSignal) => http.send(toRequest(request, signal));
    const answer =
      abortSignal instanceof AbortSignal
        ? await send(abortSignal)
        : await withinTimeout(
            { name: 'credentials', timeoutMs: CREDENTIALS_TIMEOUT_MS, clock, signal: unending },
            send,
          );
    return { response: toResponse(answer) };
  };
  return { handle } as Handler;
}

function toRequest(request: AwsRequest, signal: AbortSignal): HttpRequest {
  const { method, protocol, hostname, port, path, query, headers, body } = request;
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query))
    for (const one of [value ?? ''].flat() as string[]) url.searchParams.append(name, one);
  // The HTTP client sets these itself.
  const { host: _host, 'content-length': _length, ...others } = headers;
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body).toString() };
  return { method: method as HttpRequest['method'], url: url.href, headers: others, ...content, signal };
}

function toResponse({ status, headers, text }: HttpAnswer): AwsResponse {
  const found = READ_HEADERS.map((name) => [name, headers.get(name)] as const).filter(([, value]) => value !== null);
  const body = Readable.from(text === '' ? [] : [Buffer.from(text)]);
  return { statusCode: status, headers: Object.fromEntries(found), body } as AwsResponse;
}

/** AWS's names for throttling, most of them with status 400. */
const THROTTLED = /^(Throttl\w*|TooManyRequestsException|RequestLimitExceeded|RequestThrottled(Exception)?|SlowDown)$/;

/** The failed delivery for an error of the AWS client. */
export function failureOfAwsError(error: unknown, signal: AbortSignal, secrets: readonly string[]): Delivery {
  const { name, message, $metadata, $response } = (error ?? {}) as {
    name?: string;
    message?: string;
    $metadata?: { httpStatusCode?: number };
    $response?: { headers?: Record<string, string> };
  };
  if (message === 'Region is missing') {
    const known = 'region not configured in sns.sigv4.region or in default credentials chain';
    return { ok: false, retry: true, reason: 'other', error: known };
  }
  const status = $metadata?.httpStatusCode;
  if (status === undefined || (status >= 200 && status < 300)) return failedToSend(error, signal, secrets);
  const headers = new Headers($response?.headers ?? {});
  const failure = failureOfAnswer({ status, headers, text: message ?? '' }, { secrets });
  if (failure === undefined || failure.ok || !THROTTLED.test(name ?? '')) return failure ?? failedToSend(error, signal);
  return { ...failure, retry: true, reason: 'rateLimited' };
}
