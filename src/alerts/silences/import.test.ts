import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PlainClient } from '../../testing/http/client.ts';
import {
  executablePath,
  listeningAddress,
  needsReal,
  startAlertmanager,
  startOpsdeck,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';

interface Listed {
  readonly id: string;
  readonly updatedAt: string;
}

const HOUR_MS = 3_600_000;

function silence(comment: string, matchers: readonly object[], hours = 2) {
  const now = Date.now();
  return {
    matchers,
    // Pending for the whole test.
    startsAt: new Date(now + HOUR_MS).toISOString(),
    endsAt: new Date(now + hours * HOUR_MS).toISOString(),
    createdBy: 'alex',
    comment,
  };
}

test('the silences that a real Alertmanager left in the storage path are there at the first start, and once only', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const storage = temporaryFolder(t);
  const before = await startAlertmanager(t, { args: [`--storage.path=${storage}`] });
  const there = new PlainClient(t, before.url);
  const ids: string[] = [];
  for (const [comment, matchers] of [
    ['plain', [{ name: 'alertname', value: 'DiskFull', isRegex: false }]],
    [
      'für später 😀',
      [
        { name: 'a', value: 'b|c', isRegex: true },
        { name: 'd', value: 'e', isRegex: false, isEqual: false },
      ],
    ],
    [
      'over',
      [
        { name: 'x', value: 'y.*', isRegex: true, isEqual: false },
        { name: 'z', value: '1', isRegex: false },
      ],
    ],
  ] as const) {
    const posted = await there.post('/api/v2/silences', silence(comment, matchers));
    ids.push((JSON.parse(posted.body) as { silenceID: string }).silenceID);
  }
  await there.send({ method: 'DELETE', path: `/api/v2/silence/${ids[2]}` });
  const expected = JSON.parse((await there.get('/api/v2/silences')).body) as Listed[];
  assert.equal(expected.length, 3);
  // Answered by the loop that also takes the signal to stop: before it runs, the signal would end the process without a snapshot.
  assert.equal((await there.send({ method: 'POST', path: '/-/reload' })).status, 200);
  await before.stop();
  const file = readFileSync(join(storage, 'silences'));

  const first = await startOpsdeck(t, ['--storage.path', storage]);
  const here = new PlainClient(t, first.url);
  assert.deepEqual(JSON.parse((await here.get('/api/v2/silences')).body), expected);
  assert.match(first.stderr(), /Silences of Alertmanager taken over" .*silences=3/);
  await here.send({ method: 'DELETE', path: `/api/v2/silence/${ids[0]}` });
  await first.stop();
  assert.deepEqual(readFileSync(join(storage, 'silences')), file, 'its own file stays as it is');

  const second = await startOpsdeck(t, ['--storage.path', storage]);
  const again = await new PlainClient(t, second.url).get(`/api/v2/silence/${ids[0]}`);
  assert.match(again.body, /"state":"expired"/);
  assert.doesNotMatch(second.stderr(), /taken over/);
});

test('a damaged file of silences is reported, and does not prevent the start of the server', async (t) => {
  const storage = temporaryFolder(t);
  writeFileSync(join(storage, 'silences'), 'not protobuf at all');
  const server = await startOpsdeck(t, ['--storage.path', storage]);
  assert.match(server.stderr(), /level=ERROR msg="Silences of Alertmanager could not be taken over" .*damaged/);
  assert.equal((await new PlainClient(t, server.url).get('/api/v2/silences')).body, '[]\n');
});

test('without a storage path, Alertmanager kept its state in data/, and its silences are found there', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data/silences'), '');
  const server = await startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'alerts', 'serve', '--web.listen-address', '127.0.0.1:0'],
    cwd: folder,
    addressIn: listeningAddress,
  });
  assert.match(server.stderr(), /taken over" file=data\/silences silences=0/);
});
