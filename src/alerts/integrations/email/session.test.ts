import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { notifyOnce } from '../../testing/integration.ts';
import {
  emailYaml,
  type SmtpSinkOptions,
  sendToSmtpSink,
  startSmtpSink,
  TEST_CERTIFICATE,
} from '../../testing/smtp-sink.ts';
import type { Delivery } from '../notifier.ts';
import { emailIntegration as email } from './email.ts';

function errorOf(delivery: Delivery): string {
  assert.equal(delivery.ok, false);
  return delivery.ok ? '' : delivery.error;
}

const TRUSTED = `tls_config: {ca: ${JSON.stringify(TEST_CERTIFICATE)}}`;
const OVER_TLS = 'from: alerts@example.org, to: ops@example.org';

describe('a connection to a mail server', () => {
  test('switches to TLS by STARTTLS, as required by default', async (t) => {
    const { sink, delivery } = await sendToSmtpSink(t, { offers: ['STARTTLS'] }, TRUSTED, OVER_TLS);
    assert.deepEqual(delivery, { ok: true });
    assert.deepEqual(sink.commands.slice(0, 3), ['EHLO localhost', 'STARTTLS', 'EHLO localhost']);
    assert.equal(sink.mails[0]?.isEncrypted, true);
  });

  test('fails where STARTTLS is not offered', async (t) => {
    const { sink, delivery } = await sendToSmtpSink(t, {}, TRUSTED, OVER_TLS);
    assert.equal(
      errorOf(delivery),
      `'require_tls' is true (default) but "127.0.0.1:${sink.port}" does not advertise the STARTTLS extension: ` +
        '502 5.5.1 unknown command',
    );
    assert.equal(delivery.ok || delivery.retry, true);
  });

  test('stays as it is where TLS is not required, even if it is offered', async (t) => {
    const { sink, delivery } = await sendToSmtpSink(t, { offers: ['STARTTLS'] });
    assert.deepEqual(delivery, { ok: true });
    assert.equal(sink.mails[0]?.isEncrypted, false);
  });

  test('is encrypted from the start where that is forced, without STARTTLS', async (t) => {
    const more = `${TRUSTED}, force_implicit_tls: true, hello: here.example.org`;
    const { sink, delivery } = await sendToSmtpSink(t, { implicitTls: true }, more, OVER_TLS);
    assert.deepEqual(delivery, { ok: true });
    assert.equal(sink.commands[0], 'EHLO here.example.org');
    assert.equal(sink.commands[1], 'MAIL FROM:<alerts@example.org>');
    assert.equal(sink.mails[0]?.isEncrypted, true);
  });

  const distrusted: readonly (readonly [string, SmtpSinkOptions, string, string])[] = [
    ['STARTTLS', { offers: ['STARTTLS'] }, '', 'send STARTTLS command'],
    ['implicit TLS', { implicitTls: true }, 'force_implicit_tls: true', 'establish TLS connection to server'],
  ];
  for (const [name, options, more, step] of distrusted) {
    test(`with ${name} to an untrusted server fails`, async (t) => {
      const { delivery } = await sendToSmtpSink(t, options, more, OVER_TLS);
      assert.equal(errorOf(delivery), `${step}: TLS: the certificate signed itself and is not trusted`);
    });
    test(`with ${name} to a server that need not be trusted is made`, async (t) => {
      const insecure = ['tls_config: {insecure_skip_verify: true}', more].filter((part) => part !== '').join(', ');
      assert.deepEqual((await sendToSmtpSink(t, options, insecure, OVER_TLS)).delivery, { ok: true });
    });
  }

  test('to a server with another name fails', async (t) => {
    const more = `tls_config: {ca: ${JSON.stringify(TEST_CERTIFICATE)}, server_name: other.example.org}`;
    const { delivery } = await sendToSmtpSink(t, { offers: ['STARTTLS'] }, more, OVER_TLS);
    assert.equal(errorOf(delivery), 'send STARTTLS command: TLS: the certificate is for another host');
  });

  test('with a missing certificate fails for good', async (t) => {
    const { delivery } = await sendToSmtpSink(t, {}, 'tls_config: {ca_file: /no/such/file}');
    assert.match(errorOf(delivery), /^parse TLS configuration: unable to read CA cert: ENOENT/);
    assert.equal(delivery.ok || delivery.retry, false);
  });

  test('to an invalid port fails for good', async () => {
    const yaml = emailYaml(1).replace(':1"', ':http"');
    const error = 'establish connection to server: unknown port "http"';
    assert.deepEqual(await notifyOnce(email, yaml), { ok: false, retry: false, reason: 'other', error });
  });

  test('without a listener is retried', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    assert.deepEqual(await notifyOnce(email, emailYaml(port)), {
      ok: false,
      retry: true,
      reason: 'other',
      error: 'establish connection to server: connection refused',
    });
  });
});

const USER = { name: 'ops', password: 'hush' };

describe('logging in to a mail server', () => {
  const mechanisms: readonly (readonly [string, string, string])[] = [
    ['AUTH CRAM-MD5 PLAIN LOGIN', 'auth_password: x, auth_secret: hush', 'CRAM-MD5 ops'],
    ['AUTH PLAIN LOGIN CRAM-MD5', 'auth_password: hush, auth_secret: x', 'PLAIN ops'],
    ['AUTH LOGIN PLAIN', 'auth_password: hush', 'LOGIN ops'],
    ['AUTH CRAM-MD5 LOGIN', 'auth_password: hush', 'LOGIN ops'],
    ['AUTH GSSAPI PLAIN', 'auth_password: hush, auth_identity: team', 'PLAIN ops as team'],
    ['AUTH=LOGIN', 'auth_password: hush', 'LOGIN ops'],
  ];
  for (const [offer, secrets, login] of mechanisms) {
    test(`uses the first mechanism of the server with sufficient credentials: ${offer} with ${secrets}`, async (t) => {
      const { sink, delivery } = await sendToSmtpSink(
        t,
        { offers: [offer], user: USER },
        `auth_username: ops, ${secrets}`,
      );
      assert.deepEqual(delivery, { ok: true });
      assert.equal(sink.mails[0]?.login, login);
    });
  }

  test('is left out without a user name, and where the server offers none', async (t) => {
    const offering = await sendToSmtpSink(t, { offers: ['AUTH PLAIN'] }, 'auth_password: hush');
    const silent = await sendToSmtpSink(t, {}, 'auth_username: ops, auth_password: hush');
    for (const { sink } of [offering, silent]) assert.equal(sink.mails[0]?.login, undefined);
  });

  test('reads password and secret from files, at each use', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'opsdeck-'));
    t.after(() => rm(folder, { recursive: true }));
    const path = join(folder, 'secret');
    for (const [offer, field] of [
      ['AUTH PLAIN', 'auth_password_file'],
      ['AUTH CRAM-MD5', 'auth_secret_file'],
    ]) {
      await writeFile(path, 'hush\n');
      const options = { offers: [offer as string], user: USER };
      const { delivery } = await sendToSmtpSink(t, options, `auth_username: ops, ${field}: ${path}`);
      assert.deepEqual(delivery, { ok: true });
    }
    await rm(path);
    const { delivery } = await sendToSmtpSink(
      t,
      { offers: ['AUTH PLAIN'] },
      `auth_username: ops, auth_password_file: ${path}`,
    );
    assert.match(errorOf(delivery), /^find auth mechanism: could not read .*ENOENT/);
    assert.equal(delivery.ok || delivery.retry, true);
  });

  const lacking: readonly (readonly [string, string])[] = [
    ['AUTH CRAM-MD5', 'missing secret for CRAM-MD5 auth mechanism'],
    ['AUTH PLAIN LOGIN', 'missing password for PLAIN auth mechanism; missing password for LOGIN auth mechanism'],
    ['AUTH XOAUTH2', 'unknown auth mechanism: XOAUTH2'],
  ];
  for (const [offer, cause] of lacking) {
    test(`fails where nothing fits ${offer}`, async (t) => {
      const { delivery } = await sendToSmtpSink(t, { offers: [offer] }, 'auth_username: ops');
      const error = `find auth mechanism: ${cause}`;
      assert.deepEqual(delivery, { ok: false, retry: true, reason: 'other', error });
    });
  }

  for (const [mechanism, field] of [
    ['PLAIN', 'auth_password'],
    ['LOGIN', 'auth_password'],
    ['CRAM-MD5', 'auth_secret'],
  ] as const) {
    test(`with a wrong secret by ${mechanism} fails, is tried again, and shows no secret`, async (t) => {
      const options = { offers: [`AUTH ${mechanism}`], user: USER };
      const { delivery } = await sendToSmtpSink(t, options, `auth_username: ops, ${field}: wrong-secret`);
      assert.deepEqual(delivery, {
        ok: false,
        retry: true,
        reason: 'authError',
        error: `${mechanism} auth: 535 5.7.8 credentials invalid`,
      });
    });
  }

  test('by PLAIN is refused where others could read the password', async (t) => {
    const sink = await startSmtpSink(t, { offers: ['AUTH PLAIN'], user: USER });
    const yaml = emailYaml(sink.port, 'auth_username: ops, auth_password: hush').replace('127.0.0.1', 'LOCALHOST');
    assert.equal(errorOf(await notifyOnce(email, yaml)), 'PLAIN auth: unencrypted connection');
    assert.deepEqual(sink.mails, []);
  });

  test('hides a password that a server repeats', async (t) => {
    const script = (command: string) => (command.startsWith('AUTH') ? '535 not with wrong-secret' : undefined);
    const options = { offers: ['AUTH PLAIN'], script };
    const { delivery } = await sendToSmtpSink(t, options, 'auth_username: ops, auth_password: wrong-secret');
    assert.equal(errorOf(delivery), 'PLAIN auth: 535 not with <redacted>');
  });

  test('refused with a quote of its secret does not show it', async (t) => {
    const script = (command: string) => (command.startsWith('AUTH') ? `500 what is ${command}?` : undefined);
    const options = { offers: ['AUTH PLAIN'], script };
    for (const user of ['a', 'ab', 'abc']) {
      const { delivery } = await sendToSmtpSink(t, options, `auth_username: ${user}, auth_password: wrong-secret`);
      assert.equal(errorOf(delivery), 'PLAIN auth: 500 what is AUTH PLAIN <redacted>?');
    }
  });
});
