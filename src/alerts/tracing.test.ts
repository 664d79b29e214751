import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLog } from '../kernel/log.ts';
import { AUTHORITY, SERVER } from '../kernel/testdata/tls-certificates.ts';
import { FakeClock } from '../testing/fake/clock.ts';
import { startOtlpSink } from '../testing/http/otlp-sink.ts';
import { temporaryFolder } from '../testing/processes.ts';
import { readConfig } from './config/alertmanager-config.ts';
import { Tracing } from './tracing.ts';

/** Applies tracing sections, whose paths are relative to a folder. */
function openTracing(t: TestContext) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const folder = temporaryFolder(t);
  const tracing = new Tracing({ clock, log, environment: {} });
  const apply = async (section: string) => {
    const text = `route: {receiver: r}\nreceivers: [{name: r}]\n${section && `tracing: {${section}}`}`;
    const config = readConfig(text, { folder, matcherMode: 'fallback' });
    if (!config.ok) throw new Error(config.reason);
    await tracing.apply(config.value.tracing);
    return config.value.warnings;
  };
  return { tracing, apply, lines, folder };
}

test('a collector is reached over TLS, with headers from files beside the configuration', async (t) => {
  const sink = await startOtlpSink(t, undefined, SERVER);
  const { tracing, apply, lines, folder } = openTracing(t);
  writeFileSync(join(folder, 'ca.pem'), AUTHORITY);
  writeFileSync(join(folder, 'token'), 's3cr3t\n');
  const headers = 'headers: {Authorization: {files: [token]}, X-Tenant: {values: [a], secrets: [b]}}';
  const section = `client_type: http, endpoint: "${sink.endpoint}", sampling_fraction: 1`;
  await assert.rejects(apply(`${section}, ${headers}`), /setting header "Authorization" is not allowed/);
  const token = headers.replace('Authorization', 'X-Token');
  const warnings = await apply(`${section}, tls_config: {ca_file: ca.pem}, ${token}`);
  tracing.tracer?.start('one').end();
  await tracing.stop();
  assert.deepEqual([warnings, lines, sink.spans.length], [[], [], 1]);
  const [request] = sink.requests;
  assert.deepEqual([request?.headers['x-token'], request?.headers['x-tenant']], ['s3cr3t', 'a, b']);
});

test('an unchanged section keeps its tracer, a changed one replaces it, an absent one ends it', async (t) => {
  const { tracing, apply } = openTracing(t);
  const section = 'client_type: http, endpoint: "127.0.0.1:1", insecure: true';
  await apply(section);
  const first = tracing.tracer;
  assert.ok(first);
  await apply(section);
  assert.equal(tracing.tracer, first);
  await apply(`${section}, timeout: 3s`);
  assert.ok(tracing.tracer && tracing.tracer !== first);
  await apply('');
  assert.equal(tracing.tracer, undefined);
});

test('over gRPC nothing is traced, and a warning names HTTP', async (t) => {
  const { tracing, apply } = openTracing(t);
  const warnings = await apply('endpoint: "collector:4317"');
  assert.equal(tracing.tracer, undefined);
  assert.deepEqual(warnings, [
    'line 3: tracing over gRPC has no effect: write client_type: http and the OTLP/HTTP endpoint',
  ]);
});

for (const endpoint of ['http://collector:4318', 'collector:4318/v1/traces', 'user:p4ss@collector:1', 'a b']) {
  test(`an endpoint with more than host and port is reported, and nothing is traced: ${endpoint}`, async (t) => {
    const { tracing, apply, lines } = openTracing(t);
    await apply(`client_type: http, endpoint: ${JSON.stringify(endpoint)}`);
    assert.equal(tracing.tracer, undefined);
    assert.match(lines.join(''), /level=ERROR msg="no traces are sent: the endpoint of tracing must be host:port/);
    assert.doesNotMatch(lines.join(''), /p4ss/);
  });
}
