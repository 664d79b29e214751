import { messageOf, systemCodeOf } from '../errors.ts';

/** A request that the client itself refuses to send; the text holds no secret. */
export class HttpClientError extends Error {
  override readonly name = 'HttpClientError';
}

const NOT_SENT = 'the request could not be sent';

const HTTP2_BROKEN = 'the server broke off the HTTP/2 exchange';

/** What the codes of failed requests mean, for people. */
export const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the other side',
  EPIPE: 'connection closed by the other side',
  UND_ERR_SOCKET: 'connection closed by the other side',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'name resolution failed for the moment',
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'network not reachable',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
  ERR_HTTP2_STREAM_ERROR: HTTP2_BROKEN,
  ERR_HTTP2_STREAM_CANCEL: HTTP2_BROKEN,
  ERR_HTTP2_SESSION_ERROR: HTTP2_BROKEN,
  ERR_HTTP2_GOAWAY_SESSION: HTTP2_BROKEN,
  ERR_HTTP2_INVALID_SESSION: HTTP2_BROKEN,
  // Of undici, and of a request only over HTTP/2.
  UND_ERR_INFO: HTTP2_BROKEN,
  ERR_HTTP2_ERROR: 'the answer is not HTTP/2',
  UND_ERR_HEADERS_TIMEOUT: 'the proxy does not answer',
  UND_ERR_PRX_CONN: 'the proxy closed the connection',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  // A header with invalid characters.
  UND_ERR_INVALID_ARG: NOT_SENT,
  UND_ERR_DESTROYED: 'the client is closed',
  UND_ERR_CLOSED: 'the client is closed',
  CERT_HAS_EXPIRED: 'TLS: the certificate has expired',
  CERT_NOT_YET_VALID: 'TLS: the certificate is not yet valid',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'TLS: the certificate signed itself and is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'TLS: the certificate is signed by an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'TLS: the certificate is signed by an authority that is not known',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'TLS: the certificate is signed by an authority that is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another host',
};

/** Why no answer came, without the URL and headers, which may be secrets. */
export function describeFailure(error: unknown): string {
  for (const part of chainOf(error)) {
    if (part instanceof Error && part.name === 'HTTPParserError') return 'the answer is not HTTP';
    const proxyStatus = /^Proxy (?:response|Authentication Required) \((\d+)\)/.exec(messageOf(part))?.[1];
    if (proxyStatus !== undefined) return `the proxy refused the connection with status ${proxyStatus}`;
    const code = systemCodeOf(part);
    if (code === undefined) continue;
    const cause = CAUSES[code];
    if (cause !== undefined) return cause;
    if (code.startsWith('ERR_SSL_') || code === 'EPROTO') return `TLS: ${describeSsl(part, code)}`;
  }
  return describeOther(error);
}

/** An error, then its causes: both families of addresses may have been tried. */
function chainOf(error: unknown): readonly unknown[] {
  const parts: unknown[] = [];
  for (let part = error; part !== undefined && parts.length < 8; ) {
    parts.push(part);
    if (part instanceof AggregateError) parts.push(...part.errors);
    part = part instanceof Error ? part.cause : undefined;
  }
  return parts;
}

/** OpenSSL's text: `…:error:0A000410:SSL routines::sslv3 alert handshake failure:…` */
function describeSsl(error: unknown, code: string): string {
  return /SSL routines:[^:]*:([^:]+)/.exec(messageOf(error))?.[1] ?? code;
}

/** Texts of other libraries may quote the request. */
function describeOther(error: unknown): string {
  if (error instanceof HttpClientError) return error.message;
  const code = systemCodeOf(error);
  return code === undefined ? NOT_SENT : `${NOT_SENT} (${code})`;
}
