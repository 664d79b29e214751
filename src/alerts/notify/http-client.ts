import type { Clock } from '../../kernel/clock.ts';
import { DEFAULT_HTTP_CONFIG, type HttpConfig } from '../config/http-config.ts';
import { type ReadSecret, readAuthorization, readHeaders } from './http-authorization.ts';
import { describeSendFailure, HttpSetupError } from './http-error.ts';
import { appendHeader, copyHeaders, createHeaders, type HeaderFields, setHeader } from './http-headers.ts';
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

const MOST_REDIRECTS = 10;

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
  if (!tokens) return sendFollowing(client, outgoing, await plainAuthorization(client, outgoing));
  const first = await tokens.authorization(request.signal);
  const answer = await sendFollowing(client, outgoing, first);
  if (answer.status !== 401) return answer;
  request.handover?.undone();
  tokens.forget(first);
  const second = await tokens.authorization(request.signal);
  return second === first ? answer : sendFollowing(client, outgoing, second);
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

function readTarget(url: string): URL {
  if (!URL.canParse(url)) throw new HttpSetupError('the URL cannot be read');
  const target = new URL(url);
  if (target.protocol === 'http:' || target.protocol === 'https:') return target;
  throw new HttpSetupError(`unsupported scheme "${target.protocol.slice(0, -1)}" for URL`);
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

/** Follows redirects as Go's client does. */
async function sendFollowing(client: Client, outgoing: Outgoing, authorization: string | undefined) {
  const headers = await buildHeaders(client, outgoing.headers, authorization);
  const { request, target: first } = outgoing;
  let { method, body } = request as { method: string; body?: string };
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const { signal, handover, statusSuffices } = request;
    const sent = { method, url: bare(url), headers, body, signal, handover, statusSuffices };
    const answer = await client.transport.send(sent);
    const location = answer.headers.get('location');
    if (!client.config.followRedirects || !isRedirect(answer.status) || !location) {
      return withoutCredentials(answer, headers, client.config);
    }
    handover?.undone();
    if (redirects === MOST_REDIRECTS) throw new HttpSetupError(`stopped after ${MOST_REDIRECTS} redirects`);
    url = nextTarget(location, url);
    if (answer.status < 307) {
      method = 'GET';
      body = undefined;
      delete headers['content-type'];
    }
    // Once left, the first host's secrets stay behind, even if the way leads back.
    if (!isAtHome(url.hostname, first.hostname)) {
      for (const name of ['authorization', 'cookie', 'cookie2']) delete headers[name];
    }
  }
}

/** What is no success is quoted in errors; it may quote what it was asked with. */
function withoutCredentials(answer: HttpAnswer, sent: HeaderFields, { httpHeaders = {} }: HttpConfig): HttpAnswer {
  if (answer.text === '' || (answer.status >= 200 && answer.status < 300)) return answer;
  const configured = Object.entries(httpHeaders)
    .filter(([, { secrets, files }]) => secrets.length + files.length > 0)
    .flatMap(([name]) => sent[name.toLowerCase()]?.split(', ') ?? []);
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

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

function isAtHome(host: string, home: string): boolean {
  return host === home || (!/[:%\]]/.test(host) && !/^[\d.]+$/.test(home) && host.endsWith(`.${home}`));
}

function nextTarget(location: string, from: URL): URL {
  if (!URL.canParse(location, from.href)) throw new HttpSetupError('the server redirects to what is no URL');
  return readTarget(new URL(location, from).href);
}

function bare(url: URL): URL {
  if (!url.username && !url.password) return url;
  const copy = new URL(url);
  copy.username = '';
  copy.password = '';
  return copy;
}
