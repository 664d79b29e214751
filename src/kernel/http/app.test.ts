import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Hono } from 'hono';
import { type HttpContext, type HttpEnv, mountPaths, type PathHandlers } from './app.ts';

const answer = (text: string) => (c: HttpContext) => c.text(text, 200, { 'x-answered-by': text });

function appOf(paths: Readonly<Record<string, PathHandlers>>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  mountPaths(app, paths, (c, allowed) => c.text(`${c.req.method} refused`, 405, { allow: allowed.join(', ') }));
  app.notFound((c) => c.text('nothing here', 404));
  return app;
}

const app = appOf({
  '/read': { GET: answer('get') },
  '/page': { GET: answer('get'), HEAD: answer('head') },
  '/things': { GET: answer('list'), POST: answer('post') },
  '/things/:id': { PUT: (c) => c.text(`put ${c.req.param('id')}`), DELETE: answer('delete') },
  '/probe': { HEAD: answer('probe') },
  '/flags': { REPORT: answer('report'), OPTIONS: answer('options') },
});

const answered: readonly (readonly [method: string, path: string, by: string])[] = [
  ['GET', '/read', 'get'],
  ['GET', '/page', 'get'],
  ['HEAD', '/page', 'head'],
  ['GET', '/things', 'list'],
  ['POST', '/things', 'post'],
  ['DELETE', '/things/7', 'delete'],
  ['HEAD', '/probe', 'probe'],
  ['REPORT', '/flags', 'report'],
  ['OPTIONS', '/flags', 'options'],
];

describe('a path answers the methods of its table', () => {
  for (const [method, path, by] of answered) {
    test(`${method} ${path}`, async () => {
      const response = await app.request(path, { method });
      assert.deepEqual([response.status, response.headers.get('x-answered-by')], [200, by]);
      assert.equal(await response.text(), method === 'HEAD' ? '' : by);
    });
  }

  test('with the parameters of the path', async () => {
    assert.equal(await (await app.request('/things/a%20b', { method: 'PUT' })).text(), 'put a b');
  });
});

const refused: readonly (readonly [method: string, path: string, allow: string])[] = [
  // Hono would hand these two to the handler of GET.
  ['HEAD', '/read', 'GET'],
  ['HEAD', '/things', 'GET, POST'],
  ['POST', '/read', 'GET'],
  ['OPTIONS', '/read', 'GET'],
  ['DELETE', '/page', 'GET, HEAD'],
  ['PATCH', '/things', 'GET, POST'],
  ['GET', '/things/7', 'PUT, DELETE'],
  ['HEAD', '/things/7', 'PUT, DELETE'],
  ['GET', '/probe', 'HEAD'],
  ['PROPFIND', '/things', 'GET, POST'],
  ['GET', '/flags', 'REPORT, OPTIONS'],
];

describe('a path refuses every other method and lists the allowed ones', () => {
  for (const [method, path, allow] of refused) {
    test(`${method} ${path}`, async () => {
      const response = await app.request(path, { method });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, allow]);
      assert.equal(await response.text(), method === 'HEAD' ? '' : `${method} refused`);
    });
  }
});

test('a path outside of the table is left to later handlers', async () => {
  for (const path of ['/', '/reads', '/things/7/parts', '/Read']) {
    assert.equal((await app.request(path)).status, 404, path);
  }
});

test('of two tables the first one mounted decides on a path', async () => {
  const both = appOf({ '/a': { GET: answer('first') } });
  mountPaths(both, { '/a': { GET: answer('second'), POST: answer('second') } }, (c) => c.text('', 405));
  assert.equal(await (await both.request('/a')).text(), 'first');
  assert.equal((await both.request('/a', { method: 'POST' })).status, 405);
});
