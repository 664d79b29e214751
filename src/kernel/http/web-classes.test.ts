import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { executablePath, startServer, temporaryFolder } from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';
import { web } from './web-classes.ts';

const NAMES = ['Content-Type', 'content-type', 'Set-Cookie', 'X-One', 'x-two', 'ETag'];
const VALUES = ['a', ' b ', 'text/plain; charset=UTF-8', ''];

test('headers answer as those of the Fetch standard', () => {
  const random = new Random(1);
  for (let round = 0; round < 500; round++) {
    const [ours, theirs] = [new web.Headers({ 'X-One': 'first' }), new Headers({ 'X-One': 'first' })];
    for (let step = 0; step < 8; step++) {
      const [name, value] = [random.pick(NAMES), random.pick(VALUES)];
      const change = random.pick<'append' | 'set' | 'delete'>(['append', 'set', 'delete']);
      if (change === 'delete') [ours, theirs].map((headers) => headers.delete(name));
      else [ours, theirs].map((headers) => headers[change](name, value));
    }
    assert.deepEqual([...ours], [...theirs]);
    assert.deepEqual([...ours.keys()], [...theirs.keys()]);
    assert.deepEqual([...ours.values()], [...theirs.values()]);
    assert.deepEqual(ours.getSetCookie(), theirs.getSetCookie());
    for (const name of NAMES) assert.deepEqual([ours.get(name), ours.has(name)], [theirs.get(name), theirs.has(name)]);
    assert.deepEqual([...new web.Headers(theirs)], [...new Headers([...theirs])]);
  }
});

test('an answer has the status, the headers and the body that it was given', async () => {
  const bodies = ['text', new TextEncoder().encode('text'), new Blob(['text']).stream()];
  for (const body of bodies) {
    const response = new web.Response(body, { status: 201, headers: { ETag: '"1"' } });
    assert.deepEqual([response.status, response.ok, response.headers.get('etag')], [201, true, '"1"']);
    assert.equal(await new Response(response.body).text(), 'text');
  }
  assert.deepEqual(await new web.Response('{"a":1}').json(), { a: 1 });
  assert.deepEqual(await new web.Response('ab').arrayBuffer(), new Uint8Array([97, 98]).buffer);
  const empty = new web.Response();
  assert.deepEqual([empty.body, await empty.text(), await empty.arrayBuffer()], [null, '', new ArrayBuffer(0)]);
});

test('a request says where the body is read', () => {
  assert.throws(() => new web.Request(), /readBody/);
});

/** Prints, when asked by SIGUSR2, which of these parts of Node the process has loaded. */
const PROBE = `process.on('SIGUSR2', () => {
  const costly = ['internal/deps/undici/undici', 'http2', 'tls'];
  const loaded = costly.filter((part) => process.moduleLoadList.includes('NativeModule ' + part));
  process.stderr.write('loaded: ' + loaded.join(' ') + '.\\n');
});`;

test('no server loads the fetch, HTTP/2 or TLS of Node before it needs them', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'probe.cjs'), PROBE);
  const anyPort = ['hub', 'alerts', 'relay', 'dashboard', 'rooms'].flatMap((name) => [
    `--${name}-address`,
    '127.0.0.1:0',
  ]);
  const up = await startServer(t, {
    command: process.execPath,
    args: ['--require', join(folder, 'probe.cjs'), executablePath(), 'up', ...anyPort],
    cwd: folder,
    addressIn: (stderr) => /Hub is listening" address=(\S+)\n/.exec(stderr)?.[1],
  });
  const servers = (await (await fetch(`${up.url}/servers.json`)).json()) as {
    readonly name: string;
    readonly url: string;
  }[];
  const urlOf = (name: string) => servers.find((server) => server.name === name)?.url ?? '';
  const paths = [
    `${urlOf('alerts')}api/v2/alerts`,
    urlOf('alerts'),
    urlOf('relay'),
    urlOf('dashboard'),
    urlOf('rooms'),
  ];
  for (const path of paths) assert.equal((await fetch(path)).status, 200, path);
  const head = await fetch(urlOf('rooms'), { method: 'HEAD' });
  assert.equal(head.status, 200);
  const posted = await fetch(`${urlOf('alerts')}api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '[{"labels":{"alertname":"One"}}]',
  });
  assert.equal(posted.status, 200);
  process.kill(up.pid, 'SIGUSR2');
  while (!/^loaded: .*\.$/m.test(up.stderr())) await fetch(urlOf('alerts'));
  assert.match(up.stderr(), /^loaded: \.$/m);
});
