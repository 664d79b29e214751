import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTestApp } from '../testing/app.ts';

for (const prefix of ['/am', '/tools/alertmanager']) {
  test(`with the prefix ${prefix} everything is below it`, async (t) => {
    const app = createTestApp(t, { routePrefix: prefix });
    const found = [
      '/',
      '/api/v2/status',
      '/api/v2/alerts',
      '/api/v2/alerts/groups',
      '/api/v2/silences',
      '/api/v2/receivers',
      '/alerts',
      '/silences',
      '/metrics',
      '/-/healthy',
      '/-/ready',
    ];
    for (const path of found) assert.equal((await app.get(prefix + path)).status, 200, path);
    assert.equal((await app.get(`${prefix}/api/v1/alerts`)).status, 410);
    assert.equal((await app.send('POST', `${prefix}/-/reload`)).status, 200);
    assert.equal((await app.post(`${prefix}/api/v2/alerts`, '[{"labels":{"a":"b"}}]')).status, 200);
    assert.match((await app.get(`${prefix}/alerts`)).text, /"labels":\{"a":"b"\}/);
  });

  test(`with the prefix ${prefix} nothing is outside it, except a redirect from / to the page`, async (t) => {
    const app = createTestApp(t, { routePrefix: prefix });
    for (const path of ['/api/v2/status', '/alerts', '/metrics', '/-/healthy', '/api/v1/alerts', `${prefix}x/alerts`]) {
      const answer = await app.get(path);
      assert.deepEqual([answer.status, answer.text], [404, '404 page not found\n'], path);
    }
    let at = '/';
    for (let steps = 0; steps < 3; steps++) {
      const answer = await app.get(at);
      if (answer.status === 200) break;
      assert.equal(answer.status, 302, at);
      at = answer.headers.get('location') ?? '';
    }
    assert.equal(at, `${prefix}/`);
    assert.equal((await app.get(at)).text, '<p>the page</p>');
  });
}

test('with a prefix an unknown path is named without it', async (t) => {
  const app = createTestApp(t, { routePrefix: '/am' });
  const answer = await app.get('/am/api/v2/nowhere');
  assert.deepEqual([answer.status, answer.json], [404, { code: 404, message: 'path /api/v2/nowhere was not found' }]);
});
