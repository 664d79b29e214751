import { type HttpSink, type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import type { Cleanup } from '../../testing/processes.ts';

/** An alert in a webhook's payload. */
export interface WebhookAlert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly fingerprint: string;
}

/** The part of a webhook's payload that tests use. */
export interface WebhookPayload {
  readonly status: 'firing' | 'resolved';
  readonly groupKey: string;
  readonly alerts: readonly WebhookAlert[];
}

export interface WebhookCall {
  /** When it was answered; epoch milliseconds. */
  readonly at: number;
  /** The same moment by `performance.now()`, for measurements. */
  readonly measuredAt: number;
  readonly path: string;
  /** Distinguishes a repeated notification from a new one. */
  readonly idempotencyKey: string;
  /** The payload as it came. */
  readonly body: string;
  readonly payload: WebhookPayload;
}

export interface WebhookSink {
  readonly url: string;
  /** In the order of their answers. */
  readonly calls: readonly WebhookCall[];
  /** Resolves with the n-th call, counted from 1, as soon as it has come. */
  called(ordinal: number): Promise<WebhookCall>;
}

/** A webhook on a free port that records requests and their times; it answers 200 by default. */
export async function startWebhookSink(
  t: Cleanup,
  answer: (call: WebhookCall) => SinkAnswer | Promise<SinkAnswer> = () => ({}),
): Promise<WebhookSink> {
  const calls: WebhookCall[] = [];
  const { url, received }: HttpSink = await startHttpSink(t, ({ path, body, headers }) => {
    const call = {
      at: Date.now(),
      measuredAt: performance.now(),
      path,
      idempotencyKey: String(headers['idempotency-key'] ?? ''),
      body,
      payload: JSON.parse(body) as WebhookPayload,
    };
    calls.push(call);
    return answer(call);
  });
  return {
    url,
    calls,
    async called(ordinal) {
      await received(ordinal);
      return calls[ordinal - 1] as WebhookCall;
    },
  };
}
