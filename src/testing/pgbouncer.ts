import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HANG_MS } from './eventually.ts';
import { asOrdinaryUser, ordinaryFolder, removeFolder } from './ordinary-user.ts';
import { freePort, type TestDatabase } from './postgres.ts';
import type { Cleanup } from './processes.ts';

/** PgBouncer in transaction mode, as its package configures it otherwise. Only after `needsReal(t, 'pgbouncer', 'pgbouncer')`. */
export async function startPgBouncer(t: Cleanup, database: TestDatabase): Promise<{ readonly url: string }> {
  const folder = ordinaryFolder();
  const port = await freePort();
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"opsdeck" "${database.password}"\n`, { mode: 0o644 });
  const configuration = join(folder, 'pgbouncer.ini');
  writeFileSync(
    configuration,
    `[databases]
* = host=127.0.0.1 port=${database.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
`,
    { mode: 0o644 },
  );
  const child = spawn(...asOrdinaryUser('pgbouncer', [configuration]), { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = new Promise((done) => child.once('close', done));
  t.after(async () => {
    child.kill('SIGKILL');
    await closed;
    removeFolder(folder);
  });
  await new Promise<void>((done, fail) => {
    let stderr = '';
    const timer = setTimeout(() => fail(new Error(`pgbouncer does not start:\n${stderr}`)), HANG_MS);
    closed.then(() => fail(new Error(`pgbouncer ended:\n${stderr}`)));
    child.once('error', fail);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      if (!/process up/.test(stderr)) return;
      clearTimeout(timer);
      done();
    });
  });
  return { url: Object.assign(new URL(database.url), { port }).href };
}
