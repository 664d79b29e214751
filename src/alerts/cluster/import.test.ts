import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDatabase } from '../../kernel/storage/database.ts';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import {
  type Cleanup,
  configFile,
  executablePath,
  Janitor,
  runProcess,
  startOpsdeck,
  temporaryFolder,
} from '../../testing/processes.ts';
import { type StoredDirectory, unpackDirectory } from '../../testing/stored-directory.ts';
import type { SentNotification, Silence } from '../contract/wire.ts';
import { MIGRATIONS } from '../state/local-storage.ts';
import { startWebhookSink } from '../testing/webhook-sink.ts';

/** Alertmanager's file with one silence of the alertname FromAlertmanager. */
const SNAPSHOT =
  'dApqCiQ3ZDFmMGMzYS01MmI2LTRlOWQtOGE0MS0wMTIzNDU2Nzg5YWISHRIJYWxlcnRuYW1lGhBGcm9tQWxlcnRtYW5hZ2VyGgYIgOLPqgYiBgiAjtXDDioGCIHiz6oGQgRtaXJhSgVtb3ZlZBIGCKDQ88MO';
const SNAPSHOT_ID = '7d1f0c3a-52b6-4e9d-8a41-0123456789ab';

const configOf = (url: string) => `
route: {receiver: hook, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 24h}
receivers: [{name: hook, webhook_configs: [{url: "${url}"}]}]`;

const HOUR_MS = 3_600_000;
/** Past by every clock. */
const RESOLVED = -60_000;

/** The API of a server as these tests use it. */
function clientOf(t: Cleanup, url: string) {
  const client = new PlainClient(t, url);
  const read = async <T>(path: string): Promise<T> => {
    const { status, body } = await client.get(`/api/v2/${path}`);
    assert.equal(status, 200, body);
    return JSON.parse(body) as T;
  };
  return {
    async post(alertname: string, endsInMs = HOUR_MS) {
      const endsAt = new Date(Date.now() + endsInMs).toISOString();
      const startsAt = new Date(Date.now() - HOUR_MS).toISOString();
      const alerts = [{ labels: { alertname }, annotations: { summary: `${alertname}\0` }, startsAt, endsAt }];
      assert.equal((await client.post('/api/v2/alerts', alerts)).status, 200);
    },
    async silence(alertname: string, comment = 'planned') {
      const matchers = [{ name: 'alertname', value: alertname, isRegex: false, isEqual: true }];
      const times = { startsAt: new Date().toISOString(), endsAt: new Date(Date.now() + HOUR_MS).toISOString() };
      const posted = await client.post('/api/v2/silences', { matchers, ...times, createdBy: 'mira', comment });
      assert.equal(posted.status, 200, posted.body);
      return (JSON.parse(posted.body) as { silenceID: string }).silenceID;
    },
    async changeComment(id: string, comment: string) {
      const posted = await client.post('/api/v2/silences', { ...(await read<Silence>(`silence/${id}`)), comment });
      assert.equal(posted.body, `${JSON.stringify({ silenceID: id })}\n`);
    },
    silences: () => read<Silence[]>('silences'),
    alerts: () => read<{ labels: { alertname: string } }[]>('alerts'),
    async history() {
      const sent = await read<SentNotification[]>('notifications');
      return sent.map(({ id, ...rest }) => rest);
    },
  };
}

const importInto = (url: string, directory: string, ...more: string[]) =>
  runProcess(process.execPath, [
    ...[executablePath(), 'alerts', 'import-storage', directory, '--storage.url', url],
    ...more,
  ]);

const filesIn = (folder: string) =>
  readdirSync(folder).flatMap((name) => {
    if (name.endsWith('.sock')) return [];
    const { mtimeMs, mode } = statSync(join(folder, name));
    return { name, mtimeMs, mode, bytes: readFileSync(join(folder, name)).toString('base64') };
  });

test('an imported directory goes on as several nodes: nothing is lost, nothing is notified again', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const { url } = await openTestDatabase();
  const sink = await startWebhookSink(janitor);
  const config = configFile(janitor, configOf(sink.url));
  const directory = join(temporaryFolder(janitor), 'data');
  const startSingle = () => startOpsdeck(janitor, ['--config.file', config, '--storage.path', directory]);

  const single = await startSingle();
  const before = clientOf(janitor, single.url);
  await before.post('Firing');
  await before.post('Ended');
  await sink.called(2);
  await before.silence('Silenced');
  await before.post('Silenced');
  await before.post('Ended', RESOLVED);
  const ended = await sink.called(3);
  assert.equal(ended.payload.status, 'resolved');
  const alerts = await before.alerts();
  const history = await eventually('the history', async () => {
    const found = await before.history();
    return found.length === 3 && found;
  });
  await single.stop();
  // Its last silence lies in the log of changes alone.
  const killed = await startSingle();
  const silenced = clientOf(janitor, killed.url);
  await silenced.silence('AtTheEnd');
  const silences = await silenced.silences();
  await killed.stop('SIGKILL');
  writeFileSync(join(directory, 'silences'), SNAPSHOT, 'base64');

  const files = filesIn(directory);
  const first = await importInto(url, directory);
  assert.deepEqual(first, {
    code: 0,
    stdout: [
      `imported ${directory} into ${new URL(url).host}${new URL(url).pathname}`,
      '  3 of 3 silences',
      '  2 of 2 entries of the notification log',
      '  3 of 3 notifications of the history',
      '  2 of 2 group timers',
      '  3 of 3 alerts',
      '',
    ].join('\n'),
    stderr: '',
  });
  const second = await importInto(url, directory);
  assert.equal(second.stdout.match(/^ {2}0 of [23] /gm)?.length, 5, second.stdout);
  assert.deepEqual(filesIn(directory), files, 'the directory stays as it is');

  const node = await startOpsdeck(janitor, ['--config.file', config, '--storage.url', url]);
  const after = clientOf(janitor, node.url);
  const imported = await after.silences();
  assert.deepEqual(
    imported.filter(({ id }) => id !== SNAPSHOT_ID),
    silences,
  );
  assert.ok(imported.some(({ id, comment }) => id === SNAPSHOT_ID && comment === 'moved'));
  assert.deepEqual(
    (await after.alerts()).map(({ labels }) => labels),
    alerts.map(({ labels }) => labels),
  );
  assert.deepEqual(await after.history(), history);
  // Every imported group is due once more before these two have come and gone.
  await after.post('New');
  await sink.called(4);
  await after.post('New', RESOLVED);
  await sink.called(5);
  assert.deepEqual(sink.calls.map(({ payload }) => `${payload.alerts[0]?.labels.alertname} ${payload.status}`).sort(), [
    'Ended firing',
    'Ended resolved',
    'Firing firing',
    'New firing',
    'New resolved',
  ]);
  await after.post('Firing', RESOLVED);
  assert.equal((await sink.called(6)).payload.alerts[0]?.labels.alertname, 'Firing', 'it is known to fire');
});

test('a running node sees an import at once, and what is younger in the database stays', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const { url } = await openTestDatabase();
  const sink = await startWebhookSink(janitor);
  const config = configFile(janitor, configOf(sink.url));
  const directory = join(temporaryFolder(janitor), 'data');
  const node = await startOpsdeck(janitor, ['--config.file', config, '--storage.url', url]);
  const shared = clientOf(janitor, node.url);
  await shared.post('Early');
  await sink.called(1);

  const server = await startOpsdeck(janitor, ['--config.file', config, '--storage.path', directory]);
  const single = clientOf(janitor, server.url);
  const changed = await single.silence('A', 'as it was');
  const kept = await single.silence('B', 'as it was');
  await single.post('Firing');
  await sink.called(2);
  await server.stop();
  await shared.post('Late');
  await sink.called(3);
  await eventually('both records', async () => (await shared.history()).length === 2);

  assert.equal((await importInto(url, directory)).code, 0);
  const commentsOf = async (id: string) =>
    (await shared.silences()).filter((silence) => silence.id === id).map(({ comment }) => comment);
  await eventually('the silences', async () => (await commentsOf(changed)).length === 1);
  await eventually('the alert', async () =>
    (await shared.alerts()).some(({ labels }) => labels.alertname === 'Firing'),
  );
  const sent = (await shared.history()).map(({ groupLabels, node }) => [groupLabels.alertname, node === undefined]);
  assert.deepEqual(sent, [
    ['Late', false],
    ['Firing', true],
    ['Early', false],
  ]);

  await shared.changeComment(changed, 'changed since');
  const again = await startOpsdeck(janitor, ['--config.file', config, '--storage.path', directory]);
  await clientOf(janitor, again.url).changeComment(kept, 'changed there');
  await again.stop();
  const second = await importInto(url, directory);
  assert.match(second.stdout, /^ {2}1 of 2 silences$/m);
  await eventually('the later change', async () => (await commentsOf(kept))[0] === 'changed there');
  assert.deepEqual(await commentsOf(changed), ['changed since']);
  assert.equal(sink.calls.length, 3);
});

interface StoredAlerts extends StoredDirectory {
  /** Of every table. */
  readonly rows: Readonly<Record<string, readonly unknown[]>>;
}

test('directories of 0.1.0 are imported completely, also one that was killed', async (t) => {
  if (!needsPostgres(t)) return;
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  for (const end of ['stopped', 'killed']) {
    const { path, stored } = unpackDirectory<StoredAlerts>(janitor, `alerts/testdata/0.1.0-${end}.json.br`);
    const { code, stdout, stderr } = await importInto((await openTestDatabase()).url, path);
    assert.equal(code, 0, stderr);
    const all = (table: string, what: string) => {
      const count = stored.rows[table]?.length ?? 0;
      assert.ok(count > 0, table);
      assert.ok(stdout.includes(`  ${count} of ${count} ${what}\n`), `${end}, ${count} ${what}: ${stdout}`);
    };
    all('silences', 'silences');
    all('alerts', 'alerts');
    all('group_timers', 'group timers');
    all('notification_history', 'notifications of the history');
    assert.match(stdout, /^ {2}([1-9]\d*) of \1 entries of the notification log$/m);
  }
});

const NOWHERE = 'postgres://mira:s3cr3t@127.0.0.1:1/alerts';

test('an import without a usable directory ends with one sentence that says what to do', async (t) => {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const folder = temporaryFolder(janitor);
  const make = (name: string) => {
    mkdirSync(join(folder, name), { mode: 0o700 });
    return join(folder, name);
  };
  const refusal = async (directory: string, code: number, sentence: RegExp) => {
    const { code: found, stdout, stderr } = await importInto(NOWHERE, directory, '--storage.wait', '0');
    assert.match(stderr, sentence);
    assert.deepEqual({ found, stdout, lines: stderr.split('\n').length }, { found: code, stdout: '', lines: 2 });
    assert.doesNotMatch(stderr, /s3cr3t|opsdeck-import-/);
  };
  await refusal(join(folder, 'nowhere'), 1, /^opsdeck: there is no folder .*nowhere: name the --storage\.path/);
  await refusal(make('foreign'), 1, /^opsdeck: .*foreign is no data directory of an alert server, .*: name the/);
  const damaged = make('damaged');
  writeFileSync(join(damaged, 'alerts.db'), 'x'.repeat(10_000), { mode: 0o600 });
  await refusal(damaged, 1, /^opsdeck: cannot import .*damaged\/alerts\.db: file is not a database; name a directory/);
  assert.equal(statSync(join(damaged, 'alerts.db')).size, 10_000);

  const newer = make('newer');
  const migrations = [...MIGRATIONS, 'CREATE TABLE later (id INTEGER)'];
  const directory = { path: newer, release() {} };
  await (await openDatabase({ directory, name: 'alerts.db', migrations })).close();
  await refusal(newer, 1, /alerts\.db: it was written by a newer opsdeck \(schema \d+, this one knows \d+\); name a/);

  const path = join(folder, 'used');
  const server = await startOpsdeck(janitor, ['--storage.path', path]);
  await refusal(path, 3, new RegExp(`is in use by another opsdeck process; stop that one \\(pid ${server.pid}\\)`));
  await server.stop();
  await refusal(
    path,
    3,
    /PostgreSQL at 127\.0\.0\.1:1\/alerts cannot be reached \(.*\): start it, or correct the storage/,
  );
});

test('an import without a database, or with a bad URL, is a mistake of usage', async (t) => {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const path = join(temporaryFolder(janitor), 'data');
  await (await startOpsdeck(janitor, ['--storage.path', path])).stop();
  const command = [executablePath(), 'alerts', 'import-storage', path];
  const without = await runProcess(process.execPath, command, { env: { OPSDECK_STORAGE_URL: undefined } });
  assert.deepEqual(
    [without.code, without.stderr],
    [2, 'opsdeck: name the database with --storage.url or OPSDECK_STORAGE_URL\n'],
  );
  const bad = await importInto('mysql://mira:s3cr3t@localhost/alerts', path);
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /^opsdeck: --storage\.url: the storage URL must be postgres:\/\/user:password@host.*\n$/);
});
