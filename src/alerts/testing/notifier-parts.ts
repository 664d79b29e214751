import { FakeClock } from '../../testing/fake/clock.ts';
import { ConfigNode } from '../config/config-node.ts';
import { httpConfig } from '../config/http-config.ts';
import type { Notification, NotifiedAlert, Pairs } from '../domain/notification.ts';
import { createHttpClient, type HttpClientDeps, type OpenHttpClient } from '../integrations/http/client.ts';
import type { HttpClient, NotifierContext, TemplateRenderer } from '../integrations/notifier.ts';
import { readSecretFile } from '../integrations/secret-file.ts';
import { templateDataOf } from '../pipeline/notification/data.ts';
import type { TemplateData } from '../template/template-data.ts';

/** An alert with these labels that fires since 2026-01-01T00:00:00Z, with the fingerprint 0123456789abcdef. */
export function notifiedAlert(labels: Pairs, more: Partial<NotifiedAlert> = {}): NotifiedAlert {
  return {
    status: 'firing',
    labels,
    annotations: {},
    startsAt: Date.parse('2026-01-01T00:00:00Z'),
    endsAt: undefined,
    generatorURL: '',
    fingerprint: '0123456789abcdef',
    ...more,
  };
}

export function resolvedAlert(labels: Pairs, more: Partial<NotifiedAlert> = {}): NotifiedAlert {
  return notifiedAlert(labels, { status: 'resolved', endsAt: Date.parse('2026-01-01T00:05:00Z'), ...more });
}

/** A first notification of the group `{}:{alertname="Down"}` for the receiver `team`. */
export function notificationOf(alerts: readonly NotifiedAlert[], more: Partial<Notification> = {}): Notification {
  return {
    receiver: 'team',
    groupKey: '{}:{alertname="Down"}',
    groupLabels: { alertname: 'Down' },
    routeLabels: {},
    alerts,
    reason: 'first notification',
    flushedAt: Date.parse('2026-01-01T00:10:00Z'),
    receiverData: {},
    ...more,
  };
}

/** The sha256 of that group's key. */
export const GROUP_HASH = 'af94c9e8f6a3043625e36c6f472fe6be85ac23a9117184ee4cb7b4ad7401a47e';

/** Renders `{{ template "a.b" . }}` as `<a.b>`, `{{ .Status }}` as the status, and any other text as itself. */
export const fakeTemplates: TemplateRenderer = { text: renderFake, html: renderFake };

function renderFake(template: string, data: TemplateData): string {
  return template
    .replace(/\{\{-? *template "([^"]+)" \.? *-?\}\}/g, '<$1>')
    .replace(/\{\{-? *\.Status *-?\}\}/g, data.status);
}

/** Sends requests as they are, without any configuration. */
export const plainHttp: HttpClient = {
  async send({ method, url, headers = {}, body, signal }) {
    const response = await fetch(url, { method, headers, signal, ...(body === undefined ? {} : { body }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  },
};

/** A client with this `http_config`, closed after the test. */
export function openTestClient(
  t: { after(end: () => Promise<void>): void },
  yaml = '{}',
  more: Partial<HttpClientDeps> = {},
): OpenHttpClient {
  const client = createHttpClient(httpConfig.read(ConfigNode.parse(yaml)), {
    clock: new FakeClock(),
    readSecret: readSecretFile,
    environment: {},
    userAgent: 'Alertmanager/0.34.0',
    ...more,
  });
  t.after(() => client.close());
  return client;
}

/** A context with replaceable parts. */
export function notifierContext(more: Partial<NotifierContext> = {}): NotifierContext {
  const externalUrl = 'http://alerts.example.org';
  return {
    templates: fakeTemplates,
    externalUrl,
    clock: new FakeClock(),
    openHttp: () => plainHttp,
    readSecret: readSecretFile,
    dataOf: (notification) => templateDataOf(notification, externalUrl),
    log: { debug() {}, warn() {}, error() {} },
    ...more,
  };
}
