import type { Clock } from '../../../kernel/clock.ts';
import { basicToken } from '../../../kernel/http-client/connections.ts';
import {
  loadHttpClient,
  type SendsRequests,
  HttpClient as Transport,
} from '../../../kernel/http-client/http-client.ts';
import type { Environment } from '../../../kernel/http-client/proxy.ts';
import { NO_TRACES, type Traces } from '../../../kernel/tracing/tracer.ts';
import { DEFAULT_HTTP_CONFIG, type HttpConfig } from '../../config/http-config.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../notifier.ts';
import { hideSecrets } from '../secret-texts.ts';
import { type ReadSecret, readAuthorization, readHeaders } from './authorization.ts';
import { describeSendFailure } from './failure.ts';
import { appendHeader, copyHeaders, createHeaders, type HeaderFields, setHeader } from './headers.ts';
import { TokenSource } from './oauth2.ts';
import { readTarget, sendFollowing, sendOnce, withoutUser } from './redirects.ts';
import { readTls } from './tls.ts';
import { tracedTransport } from './trace.ts';

/** Connections per server; further requests wait. */
const MAX_CONNECTIONS = 256;

export interface HttpClientDeps {
  readonly clock: Clock;
  /** The trimmed text of a file. */
  readonly readSecret: ReadSecret;
  /** For `proxy_from_environment`. */
  readonly environment: Environment;
  readonly traces?: Traces | undefined;
  /** `Alertmanager/0.34.0` */
  readonly userAgent: string;
}

/** An HTTP client with connections of its own. */
export interface OpenHttpClient extends HttpClient {
  /** Sends no further request; resolves when the last one has ended. */
  close(): Promise<void>;
}

/** Delay before loading what the first request needs, so that neither the request nor the start waits for it. */
const WARM_UP_MS = 250;

/** Opens nothing before the first request. */
export function createHttpClient(config: HttpConfig = DEFAULT_HTTP_CONFIG, deps: HttpClientDeps): OpenHttpClient {
  deps.clock.after(WARM_UP_MS, () => void loadHttpClient());
  const { oauth2, enableHttp2 } = config;
  const transport = openTransport(config, deps.environment);
  const tokenTransport = oauth2 && openTransport({ ...oauth2, enableHttp2 }, deps.environment);
  const tokens = oauth2 && tokenTransport && new TokenSource(oauth2, { ...deps, transport: tokenTransport });
  const sender = tracedTransport(transport, deps.traces ?? NO_TRACES);
  const client = { config, deps, transport: sender, tokens, readTarget: rememberLast(readTarget) };
  return {
    async send(request) {
      try {
        return await sendAuthorized(client, request);
      } catch (error) {
        throw new Error(describeSendFailure(error, request.signal));
      }
    },
    async close() {
      await Promise.all([transport.finish(), tokenTransport?.finish()]);
    },
  };
}

type TransportConfig = Pick<
  HttpConfig,
  'tlsConfig' | 'proxyUrl' | 'noProxy' | 'proxyFromEnvironment' | 'proxyConnectHeader' | 'enableHttp2'
>;

function openTransport(config: TransportConfig, environment: Environment): Transport {
  const { tlsConfig, proxyUrl, noProxy, proxyFromEnvironment, proxyConnectHeader } = config;
  return new Transport({
    proxyUrl,
    noProxy,
    variables: proxyFromEnvironment ? environment : undefined,
    connectHeaders: proxyConnectHeader,
    tls: tlsConfig && (() => readTls(tlsConfig)),
    maxConnections: MAX_CONNECTIONS,
    http2: config.enableHttp2,
  });
}

interface Client {
  readonly config: HttpConfig;
  readonly deps: HttpClientDeps;
  readonly transport: SendsRequests;
  readonly tokens: TokenSource | undefined;
  /** Most requests have the same target as the last. */
  readonly readTarget: (url: string) => URL;
}

/** A request of an integration, before headers of the configuration. */
interface Outgoing {
  readonly request: HttpRequest;
  readonly target: URL;
  readonly headers: HeaderFields;
}

/** A refused token that has not expired was revoked: one request with a new token follows. */
async function sendAuthorized(client: Client, request: HttpRequest): Promise<HttpAnswer> {
  const { tokens, deps } = client;
  const headers = createHeaders({ 'user-agent': deps.userAgent, ...request.headers });
  const outgoing = { request, target: client.readTarget(request.url), headers };
  if (!tokens) return exchange(client, outgoing, await plainAuthorization(client, outgoing));
  const first = await tokens.authorization(request.signal);
  const answer = await exchange(client, outgoing, first);
  if (answer.status !== 401) return answer;
  tokens.forget(first);
  const second = await tokens.authorization(request.signal);
  return second === first ? answer : exchange(client, outgoing, second);
}

/** Precedence: the integration, the URL, the configuration. */
async function plainAuthorization(
  { config, deps }: Client,
  { headers, target }: Outgoing,
): Promise<string | undefined> {
  const { username, password } = target;
  if (headers.authorization !== undefined) return headers.authorization;
  if (username || password) return basicToken(decodeURIComponent(username), decodeURIComponent(password));
  return readAuthorization(config, deps.readSecret);
}

/** The result must not be changed. */
function rememberLast<T>(read: (text: string) => T): (text: string) => T {
  let last: { readonly text: string; readonly result: T } | undefined;
  return (text) => {
    if (last?.text !== text) last = { text, result: read(text) };
    return last.result;
  };
}

async function buildHeaders({ config, deps }: Client, own: HeaderFields, authorization: string | undefined) {
  const headers = copyHeaders(own);
  if (config.httpHeaders) {
    for (const [name, value] of await readHeaders(config.httpHeaders, deps.readSecret)) {
      appendHeader(headers, name, value);
    }
  }
  if (authorization !== undefined) setHeader(headers, 'authorization', authorization);
  return headers;
}

async function exchange(client: Client, outgoing: Outgoing, authorization: string | undefined) {
  const { transport, config } = client;
  const headers = await buildHeaders(client, outgoing.headers, authorization);
  const { method, body, signal, statusSuffices } = outgoing.request;
  const url = withoutUser(outgoing.target);
  const sent = { method, url, headers, body, signal, statusSuffices };
  const answer = config.followRedirects
    ? await sendFollowing(transport, sent, secretHeaders(config))
    : await sendOnce(transport, sent);
  return withoutCredentials(answer, headers, config);
}

/** In small letters. */
function secretHeaders({ httpHeaders = {} }: HttpConfig): readonly string[] {
  return Object.entries(httpHeaders)
    .filter(([, { secrets, files }]) => secrets.length + files.length > 0)
    .map(([name]) => name.toLowerCase());
}

/** Removes secrets from answers without success, which errors quote and which may repeat the request. */
function withoutCredentials(answer: HttpAnswer, sent: HeaderFields, config: HttpConfig): HttpAnswer {
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return answer;
  const configured = secretHeaders(config).flatMap((name) => sent[name]?.split(', ') ?? []);
  return { status, headers, text: hideSecrets(answer.text, [...credentialsOf(sent.authorization), ...configured]) };
}

/** The secrets in the header `authorization`. */
function credentialsOf(authorization = ''): string[] {
  const [, scheme = '', credentials = ''] = /^(\S+) +(.*)$/s.exec(authorization) ?? [];
  if (scheme !== 'Basic') return [credentials];
  return [
    credentials,
    Buffer.from(credentials, 'base64')
      .toString()
      .replace(/^[^:]*:/, ''),
  ];
}
