import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../testing/app.ts';
import { settlePromises } from '../testing/pipeline/parts.ts';

const CONFIG = `
route: {receiver: pager, group_by: [alertname], group_wait: 10s, group_interval: 1m}
receivers:
  - name: pager
    webhook_configs: [{url: "http://pager/s3cr3t"}, {url: "http://other/"}]
  - name: unused
    webhook_configs: [{url: "http://unused/"}]
`;

/** A server whose first webhook answers with `status`; undefined refuses the connection. */
async function start(t: Parameters<typeof createTestApp>[0]) {
  const answer: { status: number | undefined } = { status: 404 };
  const app = createTestApp(t, {
    config: CONFIG,
    openHttp: () => ({
      async send({ url }) {
        const status = url.includes('pager') ? answer.status : 200;
        if (status === undefined) throw new Error('connection refused');
        return { status, headers: new Headers(), text: '' };
      },
      close: async () => {},
    }),
  });
  await app.startDispatching();
  const advance = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      app.clock.advance(1_000);
      await settlePromises();
    }
  };
  const post = (...names: string[]) =>
    app.post(
      '/api/v2/alerts',
      names.map((alertname) => ({ labels: { alertname }, endsAt: '2026-01-01T12:00:00Z' })),
    );
  const failing = async () => {
    const [pager] = (await app.get('/api/v2/integrations')).json as { failing?: object }[];
    return pager?.failing;
  };
  const ready = async () => (await app.get('/-/ready')).text;
  return { app, answer, advance, post, failing, ready };
}

const since = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;

test('GET /api/v2/integrations: counts of every integration in use, and the groups that one has not accepted', async (t) => {
  const { app, advance, post } = await start(t);
  await post('Down', 'Full');
  await advance(11);
  const answer = await app.get('/api/v2/integrations');
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, [
    {
      ...{ receiver: 'pager', integration: 'webhook', index: 0, sent: 0, failed: 2, lastFailedAt: since(10) },
      failing: { groups: 2, since: since(10), error: 'unexpected status code 404' },
    },
    { receiver: 'pager', integration: 'webhook', index: 1, sent: 2, failed: 0, lastSentAt: since(10) },
  ]);
  assert.doesNotMatch(answer.text, /s3cr3t/);
});

test('/-/ready names failing notifications until they are accepted', async (t) => {
  const { answer, advance, post, failing, ready } = await start(t);
  await post('Down', 'Full');
  await advance(11);
  assert.equal(
    await ready(),
    `OK, but notifications fail: pager (webhook[0]) has not accepted 2 groups since ${since(10)}: unexpected status code 404`,
  );
  answer.status = 200;
  await advance(60);
  assert.equal(await failing(), undefined);
  assert.equal(await ready(), 'OK');
});

test('a notification that is being retried fails after 30 seconds, counted from its first attempt', async (t) => {
  const { answer, advance, post, failing } = await start(t);
  answer.status = undefined;
  await post('Down');
  await advance(35);
  assert.equal(await failing(), undefined);
  await advance(6);
  const { error, ...rest } = (await failing()) as { error: string };
  assert.deepEqual(rest, { groups: 1, since: since(10) });
  assert.match(error, /connection refused/);
  // The next flushes fail as well; the beginning stays.
  await advance(300);
  assert.deepEqual({ ...(await failing()), error }, { ...rest, error });
});

test('a group whose alerts are silenced does not count as failing', async (t) => {
  const { app, advance, post, failing } = await start(t);
  await post('Down', 'Full');
  await advance(11);
  const silenced = await app.post('/api/v2/silences', {
    matchers: [{ name: 'alertname', value: 'Down', isRegex: false }],
    startsAt: '2026-01-01T00:00:00Z',
    endsAt: '2026-01-01T10:00:00Z',
    createdBy: 'ann',
    comment: 'works',
  });
  assert.equal(silenced.status, 200);
  assert.deepEqual(await failing(), { groups: 1, since: since(10), error: 'unexpected status code 404' });
});
