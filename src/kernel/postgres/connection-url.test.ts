import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { type ConnectionTarget, printTarget, readConnectionUrl } from './connection-url.ts';
import { findPassword } from './password-file.ts';

const NO_FILE = { PGPASSFILE: '/nonexistent/pgpass' };

function read(url: string, env: NodeJS.ProcessEnv = {}): ConnectionTarget {
  const target = readConnectionUrl(url, { ...NO_FILE, ...env });
  assert.ok(target.ok, target.ok ? '' : target.reason);
  return target.value;
}

function refusalOf(url: string, env: NodeJS.ProcessEnv = {}): string {
  const target = readConnectionUrl(url, { ...NO_FILE, ...env });
  assert.ok(!target.ok, 'it is accepted');
  return target.reason;
}

function folderOf(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'opsdeck-url-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}

const PLACES = [
  ['postgres://ann:s3cr3t@db.example:6432/alerts', 'ann', 's3cr3t', 'db.example:6432/alerts'],
  ['postgresql://ann:s3cr3t@db.example/alerts', 'ann', 's3cr3t', 'db.example:5432/alerts'],
  ['postgres://ann@db.example', 'ann', undefined, 'db.example:5432/ann'],
  ['postgres://a%40b:p%3A%2F%25@[::1]:5433/x%20y', 'a@b', 'p:/%', '[::1]:5433/x y'],
  ['postgres://ann:p#a?s:s@db/alerts', 'ann', 'p#a?s:s', 'db:5432/alerts'],
  ['postgres:///alerts?host=/run/postgresql&user=ann', 'ann', undefined, '/run/postgresql:5432/alerts'],
  ['postgres://ann@%2Frun%2Fpg/alerts', 'ann', undefined, '/run/pg:5432/alerts'],
  ['postgres://ann@db/alerts?port=7000&password=q&application_name=x', 'ann', 'q', 'db:7000/alerts'],
  ['postgres://', userInfo().username, undefined, `localhost:5432/${userInfo().username}`],
] as const;

for (const [url, user, password, place] of PLACES) {
  test(`${url} is read as libpq reads it`, () => {
    const target = read(url);
    assert.deepEqual([target.user, target.password(), printTarget(target)], [user, password, place]);
  });
}

test('what the URL leaves out comes from the variables of libpq', () => {
  const env = { PGHOST: 'h', PGPORT: '1234', PGUSER: 'u', PGPASSWORD: 'p', PGDATABASE: 'd', PGSSLMODE: 'disable' };
  const target = read('postgres://', env);
  assert.deepEqual(
    [target.user, target.password(), printTarget(target), target.tls],
    ['u', 'p', 'h:1234/d', undefined],
  );
  assert.equal(read('postgres://:x@', env).password(), 'x');
});

test('without another password that of the password file is read, each time anew', (t) => {
  const PGPASSFILE = join(folderOf(t, { pgpass: '*:*:*:ann:first\n' }), 'pgpass');
  const { password } = read('postgres://ann@db/alerts', { PGPASSFILE });
  assert.equal(password(), 'first');
  writeFileSync(PGPASSFILE, '*:*:*:ann:second\n');
  assert.equal(password(), 'second');
  chmodSync(PGPASSFILE, 0o644);
  assert.equal(password(), undefined);
});

test('of a password file the first line that matches counts; colons and backslashes are escaped', () => {
  const owner = { host: 'db', port: 5432, database: 'a:b', user: 'ann' };
  const text = '# db:5432:a\\:b:ann:comment\ndb:5433:*:ann:port\nshort\n*:5432:a\\:b:ann:x\\:y\\\\z\n*:*:*:*:last\n';
  assert.equal(findPassword(text, owner), 'x:y\\z');
  assert.equal(findPassword(text, { ...owner, user: 'bob' }), 'last');
  assert.equal(findPassword('db:1:*:*:no', owner), undefined);
});

const TLS_MODES = [
  ['', { isVerified: false, isTlsOptional: true }],
  ['?sslmode=allow', { isVerified: false, isTlsOptional: true }],
  ['?sslmode=require', { isVerified: false, isTlsOptional: false }],
  ['?ssl=true', { isVerified: false, isTlsOptional: false }],
  ['?sslmode=verify-full', { isVerified: true, isTlsOptional: false }],
  ['?sslmode=require&sslrootcert=ROOT', { isVerified: true, isTlsOptional: false }],
  ['?sslmode=verify-ca&sslrootcert=ROOT', { isVerified: true, isTlsOptional: false }],
] as const;

for (const [query, expected] of TLS_MODES) {
  test(`TLS of ${query || 'a URL without sslmode'} is that of libpq`, (t) => {
    const root = join(folderOf(t, { 'root.crt': 'ROOT CERTIFICATE' }), 'root.crt');
    const { tls, isTlsOptional } = read(`postgres://ann@db.example/x${query.replace('ROOT', root)}`);
    assert.deepEqual({ isVerified: tls?.rejectUnauthorized !== false, isTlsOptional }, expected);
    assert.equal(tls?.ca, query.includes('ROOT') ? 'ROOT CERTIFICATE' : undefined);
  });
}

test('verify-full compares the name of the certificate, verify-ca does not', (t) => {
  const root = join(folderOf(t, { 'root.crt': '' }), 'root.crt');
  const certificate = { subject: { CN: 'other.example' }, subjectaltname: 'DNS:other.example' } as never;
  const check = (mode: string) =>
    read(`postgres://db.example/x?sslmode=${mode}&sslrootcert=${root}`).tls?.checkServerIdentity?.('', certificate);
  assert.equal(check('verify-ca'), undefined);
  assert.match(check('verify-full')?.message ?? '', /db\.example/);
});

test('a client certificate and its key are read', (t) => {
  const folder = folderOf(t, { crt: 'CERTIFICATE', key: 'KEY' });
  const { tls } = read(`postgres://db/x?sslmode=require&sslcert=${folder}/crt&sslkey=${folder}/key&sslpassword=pp`);
  assert.deepEqual([tls?.cert, tls?.key, tls?.passphrase], ['CERTIFICATE', 'KEY', 'pp']);
});

test('there is no TLS on a Unix socket, nor with sslmode=disable', () => {
  assert.equal(read('postgres://ann@/x?host=/run/pg&sslmode=require').tls, undefined);
  assert.equal(read('postgres://ann@db/x?sslmode=disable').tls, undefined);
});

const REFUSED = [
  ['mysql://ann:s3cr3t@db/x', /must be postgres:/],
  ['postgres://ann:s3cr3t@more@db/x', /as %40/],
  ['postgres://ann:s3cr3t/more@db/x', /as %40/],
  ['postgres://ann:s3cr3t%zz@db/x', /password .* % that begins no escape/],
  ['postgres://ann:s3cr3t@db:0/x', /port .* 1 to 65535/],
  ['postgres://ann:s3cr3t@db:70000/x', /port .* 1 to 65535/],
  ['postgres://ann:s3cr3t@a,b/x', /several hosts/],
  ['postgres://ann:s3cr3t@db/x?sslmod=verify-full', /unknown parameter "sslmod"/],
  ['postgres://ann:s3cr3t@db/x?sslmode=full', /sslmode .* one of disable, .* not "full"/],
  ['postgres://ann:s3cr3t@db/x?sslmode=verify-ca', /needs sslrootcert/],
  ['postgres://ann:s3cr3t@db/x?sslmode=verify-full&sslrootcert=/nonexistent', /certificate .* cannot be read: ENOENT/],
] as const;

for (const [url, reason] of REFUSED) {
  test(`${url} is refused in one sentence without the password`, () => {
    const refusal = refusalOf(url);
    assert.match(refusal, reason);
    assert.doesNotMatch(refusal, /s3cr3t|\n/);
  });
}

test('a target that is printed shows no password', () => {
  const target = read('postgres://ann:s3cr3t@db/x');
  assert.doesNotMatch(`${inspect(target, { depth: 9, showHidden: true })}${JSON.stringify(target)}`, /s3cr3t/);
});
