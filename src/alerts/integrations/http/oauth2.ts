import type { Clock } from '../../../kernel/clock.ts';
import { basicToken } from '../../../kernel/http-client/connections.ts';
import { HttpClientError } from '../../../kernel/http-client/failure.ts';
import type { SendsRequests } from '../../../kernel/http-client/http-client.ts';
import type { HttpConfig } from '../../config/http-config.ts';
import type { HttpAnswer } from '../notifier.ts';
import { hideSecrets } from '../secret-texts.ts';
import { type ReadSecret, readText } from './authorization.ts';
import { createHeaders, setHeader } from './headers.ts';
import { signAssertion } from './oauth2-assertion.ts';
import { sendFollowing } from './redirects.ts';

export type OAuth2Config = NonNullable<HttpConfig['oauth2']>;

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** A token is not used this shortly before it expires, for the time of the request. */
const MARGIN_MS = 10_000;

interface Token {
  /** For the header `authorization`. */
  readonly value: string;
  readonly expiresAt: number;
  /** The secret that it was requested with; a changed secret file requires a new token. */
  readonly secret: string;
}

interface Parts {
  readonly transport: SendsRequests;
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
  readonly userAgent: string;
}

/** Keeps a token until it expires. Grants: client credentials (RFC 6749, 4.4) and signed assertions (RFC 7523). */
export class TokenSource {
  readonly #config: OAuth2Config;
  readonly #parts: Parts;
  #token: Token | undefined;
  #pending: { readonly promise: Promise<Token>; readonly secret: string; readonly signal: AbortSignal } | undefined;
  /** How the server wants the client's credentials; detected with the first token. */
  #style: 'header' | 'body' | undefined;

  constructor(config: OAuth2Config, parts: Parts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** The value of the header. Rejects when no token can be obtained. */
  async authorization(signal: AbortSignal): Promise<string> {
    const secret = await this.#readSecret();
    for (;;) {
      const token = this.#token;
      if (token && token.secret === secret && this.#parts.clock.now() < token.expiresAt) return token.value;
      const pending = this.#ask(secret, signal);
      try {
        return (await pending.promise).value;
      } catch (error) {
        // Another caller aborted the shared request for a token; this one goes on.
        if (pending.signal === signal || !pending.signal.aborted || signal.aborted) throw error;
      }
    }
  }

  /** The server refused it: the next request gets a new one. */
  forget(value: string): void {
    if (this.#token?.value === value) this.#token = undefined;
  }

  #readSecret(): Promise<string> {
    const { grantType, clientSecret, clientSecretFile, clientCertificateKey, clientCertificateKeyFile } = this.#config;
    const { readSecret } = this.#parts;
    return grantType === JWT_BEARER
      ? readText('oauth2 client certificate key', clientCertificateKey, clientCertificateKeyFile, readSecret)
      : readText('oauth2 client secret', clientSecret, clientSecretFile, readSecret);
  }

  /** Concurrent callers share one request for a token. */
  #ask(secret: string, signal: AbortSignal) {
    if (this.#pending?.secret === secret) return this.#pending;
    const promise = this.#fetch(secret, signal).then((token) => {
      this.#token = token;
      return token;
    });
    const pending = { promise, secret, signal };
    this.#pending = pending;
    const done = () => {
      if (this.#pending === pending) this.#pending = undefined;
    };
    promise.then(done, done);
    return pending;
  }

  async #fetch(secret: string, signal: AbortSignal): Promise<Token> {
    if (this.#config.grantType === JWT_BEARER) {
      const assertion = signAssertion(this.#config, secret, this.#parts.clock.now());
      return this.#request({ grant_type: JWT_BEARER, assertion }, undefined, secret, signal);
    }
    const style = this.#style ?? 'header';
    try {
      const token = await this.#requestWithSecret(style, secret, signal);
      this.#style = style;
      return token;
    } catch (error) {
      if (this.#style || signal.aborted || !(error instanceof HttpClientError)) throw error;
      const token = await this.#requestWithSecret('body', secret, signal);
      this.#style = 'body';
      return token;
    }
  }

  #requestWithSecret(style: 'header' | 'body', secret: string, signal: AbortSignal): Promise<Token> {
    const clientId = this.#config.clientId ?? '';
    const form = { grant_type: 'client_credentials' };
    if (style === 'header')
      return this.#request(form, basicToken(escapeForm(clientId), escapeForm(secret)), secret, signal);
    return this.#request({ ...form, client_id: clientId, client_secret: secret }, undefined, secret, signal);
  }

  async #request(
    form: Readonly<Record<string, string>>,
    authorization: string | undefined,
    secret: string,
    signal: AbortSignal,
  ): Promise<Token> {
    const { transport, userAgent, clock } = this.#parts;
    const headers = createHeaders({ 'user-agent': userAgent, 'content-type': 'application/x-www-form-urlencoded' });
    if (authorization !== undefined) setHeader(headers, 'authorization', authorization);
    const url = new URL(this.#config.tokenUrl ?? '');
    const body = this.#encode(form);
    const answer = await sendFollowing(transport, { method: 'POST', url, headers, body, signal });
    const { value, lifetimeS } = readToken(answer, [
      secret,
      form.assertion ?? '',
      authorization?.replace(/^Basic /, '') ?? '',
    ]);
    // Without a lifetime it never expires; an expired one still serves the waiting request.
    const expiresAt = lifetimeS !== 0 ? clock.now() + lifetimeS * 1000 - MARGIN_MS : Number.POSITIVE_INFINITY;
    return { value, expiresAt, secret };
  }

  /** The configuration may replace only the parameter `grant_type`, for servers with a name of their own. */
  #encode(form: Readonly<Record<string, string>>): string {
    const { scopes, endpointParams } = this.#config;
    const fields = { ...form, ...(scopes.length > 0 ? { scope: scopes.join(' ') } : {}) };
    const taken = Object.keys(endpointParams).find((name) => name !== 'grant_type' && Object.hasOwn(fields, name));
    if (taken !== undefined) throw new HttpClientError(`oauth2: cannot overwrite parameter "${taken}"`);
    return new URLSearchParams({ ...fields, ...endpointParams }).toString();
  }
}

const escapeForm = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

/** Reads the answer of a token endpoint, JSON or a form. An error names the server's reason, never a token or a secret. */
function readToken(
  { status, headers, text }: HttpAnswer,
  secrets: readonly string[],
): { value: string; lifetimeS: number } {
  const fields = readFields(headers.get('content-type') ?? '', text);
  const reason = [fields?.error, fields?.error_description].filter((part) => typeof part === 'string' && part !== '');
  if (status < 200 || status > 299 || reason.length > 0) {
    const said = [`status ${status}`, ...reason].join(': ');
    throw new HttpClientError(`oauth2: cannot fetch token: ${hideSecrets(said, secrets)}`);
  }
  if (!fields) throw new HttpClientError('oauth2: cannot fetch token: the answer is neither JSON nor a form');
  const token = fields.access_token;
  if (typeof token !== 'string' || token === '')
    throw new HttpClientError('oauth2: server response missing access_token');
  return { value: `${tokenType(fields.token_type)} ${token}`, lifetimeS: Number(fields.expires_in ?? 0) || 0 };
}

function readFields(contentType: string, text: string): Readonly<Record<string, unknown>> | undefined {
  if (/^(application\/x-www-form-urlencoded|text\/plain)\b/.test(contentType)) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  try {
    const fields: unknown = JSON.parse(text);
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function tokenType(type: unknown): string {
  if (typeof type !== 'string' || type === '' || /^bearer$/i.test(type)) return 'Bearer';
  if (/^mac$/i.test(type)) return 'MAC';
  return /^basic$/i.test(type) ? 'Basic' : type;
}
