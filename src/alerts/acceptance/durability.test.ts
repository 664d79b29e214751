import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { isLongRound } from '../../testing/long-round.ts';
import {
  executablePath,
  listeningAddress,
  startOpsdeck,
  startServer,
  temporaryFolder,
} from '../../testing/processes.ts';
import { Random } from '../../testing/random.ts';

// The built server, killed without warning. Acknowledged changes must survive.

interface ListedSilence {
  readonly id: string;
  readonly comment: string;
  readonly status: { readonly state: string };
}

const HOUR_MS = 3_600_000;

function silence(comment: string, name = comment) {
  return {
    matchers: [{ name: 'alertname', value: name, isRegex: false }],
    startsAt: new Date().toISOString(),
    endsAt: new Date(Date.now() + HOUR_MS).toISOString(),
    createdBy: 'alex',
    comment,
  };
}

async function list<T>(t: TestContext, url: string, path: string): Promise<readonly T[]> {
  const response = await new PlainClient(t, url).get(path);
  assert.equal(response.status, 200);
  return JSON.parse(response.body) as T[];
}

test('every acknowledged silence, and every acknowledged end of one, survives kill -9 at any moment', {
  only: isLongRound,
}, async (t) => {
  const storage = join(temporaryFolder(t), 'data');
  const random = new Random(7);
  const acknowledged = new Map<string, { comment: string; expired: boolean }>();
  for (let round = 0; round < (isLongRound ? 6 : 2); round++) {
    const server = await startOpsdeck(t, ['--storage.path', storage]);
    const listed = await list<ListedSilence>(t, server.url, '/api/v2/silences');
    const byId = new Map(listed.map((found) => [found.id, found]));
    for (const [id, { comment, expired }] of acknowledged) {
      const found = byId.get(id);
      assert.equal(found?.comment, comment, `silence ${id} of round ${round - 1}`);
      if (expired) assert.equal(found.status.state, 'expired');
    }
    const client = new PlainClient(t, server.url, { connections: 16 });
    const before = acknowledged.size;
    let killed = false;
    const writer = async (name: string) => {
      for (let count = 0; !killed; count++) {
        const comment = `${round}-${name}-${count}`;
        const posted = await client.post('/api/v2/silences', silence(comment));
        assert.equal(posted.status, 200);
        const id = (JSON.parse(posted.body) as { silenceID: string }).silenceID;
        acknowledged.set(id, { comment, expired: false });
        if (count % 4 !== 3) continue;
        await client.send({ method: 'DELETE', path: `/api/v2/silence/${id}` });
        acknowledged.set(id, { comment, expired: true });
      }
    };
    // A request that is cut off was not acknowledged: its failure is expected.
    const writers = Array.from({ length: 12 }, (_, index) => writer(String(index)).catch(() => {}));
    const enough = before + random.int(10, 100);
    await eventually('silences', () => acknowledged.size >= enough, { everyMs: 1 });
    process.kill(server.pid, 'SIGKILL');
    killed = true;
    await Promise.all(writers);
    await server.stop();
  }
});

/** Whether a file of the folder holds a text. */
const isOnDisk = (folder: string, text: string): boolean =>
  readdirSync(folder).some((name) => {
    const path = join(folder, name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });

test('alerts and their times on disk survive kill -9', async (t) => {
  const storage = join(temporaryFolder(t), 'data');
  const first = await startOpsdeck(t, ['--storage.path', storage]);
  const client = new PlainClient(t, first.url);
  const alerts = Array.from({ length: 500 }, (_, index) => ({
    labels: { alertname: 'HighLoad', instance: `host-${index}` },
    annotations: { summary: 'über 90 %' },
    startsAt: '2026-01-02T03:04:05.678Z',
    endsAt: new Date(Date.now() + HOUR_MS).toISOString(),
  }));
  await client.post('/api/v2/alerts', alerts);
  await eventually('the alerts on disk', () => isOnDisk(storage, 'host-499'));
  // Its acknowledgement implies that all earlier writes are committed.
  await client.post('/api/v2/silences', silence('maintenance', 'HighLoad'));
  const before = (await client.get('/api/v2/alerts')).body;
  await first.stop('SIGKILL');
  const second = await startOpsdeck(t, ['--storage.path', storage]);
  assert.equal((await new PlainClient(t, second.url).get('/api/v2/alerts')).body, before);
  assert.match(before, /"state":"suppressed"/);
});

test('a server writes everything at once when it is stopped', async (t) => {
  const storage = join(temporaryFolder(t), 'data');
  const first = await startOpsdeck(t, ['--storage.path', storage]);
  await new PlainClient(t, first.url).post('/api/v2/alerts', [{ labels: { alertname: 'LastWords' } }]);
  assert.deepEqual(await first.stop('SIGTERM'), { code: 0, signal: null });
  const second = await startOpsdeck(t, ['--storage.path', storage]);
  const alerts = await eventually('the alert', () => list<{ labels: unknown }>(t, second.url, '/api/v2/alerts'));
  assert.deepEqual(
    alerts.map(({ labels }) => labels),
    [{ alertname: 'LastWords' }],
  );
});

test('a server that cannot write its last alerts logs it in a line, and ends with code 1', async (t) => {
  const folder = temporaryFolder(t);
  // No file may grow beyond 256 KB, which is what a full disk comes to.
  const serve = `ulimit -f 256; exec "${process.execPath}" "${executablePath()}" alerts serve --web.listen-address 127.0.0.1:0`;
  const server = await startServer(t, {
    command: 'bash',
    args: ['-c', serve],
    cwd: folder,
    addressIn: listeningAddress,
  });
  const alerts = Array.from({ length: 2_000 }, (_, index) => ({
    labels: { alertname: 'Many', instance: `host-${index}` },
    annotations: { description: 'what an alert says to those whom it wakes, at some length. '.repeat(5) },
  }));
  assert.equal((await new PlainClient(t, server.url).post('/api/v2/alerts', alerts)).status, 200);
  assert.deepEqual(await server.stop('SIGTERM'), { code: 1, signal: null });
  assert.match(server.stderr(), /^opsdeck: the last alerts could not be written to disk: /m);
});
