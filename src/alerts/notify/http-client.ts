import type { Clock } from '../../kernel/clock.ts';
import { DEFAULT_HTTP_CONFIG, type HttpConfig } from '../config/http-config.ts';
import { type ReadSecret, readAuthorization, readHeaders } from './http-authorization.ts';
import { describeSendFailure } from './http-error.ts';
import { appendHeader, copyHeaders, createHeaders, type HeaderFields, setHeader } from './http-headers.ts';
import { readTarget, sendFollowing, withoutUser } from './http-redirects.ts';
import { basicToken, HttpTransport } from './http-transport.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from './notifier.ts';
import { TokenSource } from './oauth2.ts';
import type { Environment } from './proxy.ts';
import { hideSecrets } from './secret-texts.ts';

export interface HttpClientDeps {
  readonly clock: Clock;
  /** The text of a file, without the white space around it. */
  readonly readSecret: ReadSecret;
  /** Where `proxy_from_environment` looks. */
  readonly environment: Environment;
  /** `Alertmanager/0.34.0` */
  readonly userAgent: string;
}

/** An HTTP client with connections of its own. */
export interface OpenHttpClient extends HttpClient {
  /** Resolves when the last request has come to its end; after it none is sent. */
  close(): Promise<void>;
}

/** Opens nothing before the first request. HTTP/1.1 is spoken, `enable_http2` or not. */
export function createHttpClient(config: HttpConfig = DEFAULT_HTTP_CONFIG, deps: HttpClientDeps): OpenHttpClient {
  const transport = new HttpTransport(config, deps.environment);
  const { oauth2 } = config;
  const tokenTransport = oauth2 && new HttpTransport(oauth2, deps.environment);
  const tokens = oauth2 && tokenTransport && new TokenSource(oauth2, { ...deps, transport: tokenTransport });
  const client = { config, deps, transport, tokens, readTarget: rememberLast(readTarget) };
  return {
    async send(request) {
      try {
        return await sendAuthorized(client, request);
      } catch (error) {
        throw new Error(describeSendFailure(error, request.signal));
      }
    },
    async close() {
      await Promise.all([transport.close(), tokenTransport?.close()]);
    },
  };
}

interface Client {
  readonly config: HttpConfig;
  readonly deps: HttpClientDeps;
  readonly transport: HttpTransport;
  readonly tokens: TokenSource | undefined;
  /** Most requests go where the last one went. */
  readonly readTarget: (url: string) => URL;
}

/** A request as the integration means it. */
interface Outgoing {
  readonly request: HttpRequest;
  readonly target: URL;
  readonly headers: HeaderFields;
}

/** A token that is refused although it has not expired was withdrawn: one request with a new one follows. */
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

/** What the integration itself says stands first, then what the URL says, then the configuration. */
async function plainAuthorization(
  { config, deps }: Client,
  { headers, target }: Outgoing,
): Promise<string | undefined> {
  const { username, password } = target;
  if (headers.authorization !== undefined) return headers.authorization;
  if (username || password) return basicToken(decodeURIComponent(username), decodeURIComponent(password));
  return readAuthorization(config, deps.readSecret);
}

/** Nobody may change the result. */
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
    : await transport.send(sent);
  return withoutCredentials(answer, headers, config);
}

/** In small letters. */
function secretHeaders({ httpHeaders = {} }: HttpConfig): readonly string[] {
  return Object.entries(httpHeaders)
    .filter(([, { secrets, files }]) => secrets.length + files.length > 0)
    .map(([name]) => name.toLowerCase());
}

/** What is no success is quoted in errors; it may quote what it was asked with. */
function withoutCredentials(answer: HttpAnswer, sent: HeaderFields, config: HttpConfig): HttpAnswer {
  if (answer.text === '' || (answer.status >= 200 && answer.status < 300)) return answer;
  const configured = secretHeaders(config).flatMap((name) => sent[name]?.split(', ') ?? []);
  return { ...answer, text: hideSecrets(answer.text, [...credentialsOf(sent.authorization), ...configured]) };
}

/** What is secret in the header `authorization`. */
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
