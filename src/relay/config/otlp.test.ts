import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Variables } from '../../kernel/settings/settings.ts';
import { loaded, problemsOf } from '../testing/config.ts';
import type { OtlpOptions } from './relay-options.ts';

const DEFAULTS: OtlpOptions = {
  url: 'http://localhost:4318/v1/metrics',
  isJson: false,
  isCompressed: false,
  headers: {},
  timeoutMs: 10_000,
  intervalMs: 60_000,
  resource: { 'service.name': 'ld-relay' },
};
const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318/base/' };
const url = 'https://collector:4318/base/v1/metrics';

const rows: readonly [what: string, variables: Variables, otlp: Partial<OtlpOptions> | undefined][] = [
  ['nothing', {}, undefined],
  ['the switch alone', { USE_OTLP: 'true' }, {}],
  ['an endpoint alone', ENDPOINT, { url }],
  ['an endpoint, turned off', { ...ENDPOINT, USE_OTLP: 'false' }, undefined],
  ['no exporter of metrics', { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'none' }, undefined],
  ['several exporters', { ...ENDPOINT, OTEL_METRICS_EXPORTER: 'console, otlp' }, { url }],
  ['an endpoint of metrics', { ...ENDPOINT, OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m/x' }, { url: 'http://m/x' }],
  ['JSON', { USE_OTLP: '1', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, { isJson: true }],
  [
    'JSON for metrics',
    {
      USE_OTLP: '1',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/json',
    },
    { isJson: true },
  ],
  ['gzip', { USE_OTLP: '1', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' }, { isCompressed: true }],
  [
    'headers',
    {
      USE_OTLP: '1',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%2Cb, x=1',
      OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'x=2',
    },
    { headers: { 'api-key': 'a,b', x: '2' } },
  ],
  [
    'times',
    { USE_OTLP: '1', OTEL_EXPORTER_OTLP_TIMEOUT: '2000', OTEL_METRIC_EXPORT_INTERVAL: '5000' },
    { timeoutMs: 2_000, intervalMs: 5_000 },
  ],
  [
    'a resource',
    { USE_OTLP: '1', OTEL_RESOURCE_ATTRIBUTES: 'service.name=a,zone=b', OTEL_SERVICE_NAME: 'c' },
    { resource: { 'service.name': 'c', zone: 'b' } },
  ],
];
for (const [what, variables, otlp] of rows)
  test(`OTLP, given ${what}`, () => {
    assert.deepEqual(loaded({ variables }).options.otlp, otlp && { ...DEFAULTS, ...otlp });
  });

test('OTLP in a file', () => {
  const file = '[OpenTelemetry]\nenabled = true\nendpoint = http://c:1\nheaders = a=b\n';
  assert.deepEqual(loaded({ file }).options.otlp, { ...DEFAULTS, url: 'http://c:1/v1/metrics', headers: { a: 'b' } });
});

const mistakes: readonly [variables: Variables, mistake: string][] = [
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' },
    'OTEL_EXPORTER_OTLP_ENDPOINT: write a URL without a password, such as http://localhost:4318',
  ],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://u:s3cr3t@c' },
    'OTEL_EXPORTER_OTLP_ENDPOINT: write a URL without a password, such as http://localhost:4318',
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    "OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not spoken: write http/protobuf, and the collector's port for it, usually 4318",
  ],
  [
    { ...ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS: 's3cr3t' },
    'OTEL_EXPORTER_OTLP_HEADERS: write name=value, several with commas between them, and % signs as %25',
  ],
  [{ ...ENDPOINT, OTEL_METRIC_EXPORT_INTERVAL: '5s' }, 'OTEL_METRIC_EXPORT_INTERVAL: write milliseconds, at least 100'],
];
for (const [variables, mistake] of mistakes) {
  test(`OTLP: ${JSON.stringify(variables)} is refused if it is turned on`, () => {
    assert.deepEqual(problemsOf({ variables: { ...variables, USE_OTLP: 'true' } }), [mistake]);
  });

  test(`OTLP: ${JSON.stringify(variables)} may be meant for others, and is a warning`, () => {
    const { options, warnings } = loaded({ variables });
    assert.deepEqual([options.otlp, warnings[0]], [undefined, `no metrics are sent: ${mistake}`]);
  });
}
