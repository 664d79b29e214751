import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { openDatabase, type SqlRow } from '../../kernel/storage/database.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { type StoredDirectory, unpackDirectory } from '../../testing/stored-directory.ts';
import { ALERT_SERVER_DEFAULTS } from '../config/server-options.ts';
import { startAlertServer } from '../server.ts';
import { MIGRATIONS } from '../state/local-storage.ts';

interface StoredAlerts extends StoredDirectory {
  /** Of every table, as another SQLite has read them; bytes in hex. */
  readonly rows: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** The routes of the earlier version, without notifications. */
const CONFIG = `
route: {receiver: ops, group_by: [alertname], group_wait: 1s, group_interval: 5m, repeat_interval: 4h, routes: [
  {receiver: bad, matchers: [team="bad"]}, {receiver: slow, matchers: [team="slow"]}]}
receivers: [{name: ops}, {name: bad}, {name: slow}]
`;

/** The schema of 0.1.0. */
const MIGRATIONS_OF_BEFORE = MIGRATIONS.slice(0, 7);

/** Starts a server on the directory at the time of the previous server's end. */
async function start(t: TestContext, path: string, time: number): Promise<string> {
  const clock = new FakeClock(time);
  const configFile = join(temporaryFolder(t), 'alertmanager.yml');
  writeFileSync(configFile, CONFIG);
  const options = {
    ...ALERT_SERVER_DEFAULTS,
    configFile,
    storagePath: path,
    importPath: path,
    listenAddresses: [{ host: '127.0.0.1', port: 0 }],
    clusterListenAddress: undefined,
  };
  const log = createLog({ level: 'error', format: 'logfmt', clock, write: (line) => assert.fail(line) });
  const server = await startAlertServer(options, clock, log);
  t.after(() => server.close());
  return server.url.replace(/\/$/, '');
}

/** Bytes in hex. */
function printRow(row: SqlRow): Record<string, unknown> {
  const print = (value: unknown) => (value instanceof Uint8Array ? { hex: Buffer.from(value).toString('hex') } : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, print(value)]));
}

for (const end of ['stopped', 'killed']) {
  describe(`a data directory of 0.1.0 that was ${end}`, () => {
    const unpack = (t: TestContext) => unpackDirectory<StoredAlerts>(t, `alerts/testdata/0.1.0-${end}.json.br`);

    test('opens with every row', async (t) => {
      const { path, stored } = unpack(t);
      const directory = { path, release() {} };
      const database = await openDatabase({ directory, name: 'alerts.db', migrations: MIGRATIONS_OF_BEFORE });
      t.after(() => database.close());
      assert.ok(Object.keys(stored.rows).length >= 7);
      for (const [table, rows] of Object.entries(stored.rows))
        assert.deepEqual((await database.query(`SELECT * FROM ${table}`)).map(printRow), rows, table);
      await database.close();
      assert.ok(!readdirSync(path).some((name) => /^alerts\.db[-.]/.test(name)), 'nothing is left of kill or lock');
    });

    test('shows the silences, alerts, groups and notifications that it showed before', async (t) => {
      const { path, stored } = unpack(t);
      const url = await start(t, path, stored.time);
      assert.ok(Object.keys(stored.answers).length === 4);
      for (const [request, answer] of Object.entries(stored.answers))
        assert.deepEqual(await (await fetch(`${url}${request}`)).json(), answer, request);
    });
  });
}
