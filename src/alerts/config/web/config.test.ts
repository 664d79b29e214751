import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { hashSync } from 'bcryptjs';
import { systemClock } from '../../../kernel/clock.ts';
import { CommandError } from '../../../kernel/errors.ts';
import { listen } from '../../../kernel/http/server.ts';
import { createLog } from '../../../kernel/log.ts';
import { AUTHORITY, CLIENT, OTHER_SERVER, SERVER } from '../../../kernel/testdata/tls-certificates.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { openWebConfig } from './config.ts';

/** A folder with a web configuration file, and beside it certificate and key of a server, and an authority. */
function folder(t: TestContext, config = '') {
  const path = mkdtempSync(join(tmpdir(), 'web-config-'));
  t.after(() => rmSync(path, { recursive: true }));
  const write = (name: string, content: string) => writeFileSync(join(path, name), content);
  write('web.yml', config);
  write('server.pem', SERVER.cert);
  write('server.key', SERVER.key);
  write('ca.pem', AUTHORITY);
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'logfmt', clock: new FakeClock(), write: (line) => lines.push(line) });
  const file = join(path, 'web.yml');
  return { path, file, write, lines, open: () => openWebConfig(file, log) };
}

const PAIR = 'cert_file: server.pem, key_file: server.key';
const ANN = hashSync('secret', 4);

describe('a web configuration file', () => {
  test('that is empty protects nothing', (t) => {
    const { rules, tls } = folder(t).open();
    assert.deepEqual(rules(), { headers: {}, users: new Map(), rateLimit: undefined });
    assert.equal(tls, undefined);
  });

  test('names users, headers and a rate', (t) => {
    const yaml = `
basic_auth_users:
  ann: ${ANN}
http_server_config:
  http2: false
  headers:
    X-Frame-Options: deny
    X-XSS-Protection: 1
rate_limit: {interval: 1m30s, burst: 5}
`;
    assert.deepEqual(folder(t, yaml).open().rules(), {
      headers: { 'X-Frame-Options': 'deny', 'X-XSS-Protection': '1' },
      users: new Map([['ann', ANN]]),
      rateLimit: { burst: 5, intervalMs: 90_000 },
    });
  });

  test('names certificates beside it', (t) => {
    const yaml = `tls_server_config:
  ${PAIR.replace(', ', '\n  ')}
  client_ca_file: ca.pem
  client_auth_type: RequireAndVerifyClientCert
  client_allowed_sans: [a]
  cipher_suites: [TLS_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]
  curve_preferences: [CurveP256, X25519]
  min_version: TLS13
  prefer_server_cipher_suites: false
`;
    assert.deepEqual(folder(t, yaml).open().tls?.(), {
      ...SERVER,
      clientCa: AUTHORITY,
      clientCertificates: 'needed and checked',
      clientNames: ['a'],
      ciphers: 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256',
      curves: 'P-256:X25519',
      minVersion: 'TLSv1.3',
      maxVersion: 'TLSv1.3',
      prefersOwnCiphers: false,
      offersHttp2: true,
    });
  });

  test('may turn HTTP/2 off', (t) => {
    const yaml = `tls_server_config: {${PAIR}}\nhttp_server_config: {http2: false}\n`;
    assert.equal(folder(t, yaml).open().tls?.().offersHttp2, false);
  });

  test('holds certificates', (t) => {
    const tls = { cert: SERVER.cert, key: SERVER.key, client_ca: AUTHORITY, client_auth_type: 'RequestClientCert' };
    const { cert, key, clientCa, clientCertificates } =
      folder(t, JSON.stringify({ tls_server_config: tls }))
        .open()
        .tls?.() ?? {};
    assert.deepEqual(
      { cert, key, clientCa, clientCertificates },
      {
        ...SERVER,
        clientCa: AUTHORITY,
        clientCertificates: 'wished',
      },
    );
  });

  test('that only says how TLS were to be spoken does not ask for it', (t) => {
    assert.equal(folder(t, 'tls_server_config: {min_version: TLS13}').open().tls, undefined);
  });
});

describe('a web configuration file is refused with', () => {
  const tls = (fields: string) => `tls_server_config: {${fields}}`;
  const cases: readonly (readonly [string, string])[] = [
    ['tls_server_config:\n  cert_filse: x', 'line 2: field cert_filse not found'],
    ['hWkNKCp3\nfvIx3jKn', 'line 1: expected a mapping of fields, found a scalar'],
    ['a: [', 'line 1: '],
    ['basic_auth_users:\n  ann: secret', 'line 2: this is not a bcrypt hash'],
    ['basic_auth_users:\n  ann:', 'line 2: '],
    [
      'http_server_config:\n  headers:\n    Content-Type: foo',
      'line 3: HTTP header "Content-Type" can not be configured',
    ],
    [
      'http_server_config:\n  headers:\n    X-Frame-Options: foo',
      'line 3: invalid value for X-Frame-Options. Expected one of: ["deny" "sameorigin"], but got: "foo"',
    ],
    [
      'http_server_config:\n  headers:\n    X-XSS-Protection: "a\\u0001b"',
      'line 3: a header cannot hold other letters than those of ASCII',
    ],
    [
      tls(`${PAIR}, client_allowed_sans: [a]`),
      'tls_server_config: client_allowed_sans requires client_auth_type to be one of RequireAnyClientCert or RequireAndVerifyClientCert',
    ],
    ['{}\n---\nbasic_auth_users: {a: b}', 'line 2: another YAML document begins here: write all of it into one'],
    [tls('min_version: TLS111'), 'line 1: unknown TLS version: TLS111'],
    [tls('cipher_suites: [TLS_RSA_X]'), 'line 1: unknown cipher: TLS_RSA_X'],
    [tls('curve_preferences: [CurveP1]'), 'line 1: unknown curve: CurveP1'],
    [tls(`${PAIR}, client_auth_type: Whatever`), 'line 1: invalid ClientAuth: Whatever'],
    [tls('key_file: server.key'), 'tls_server_config: missing one of cert or cert_file'],
    [tls('client_auth_type: NoClientCert'), 'tls_server_config: missing one of cert or cert_file'],
    [tls('cert_file: server.pem'), 'tls_server_config: missing one of key or key_file'],
    [tls('cert_file: no.pem, key_file: server.key'), 'tls_server_config: failed to read cert_file ('],
    [
      tls('cert_file: /dev/null, key_file: server.key'),
      'tls_server_config: certificate and key cannot be used: there is no certificate',
    ],
    [tls('cert_file: web.yml, key_file: server.key'), 'tls_server_config: certificate and key cannot be used: '],
    [
      tls(`${PAIR}, client_ca_file: ca.pem`),
      "tls_server_config: client CA's have been configured without a Client Auth Policy",
    ],
    [
      tls(`${PAIR}, client_ca_file: /dev/null`),
      "tls_server_config: client CA's have been configured without a Client Auth Policy",
    ],
  ];
  for (const [yaml, message] of cases) {
    test(JSON.stringify(yaml), (t) => {
      const { open, file } = folder(t, yaml);
      assert.throws(open, (error) => {
        assert.ok(error instanceof CommandError && error.exitCode === 1);
        assert.ok(
          error.message.startsWith(message.startsWith('line') ? `${file}: ${message}` : message),
          error.message,
        );
        return true;
      });
    });
  }

  test('no such file', (t) => {
    const { path } = folder(t);
    const log = createLog({ level: 'error', format: 'json', clock: new FakeClock(), write: () => {} });
    assert.throws(() => openWebConfig(join(path, 'no.yml'), log), CommandError);
  });

  test('no word of the key or a password', (t) => {
    const yaml = JSON.stringify({
      tls_server_config: { cert: SERVER.cert, key: `${OTHER_SERVER.key}` },
      basic_auth_users: { ann: ANN },
    });
    for (const content of [yaml, yaml.replace(ANN, 'hush hush')]) {
      assert.throws(folder(t, content).open, (error: Error) => {
        assert.doesNotMatch(error.message, /hush|PRIVATE/);
        return true;
      });
    }
  });
});

describe('a web configuration file that changes', () => {
  test('gives the same settings until it does', (t) => {
    const { open, write } = folder(t, `tls_server_config: {${PAIR}}`);
    const { rules, tls } = open();
    assert.equal(rules(), rules());
    assert.equal(tls?.(), tls?.());
    const before = tls?.();
    write('server.pem', OTHER_SERVER.cert);
    assert.throws(() => tls?.());
    write('server.key', OTHER_SERVER.key);
    assert.notEqual(tls?.(), before);
    assert.equal(tls?.().cert, OTHER_SERVER.cert);
  });

  test('to invalid files refuses every request and logs the cause once, until the files are valid', (t) => {
    const { open, write, lines } = folder(t, `basic_auth_users: {ann: ${ANN}}`);
    const { rules } = open();
    write('web.yml', 'basic_auth_users: [');
    for (let i = 0; i < 3; i++) assert.throws(rules);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? '', /level=ERROR msg="the web configuration cannot be used" err=".*web\.yml: line 1/);
    write('web.yml', `basic_auth_users: {bob: ${ANN}}`);
    assert.deepEqual([...rules().users.keys()], ['bob']);
    write('web.yml', 'basic_auth_users: [');
    assert.throws(rules);
    assert.equal(lines.length, 2);
  });
});

describe('a server under a web configuration', () => {
  interface Asked {
    readonly user?: string;
    readonly client?: typeof CLIENT;
  }
  const ask = (url: string, { user, client }: Asked) =>
    new Promise<{ status: number | undefined; body: string; serial: string }>((resolve, reject) => {
      const options = { ca: AUTHORITY, agent: false, ...client, ...(user === undefined ? {} : { auth: user }) };
      request(url, options, async (response) => {
        const { serialNumber: serial } = (response.socket as TLSSocket).getPeerCertificate();
        resolve({ status: response.statusCode, serial, body: await text(response) });
      })
        .on('error', reject)
        .end();
    });

  test('sends a multi-line header in one line', async (t) => {
    const yaml = `http_server_config:
  headers:
    Content-Security-Policy: |
      default-src 'self';
      img-src *
`;
    const addresses = [{ host: '127.0.0.1', port: 0 }];
    const protection = folder(t, yaml).open();
    const { url, close } = await listen({
      fetch: () => new Response('in'),
      addresses,
      clock: systemClock,
      ...protection,
    });
    t.after(() => close(0));
    const { status, headers } = await fetch(url);
    assert.equal(status, 200);
    assert.equal(headers.get('content-security-policy'), "default-src 'self'; img-src *");
  });

  test('requires certificate and password by the current files', async (t) => {
    const yaml = (auth: string) =>
      `tls_server_config: {${PAIR}, client_ca_file: ca.pem, client_auth_type: ${auth}}\nbasic_auth_users: {ann: ${ANN}}`;
    const { open, write } = folder(t, yaml('RequireAndVerifyClientCert'));
    const addresses = [{ host: '127.0.0.1', port: 0 }];
    const { url, close } = await listen({ fetch: () => new Response('in'), addresses, clock: systemClock, ...open() });
    t.after(() => close(0));
    await assert.rejects(ask(url, { user: 'ann:secret' }));
    assert.equal((await ask(url, { client: CLIENT })).status, 401);
    const before = await ask(url, { user: 'ann:secret', client: CLIENT });
    assert.deepEqual([before.status, before.body], [200, 'in']);
    write('web.yml', yaml('VerifyClientCertIfGiven'));
    write('server.pem', OTHER_SERVER.cert);
    write('server.key', OTHER_SERVER.key);
    const after = await ask(url, { user: 'ann:secret' });
    assert.equal(after.status, 200);
    assert.notEqual(after.serial, before.serial);
  });
});
