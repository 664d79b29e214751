import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigNode } from '../config/config-node.ts';
import { globalConfig } from '../config/global-config.ts';
import type { HttpConfig } from '../config/http-config.ts';
import type { Notification, NotifiedAlert } from '../domain/notification.ts';
import { notificationOf, notifiedAlert, notifierContext, resolvedAlert } from '../testing/notifier-parts.ts';
import { INTEGRATIONS } from './integrations.ts';
import type { HttpRequest, Integration } from './notifier.ts';
import measured from './testdata/requests.json' with { type: 'json' };

// What Alertmanager 0.34.2 sends for the same configuration and the same alerts, byte by byte. Its default templates
// were replaced by their names in angle brackets.

interface Measured {
  readonly name: string;
  readonly key: string;
  readonly config: string;
  readonly global?: string;
  readonly alerts: readonly string[];
  readonly answer: { readonly status: number; readonly type: string; readonly body: string };
  readonly kept?: Readonly<Record<string, string>>;
  readonly keptAfter?: Readonly<Record<string, string>>;
  readonly requests: readonly Readonly<Record<'method' | 'url' | 'type' | 'authorization' | 'body', string>>[];
  readonly retry?: boolean;
  readonly error?: string;
}

const STARTED_AT = Date.parse('2026-01-01T00:00:00Z');
const FINGERPRINTS = ['a780c0808e2d3e93', 'a77cc0808e2955bc', 'a778c0808e256ce5'];

function sampleAlert(status: string, index: number): NotifiedAlert {
  const create = status === 'firing' ? notifiedAlert : resolvedAlert;
  return create(
    { alertname: 'Down', instance: `i${index + 1}` },
    {
      annotations: { summary: 'a <b> & "c"', text: '\u2028ü' },
      startsAt: STARTED_AT + index * 1500,
      generatorURL: 'http://prometheus.example.org/graph?g0.expr=up&x=<y>',
      fingerprint: FINGERPRINTS[index] as string,
    },
  );
}

function sampleNotification({ alerts, kept = {} }: Measured): Notification {
  return notificationOf(alerts.map(sampleAlert), {
    receiver: 'team.a',
    routeLabels: { team: 'a' },
    receiverData: kept,
  });
}

/** Sends as configured, to no server; returns the requests. */
async function send(one: Measured) {
  const integration = INTEGRATIONS.find(({ key }) => key === one.key) as Integration;
  const config = integration.kind.read(ConfigNode.parse(one.config.replace('BIG', 'y'.repeat(512_000))));
  const completed = integration.complete(config, globalConfig.read(ConfigNode.parse(one.global ?? '{}')));
  assert.ok(completed.ok, completed.ok ? '' : completed.reason);
  const requests: (HttpRequest & { readonly http: HttpConfig | undefined })[] = [];
  const context = notifierContext({
    openHttp: (http) => ({
      async send(request) {
        requests.push({ ...request, http });
        const { status, type, body } = one.answer;
        return { status, headers: new Headers(type ? { 'content-type': type } : {}), text: body };
      },
    }),
  });
  const notifier = integration.create(completed.value, context);
  const delivery = await notifier.notify(sampleNotification(one), new AbortController().signal);
  return { delivery, requests };
}

function authorizationOf({ headers, http }: HttpRequest & { readonly http: HttpConfig | undefined }): string {
  const configured = http?.authorization;
  return headers?.authorization ?? (configured ? `${configured.type} ${configured.credentials}` : '');
}

for (const one of measured.cases as readonly Measured[]) {
  test(`as Alertmanager: ${one.name}`, async () => {
    const { delivery, requests } = await send(one);
    assert.deepEqual(
      requests.map((request) => ({
        method: request.method,
        url: request.url,
        type: request.headers?.['content-type'],
        authorization: authorizationOf(request),
        body: request.body,
      })),
      one.requests,
    );
    if (delivery.ok) {
      assert.equal(one.error, undefined);
      assert.deepEqual({ ...one.kept, ...delivery.receiverData }, { ...one.kept, ...one.keptAfter });
    } else {
      // The position of the JSON error is not compared.
      const error = one.error?.replace(/: unexpected end of JSON input$/, '');
      assert.deepEqual({ retry: delivery.retry, error: delivery.error }, { retry: one.retry, error });
    }
  });
}
