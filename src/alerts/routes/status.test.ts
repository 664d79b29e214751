import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../testing/app.ts';

for (const base of ['/api/v2', '']) {
  test(`GET ${base}/status, without authentication: the cluster, the version, the configuration and the start time`, async (t) => {
    const app = createTestApp(t, { cluster: { name: '01ABC', address: '10.0.0.1:9094' } });
    app.clock.advance(60_000);
    const answer = await app.get(`${base}/status`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.ok(answer.text.endsWith('}\n'));
    const { config, ...rest } = answer.json as { config: { original: string } };
    assert.match(config.original, /^global:\n {2}resolve_timeout: 5m\n/);
    assert.match(config.original, /\nroute:\n {2}receiver: default\n {2}group_by:\n {4}- alertname\n/);
    assert.match(config.original, /\nreceivers:\n {2}- name: default\n/);
    assert.deepEqual(rest, {
      cluster: { name: '01ABC', peers: [{ name: '01ABC', address: '10.0.0.1:9094' }], status: 'ready' },
      uptime: '2026-01-01T00:00:00.000Z',
      versionInfo: {
        version: '1.2.3',
        revision: 'r',
        branch: 'b',
        buildUser: 'u',
        buildDate: 'd',
        goVersion: 'g',
      },
    });
  });

  test(`GET ${base}/receivers, without authentication: all receivers in the order of the configuration`, async (t) => {
    const config =
      'route: {receiver: b}\nreceivers: [{name: c}, {name: b, labels: {zone: z, ab: "1"}}, {name: "a/é"}]\n';
    const answer = await createTestApp(t, { config }).get(`${base}/receivers`);
    assert.equal(answer.status, 200);
    assert.equal(
      answer.text,
      '[{"labels":{"name":"c"},"name":"c"},{"labels":{"ab":"1","name":"b","zone":"z"},"name":"b"},' +
        '{"labels":{"name":"a/é"},"name":"a/é"}]\n',
    );
  });
}

test('GET /api/v2/status of a server without a cluster: it is disabled, and has no name', async (t) => {
  const answer = await createTestApp(t).get('/api/v2/status');
  assert.deepEqual((answer.json as { cluster: unknown }).cluster, { peers: [], status: 'disabled' });
});

test('GET /api/v2/receivers with matchers: receivers that satisfy all of them', async (t) => {
  const app = createTestApp(t, { config: 'route: {receiver: a}\nreceivers: [{name: a}, {name: ab}, {name: b}]\n' });
  const cases: readonly (readonly [query: string, names: readonly string[]])[] = [
    ['', ['a', 'ab', 'b']],
    ['?receiver_matchers=name%3D%22a%22', ['a']],
    ['?receiver_matchers=name%3D~%22a.*%22', ['a', 'ab']],
    ['?receiver_matchers=name%3D~%22a.*%22&receiver_matchers=name!%3Da', ['ab']],
    ['?receiver_matchers=owner%3D%22x%22', []],
    ['?receiver_matchers=owner%3D%22%22', ['a', 'ab', 'b']],
    // Not a parameter of this endpoint.
    ['?receiver=b&filter=nonsense', ['a', 'ab', 'b']],
  ];
  for (const [query, names] of cases) {
    const answer = await app.get(`/api/v2/receivers${query}`);
    assert.deepEqual(
      (answer.json as { name: string }[]).map(({ name }) => name),
      names,
      query,
    );
  }
});

test('GET /api/v2/receivers with a bad matcher: 400 and the cause', async (t) => {
  const answer = await createTestApp(t).get('/api/v2/receivers?receiver_matchers=name');
  assert.equal(answer.status, 400);
  assert.equal(answer.text, '"failed to parse receiver_matchers param: bad matcher format: name"\n');
});
