import assert from 'node:assert/strict';
import type { HttpSink, SinkAnswer } from '../../testing/http/sink.ts';
import { ConfigFault, ConfigNode } from '../config/config-node.ts';
import { DEFAULT_GLOBAL, type GlobalConfig } from '../config/global-config.ts';
import type { Notification } from '../domain/notification.ts';
import type { Delivery, Integration, NotifierContext } from '../integrations/notifier.ts';
import { notificationOf, notifiedAlert, notifierContext } from './notifier-parts.ts';

/** An integration's configuration, read from YAML and completed; fails if that is refused. */
export function configOf<C>(integration: Integration<C>, yaml: string, global: Partial<GlobalConfig> = {}): C {
  const completed = integration.complete(integration.kind.read(ConfigNode.parse(yaml)), {
    ...DEFAULT_GLOBAL,
    ...global,
  });
  assert.ok(completed.ok, completed.ok ? '' : completed.reason);
  return completed.value;
}

/** The refusal of a configuration, with the line if reading refuses it. */
export function refusalOf<C>(
  integration: Integration<C>,
  yaml: string,
  global: Partial<GlobalConfig> = {},
): string | undefined {
  try {
    const completed = integration.complete(integration.kind.read(ConfigNode.parse(yaml)), {
      ...DEFAULT_GLOBAL,
      ...global,
    });
    return completed.ok ? undefined : completed.reason;
  } catch (error) {
    if (error instanceof ConfigFault) return error.message;
    throw error;
  }
}

/** A printed configuration, and the configuration read from it. */
export function printedOf<C>(integration: Integration<C>, config: C): { printed: unknown; again: C } {
  const printed = integration.kind.print(config);
  return { printed, again: integration.kind.read(ConfigNode.parse(JSON.stringify(printed))) };
}

/** Makes a notifier from YAML and sends one notification; by default of a firing alert. */
export async function notifyOnce<C>(
  integration: Integration<C>,
  yaml: string,
  {
    notification = notificationOf([notifiedAlert({ alertname: 'Down' })]),
    context = {},
    signal = new AbortController().signal,
  }: {
    notification?: Notification;
    context?: Partial<NotifierContext>;
    signal?: AbortSignal;
  } = {},
): Promise<Delivery> {
  const notifier = integration.create(configOf(integration, yaml), notifierContext(context));
  return notifier.notify(notification, signal);
}

/** The JSON body of a request; by default of the first. */
export function sentJson(sink: HttpSink, index = 0): Readonly<Record<string, unknown>> {
  const request = sink.requests[index];
  assert.ok(request, `there is no request ${index}`);
  return request.json as Record<string, unknown>;
}

/** Failures of services, with the result of a notifier that retries only 5xx. */
export const FAILING_ANSWERS: readonly {
  readonly name: string;
  readonly answer: SinkAnswer;
  readonly expected: { readonly retry: boolean; readonly reason: string; readonly retryAfterMs?: number };
}[] = [
  { name: '400', answer: { status: 400, body: 'no' }, expected: { retry: false, reason: 'clientError' } },
  { name: '401', answer: { status: 401, body: 'no' }, expected: { retry: false, reason: 'authError' } },
  {
    name: '429 with Retry-After',
    answer: { status: 429, body: 'no', headers: { 'retry-after': '7' } },
    expected: { retry: false, reason: 'rateLimited', retryAfterMs: 7000 },
  },
  { name: '500', answer: { status: 500, body: 'no' }, expected: { retry: true, reason: 'serverError' } },
  { name: '503', answer: { status: 503, body: 'no' }, expected: { retry: true, reason: 'serverError' } },
  { name: 'a cut connection', answer: 'reset', expected: { retry: true, reason: 'other' } },
];
