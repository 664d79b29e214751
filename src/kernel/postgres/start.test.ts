import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { openForTest } from '../../testing/opened-postgres.ts';
import { freePort, needsPostgres, startPostgres } from '../../testing/postgres.ts';
import { CommandError, ExitCode } from '../errors.ts';
import { AUTHORITY, SERVER } from '../testdata/tls-certificates.ts';

/** Refused with one sentence that shows no password. */
async function assertRefused(t: TestContext, url: string, exitCode: ExitCode, sentence: RegExp): Promise<void> {
  const lines: string[] = [];
  await assert.rejects(openForTest(t, url, { lines }), (error) => {
    assert.ok(error instanceof CommandError, String(error));
    assert.match(error.message, sentence);
    assert.equal(error.exitCode, exitCode);
    const shown = `${error.message}${lines.join('')}`;
    const { password } = new URL(url);
    assert.ok(password === '' || !shown.includes(password), shown);
    assert.ok(!error.message.includes('\n'));
    return true;
  });
}

describe('the start', { concurrency: true }, () => {
  test('a start that cannot succeed is refused at once with the remedy', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    await server.psql("CREATE ROLE guest LOGIN PASSWORD 'guest-pw'");
    await server.createDatabase('private');
    await server.psql('REVOKE CONNECT ON DATABASE private FROM PUBLIC');
    await server.createDatabase('frozen');
    await server.psql('ALTER DATABASE frozen SET default_transaction_read_only = on');
    const { url, password } = server;
    const with_ = (text: string, other: string) => url.replace(text, other);
    await assertRefused(
      t,
      with_(password, 'wr0ng'),
      ExitCode.failed,
      /refuses the password of user opsdeck: .*PGPASSWORD/,
    );
    await assertRefused(t, with_(`:${password}`, ''), ExitCode.failed, /wants a password of user opsdeck: give it/);
    await assertRefused(t, with_('//opsdeck:', '//nobody:'), ExitCode.failed, /user nobody/);
    await assertRefused(
      t,
      with_('/postgres', '/absent'),
      ExitCode.failed,
      /no such database: .*CREATE DATABASE "absent"/,
    );
    const guest = with_(`opsdeck:${password}`, 'guest:guest-pw').replace('/postgres', '/private');
    await assertRefused(t, guest, ExitCode.failed, /too few rights .*GRANT CONNECT/);
    await assertRefused(
      t,
      with_('/postgres', '/frozen'),
      ExitCode.failed,
      /is read-only: name the address of the primary/,
    );
    await assertRefused(t, `${url}?sslmode=require`, ExitCode.failed, /has no TLS: set sslmode=prefer/);
  });

  test('an unreachable database is waited for, then the exit code is its own', async (t) => {
    const port = await freePort();
    await assertRefused(
      t,
      `postgres://u:s3cr3t@127.0.0.1:${port}/x`,
      ExitCode.unreachable,
      /cannot be reached .*ECONNREFUSED/,
    );
  });

  test('a database that comes while it is waited for is used; that it is waited for is logged once', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    await server.stop();
    const lines: string[] = [];
    const opened = openForTest(t, server.url, { waitMs: 60_000, lines });
    await eventually('it waits', () => lines.length > 0);
    await server.start();
    const { postgres } = await opened;
    assert.deepEqual(await postgres.query('SELECT 1 AS one'), [{ one: 1 }]);
    assert.equal(lines.length, 1, lines.join(''));
    assert.match(lines[0] ?? '', /level=WARN msg="waiting for PostgreSQL" database=127\.0\.0\.1:\d+\/postgres reason=/);
  });

  test('commits that a crash may undo are named', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t, { settings: { synchronous_commit: 'off' } });
    const { lines } = await openForTest(t, server.url);
    assert.match(lines.join(''), /level=WARN msg="synchronous_commit is off: .*; set it to on"/);
  });

  test('TLS is used where the server has it, and its certificate is checked as sslmode says', async (t) => {
    if (!needsPostgres(t)) return;
    const server = await startPostgres(t);
    await server.useTls(SERVER);
    const authority = server.addFile('authority.crt', AUTHORITY);
    const isEncrypted = async (query: string) => {
      const { postgres } = await openForTest(t, `${server.url}${query}`);
      const [row] = await postgres.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      return row?.ssl;
    };
    assert.equal(await isEncrypted(''), true);
    assert.equal(await isEncrypted('?sslmode=disable'), false);
    assert.equal(await isEncrypted(`?sslmode=verify-full&sslrootcert=${authority}`), true);
    const unchecked = `${server.url}?sslmode=verify-full`;
    await assertRefused(t, unchecked, ExitCode.failed, /certificate of .* is not accepted .*sslrootcert/);
  });
});
