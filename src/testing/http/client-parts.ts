import type { ConnectionOptions } from '../../kernel/http-client/connections.ts';
import { HttpAnswer } from '../../kernel/http-client/exchange.ts';
import { HttpClient } from '../../kernel/http-client/http-client.ts';
import type { Cleanup } from '../processes.ts';

/** A client, closed after the test. */
export function openHttpClient(t: Cleanup, options: ConnectionOptions = {}): HttpClient {
  const http = new HttpClient({ connectTimeoutMs: 3000, ...options });
  t.after(() => http.close());
  return http;
}

/** A response as returned by the HTTP client. */
export function httpAnswer(status: number, body = '', headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return new HttpAnswer(status, new Headers(headers), Buffer.from(body));
}
