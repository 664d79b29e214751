import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { test } from 'node:test';
import { AUTHORITY } from '../../kernel/testdata/tls-certificates.ts';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { startSecureSink } from '../../testing/http/http2-sink.ts';
import { configFile, Janitor, startOpsdeck } from '../../testing/processes.ts';

const GROUPS = 20;

test('the executable notifies over HTTP/2 and repeats what failed, under the same key', async (t) => {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const sink = await startSecureSink(janitor, {
    answer: (response, _, index) => {
      if (index === 0) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      else if (index === 1) response.stream.session?.destroy();
      else response.end();
    },
  });
  const config = configFile(
    janitor,
    `global: {http_config: {tls_config: {ca: ${JSON.stringify(AUTHORITY)}}}}
route: {receiver: secure, group_by: [n], group_wait: 0s, group_interval: 1h}
receivers: [{name: secure, webhook_configs: [{url: "${sink.url}/hook"}]}]`,
  );
  const server = await startOpsdeck(janitor, ['--config.file', config]);
  const client = new PlainClient(janitor, server.url);
  const alerts = Array.from({ length: GROUPS }, (_, n) => ({ labels: { alertname: 'Http2', n: String(n) } }));
  assert.equal((await client.post('/api/v2/alerts', alerts)).status, 200);
  const groupsOf = () => new Set(sink.requests.slice(2).map(({ body }) => JSON.parse(body).groupKey as string));
  await eventually('every group is notified', async () => groupsOf().size === GROUPS);
  assert.deepEqual(new Set(sink.requests.map(({ version }) => version)), new Set(['2.0']));
  const keyOf = (index: number) => String(sink.requests[index]?.headers['idempotency-key']);
  for (const index of [0, 1]) {
    const body = sink.requests[index]?.body;
    const later = sink.requests.findIndex((request, at) => at > 1 && request.body === body);
    assert.equal(keyOf(index), keyOf(later));
  }
});
