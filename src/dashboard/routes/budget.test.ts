import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/processes.ts';
import { startTestDashboard, writeFiles } from '../testing/app.ts';

test('the budget of a project is unset at first, kept beside its markers, and not a file of the project', async (t) => {
  const { client, folder, get } = await startTestDashboard(t);
  const path = '/api/budget';
  assert.deepEqual(await get(path), { status: 200, json: { monthlyUsd: null } });
  const put = (body: unknown) => client.send({ method: 'PUT', path, body: JSON.stringify(body) });
  for (const bad of [{}, { monthlyUsd: -1 }, { monthlyUsd: '70' }, { monthlyUsd: 1e10 }, [], null, 70]) {
    const { status, body } = await put(bad);
    assert.deepEqual([status, JSON.parse(body).code], [400, 'invalid_budget'], JSON.stringify(bad));
  }
  const file = join(folder, 'data/project-budget.json');
  assert.ok(!existsSync(file));
  for (const monthlyUsd of [12.5, 0]) {
    assert.equal((await put({ monthlyUsd })).status, 200);
    assert.deepEqual((await get(path)).json, { monthlyUsd });
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { monthlyUsd });
  }
  assert.equal((await client.get('/data/project-budget.json')).status, 404);
  await Promise.all([1, 2, 3, 4].map((monthlyUsd) => put({ monthlyUsd })));
  assert.deepEqual(readdirSync(join(folder, 'data')).sort(), ['project-budget.json', 'project-budget.json.bak']);
});

test('a page of another site neither reads nor sets the budget', async (t) => {
  const { client } = await startTestDashboard(t);
  const headers = { Origin: 'https://evil.example' };
  const body = JSON.stringify({ monthlyUsd: 1 });
  for (const method of ['GET', 'PUT'])
    assert.equal((await client.send({ method, path: '/api/budget', headers, body })).status, 403, method);
});

test('a file that holds no budget counts as unset, is reported once without its content, and is replaced', async (t) => {
  const files = { 'data/project-budget.json': 'seventy' };
  const { client, get, log } = await startTestDashboard(t, { files });
  for (let reads = 0; reads < 2; reads++) assert.deepEqual((await get('/api/budget')).json, { monthlyUsd: null });
  assert.deepEqual(log().match(/the budget could not be read.*/g)?.length, 1);
  assert.match(log(), /the file is not JSON/);
  assert.doesNotMatch(log(), /seventy/);
  await client.send({ method: 'PUT', path: '/api/budget', body: '{"monthlyUsd":5}' });
  assert.deepEqual((await get('/api/budget')).json, { monthlyUsd: 5 });
});

test('a budget that cannot be written is refused, and leaves no draft; those of killed servers are removed', async (t) => {
  const dead = 'data/.project-budget.json.0123456789ab.tmp';
  const folder = temporaryFolder(t);
  writeFiles(folder, { 'data/project-budget.json/in-its-place': '', [dead]: '{' });
  utimesSync(join(folder, dead), 0, 0);
  const { client, log } = await startTestDashboard(t, { flags: { project: folder } });
  const { status, body } = await client.send({ method: 'PUT', path: '/api/budget', body: '{"monthlyUsd":5}' });
  assert.deepEqual([status, JSON.parse(body).code], [500, 'write_failed']);
  assert.match(log(), /level=ERROR .*the budget could not be written/);
  assert.deepEqual(readdirSync(join(folder, 'data')), ['project-budget.json']);
});
