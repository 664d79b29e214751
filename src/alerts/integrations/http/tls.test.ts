import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { temporaryFolder } from '../../../testing/processes.ts';
import { openTestClient } from '../../testing/notifier-parts.ts';
import type { HttpRequest } from '../notifier.ts';
import * as certificates from './testdata/certificates.ts';

const get = (url: string): HttpRequest => ({ method: 'GET', url, signal: new AbortController().signal });

interface TlsSink {
  readonly url: string;
  /** Of the peers, in the order of their requests. */
  readonly subjects: string[];
  readonly versions: (string | null)[];
}

async function startTlsSink(t: TestContext, options: object = {}): Promise<TlsSink> {
  const { LOCAL_CERT: cert, LOCAL_KEY: key } = certificates;
  const subjects: string[] = [];
  const versions: (string | null)[] = [];
  const server = createServer({ cert, key, ...options }, (request, response) => {
    const socket = request.socket as TLSSocket;
    subjects.push(String(socket.getPeerCertificate().subject?.CN));
    versions.push(socket.getProtocol());
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, subjects, versions };
}

const flow = (text: string) => JSON.stringify(text);
const CA = `ca: ${flow(certificates.AUTHORITY)}`;

test('a server with an unknown authority is refused', async (t) => {
  const { url } = await startTlsSink(t);
  await assert.rejects(openTestClient(t).send(get(url)), {
    message: 'TLS: the certificate is signed by an authority that is not known',
  });
});

test('a server with a configured authority is trusted', async (t) => {
  const { url } = await startTlsSink(t);
  assert.equal((await openTestClient(t, `tls_config: {${CA}}`).send(get(url))).status, 200);
});

test('a file without a certificate means neither the well-known authorities nor no certificate', async (t) => {
  const { url } = await startTlsSink(t);
  const folder = temporaryFolder(t);
  const path = (name: string) => join(folder, name);
  await writeFile(path('empty'), '');
  await writeFile(path('other'), 'route: {}\n');
  await writeFile(path('ca'), certificates.AUTHORITY);
  const cases = [
    [`ca_file: ${path('empty')}`, `unable to use specified CA cert file ${path('empty')}: it holds no certificate`],
    [`ca_file: ${path('other')}`, `unable to use specified CA cert file ${path('other')}: it holds no certificate`],
    [
      `ca_file: ${path('ca')}, cert_file: ${path('empty')}, key: k`,
      `unable to use specified client cert file ${path('empty')}: it holds no certificate`,
    ],
    [
      `ca_file: ${path('ca')}, cert_file: ${path('ca')}, key_file: ${path('empty')}`,
      `unable to use specified client key file ${path('empty')}: it is empty`,
    ],
  ];
  for (const [tls, message] of cases)
    await assert.rejects(openTestClient(t, `tls_config: {${tls}}`).send(get(url)), { message });
});

test('insecure_skip_verify trusts every server', async (t) => {
  const { url } = await startTlsSink(t);
  assert.equal((await openTestClient(t, 'tls_config: {insecure_skip_verify: true}').send(get(url))).status, 200);
});

test('a certificate for another host is refused, unless server_name names it', async (t) => {
  const { url } = await startTlsSink(t, { cert: certificates.NAMED_CERT, key: certificates.NAMED_KEY });
  await assert.rejects(openTestClient(t, `tls_config: {${CA}}`).send(get(url)), {
    message: 'TLS: the certificate is for another host',
  });
  const named = openTestClient(t, `tls_config: {${CA}, server_name: hooks.example.org}`);
  assert.equal((await named.send(get(url))).status, 200);
});

test('max_version and min_version bound the version of TLS', async (t) => {
  const { url, versions } = await startTlsSink(t);
  await openTestClient(t, `tls_config: {${CA}, max_version: TLS12}`).send(get(url));
  await openTestClient(t, `tls_config: {${CA}, min_version: TLS13}`).send(get(url));
  assert.deepEqual(versions, ['TLSv1.2', 'TLSv1.3']);
  const old = await startTlsSink(t, { maxVersion: 'TLSv1.2' });
  await assert.rejects(openTestClient(t, `tls_config: {${CA}, min_version: TLS13}`).send(get(old.url)), {
    message: /^TLS: .*protocol version/,
  });
});

test('a client certificate is shown, from files, which are read again when they change', async (t) => {
  const { url, subjects } = await startTlsSink(t, {
    ca: certificates.AUTHORITY,
    requestCert: true,
    rejectUnauthorized: false,
  });
  const folder = temporaryFolder(t);
  const [ca, cert, key] = ['ca', 'cert', 'key'].map((name) => join(folder, name)) as [string, string, string];
  await writeFile(ca, certificates.AUTHORITY);
  const client = openTestClient(t, `tls_config: {ca_file: ${ca}, cert_file: ${cert}, key_file: ${key}}`);
  await assert.rejects(client.send(get(url)), { message: /^unable to read client cert: ENOENT/ });
  for (const [newCert, newKey] of [
    [certificates.CLIENT_CERT, certificates.CLIENT_KEY],
    [certificates.NAMED_CERT, certificates.NAMED_KEY],
  ] as const) {
    await writeFile(cert, newCert);
    await writeFile(key, newKey);
    await client.send(get(url));
    await client.send(get(url));
  }
  assert.deepEqual(subjects, ['client', 'client', 'server', 'server']);
});
