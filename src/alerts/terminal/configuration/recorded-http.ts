import type { Clock } from '../../../kernel/clock.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { HttpAnswer, HttpClient, HttpRequest } from '../../integrations/notifier.ts';

/** A request with its answer or error; with neither when it was only recorded. */
export interface Exchange {
  readonly request: Omit<HttpRequest, 'signal'>;
  readonly answer?: { readonly status: number; readonly text: string };
  readonly error?: string;
  readonly durationMs: number;
}

/** Sends through another client and records the exchanges. */
export function recordHttp(client: HttpClient, exchanges: Exchange[], clock: Clock): HttpClient {
  return {
    async send(request) {
      const startedAt = clock.now();
      const keep = (came: Partial<Exchange>) =>
        exchanges.push({ request: withoutSignal(request), durationMs: clock.now() - startedAt, ...came });
      try {
        const answer = await client.send(request);
        keep({ answer: { status: answer.status, text: answer.text } });
        return answer;
      } catch (error) {
        keep({ error: messageOf(error) });
        throw error;
      }
    },
  };
}

function withoutSignal({ signal: _, ...request }: HttpRequest): Omit<HttpRequest, 'signal'> {
  return request;
}

/**
 * An answer that every integration takes for a success: with a token for WeChat and the issues for Jira, so that requests
 * after the first are recorded as well.
 */
const SUCCESS: HttpAnswer = {
  status: 200,
  headers: { get: () => null },
  text: JSON.stringify({
    ok: true,
    success: true,
    errcode: 0,
    access_token: 'token',
    issues: [],
    transitions: [],
    result: 'ok',
  }),
};

/** Ends an integration that would repeat its request until it gets another answer. */
const MAX_REQUESTS = 10;

/** Sends nothing: records the requests and answers each with a success. */
export function recordOnly(exchanges: Exchange[]): HttpClient {
  return {
    async send(request) {
      if (exchanges.length >= MAX_REQUESTS) throw new Error(`the drill ends after ${MAX_REQUESTS} requests`);
      exchanges.push({ request: withoutSignal(request), durationMs: 0 });
      return SUCCESS;
    },
  };
}
