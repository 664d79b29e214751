import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { type RequestOptions, request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectTls, type PeerCertificate, type TLSSocket } from 'node:tls';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { systemClock } from '../clock.ts';
import { AUTHORITY, CLIENT, OTHER_SERVER, SERVER, STRANGER } from '../testdata/tls-certificates.ts';
import { type ListenOptions, listen } from './server.ts';
import { alternativeNames, type ClientCertificates, type TlsSettings, tlsOptions } from './tls-front.ts';

const SETTINGS: TlsSettings = {
  ...SERVER,
  clientCertificates: 'none',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.3',
  prefersOwnCiphers: true,
};

async function start(
  t: TestContext,
  tls: () => TlsSettings,
  { fetch = () => new Response('hello'), clock = systemClock }: Partial<Pick<ListenOptions, 'fetch' | 'clock'>> = {},
) {
  const listener = await listen({ fetch, addresses: [{ host: '127.0.0.1', port: 0 }], clock, tls });
  t.after(() => listener.close(0));
  return { listener, port: Number(new URL(listener.url).port) };
}

interface Answer {
  readonly body: string;
  readonly socket: TLSSocket;
  readonly certificate: PeerCertificate;
}

function get(port: number, options: RequestOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, ca: AUTHORITY, agent: false, ...options }, async (response) => {
      const socket = response.socket as TLSSocket;
      resolve({ socket, certificate: socket.getPeerCertificate(), body: await text(response) });
    })
      .on('error', reject)
      .end();
  });
}

describe('HTTPS', () => {
  test('answers, and the URL has its scheme', async (t) => {
    const { listener, port } = await start(t, () => SETTINGS);
    assert.match(listener.url, /^https:\/\/127\.0\.0\.1:\d+$/);
    const { body, socket } = await get(port);
    assert.equal(body, 'hello');
    assert.equal(socket.getProtocol(), 'TLSv1.3');
  });

  const offers: readonly [when: string, settings: Partial<TlsSettings>, protocol: string][] = [
    ['unless forbidden', {}, 'h2'],
    ['with its own cipher among others', { ciphers: 'ECDHE-RSA-AES256-SHA:ECDHE-ECDSA-AES128-GCM-SHA256' }, 'h2'],
    ['not if it is turned off', { offersHttp2: false }, 'http/1.1'],
    ['not with old versions of TLS', { minVersion: 'TLSv1.1' }, 'http/1.1'],
    ['not with old ciphers alone', { ciphers: 'ECDHE-ECDSA-AES128-SHA', maxVersion: 'TLSv1.2' }, 'http/1.1'],
  ];
  for (const [when, settings, protocol] of offers)
    test(`offers HTTP/2 ${when}`, async (t) => {
      const { port } = await start(t, () => ({ ...SETTINGS, ...settings }));
      const socket = connectTls({ host: '127.0.0.1', port, ca: AUTHORITY, ALPNProtocols: ['h2', 'http/1.1'] });
      t.after(() => socket.destroy());
      await new Promise((done) => socket.once('secureConnect', done));
      assert.equal(socket.alpnProtocol, protocol);
    });

  test('shows new connections a certificate that has changed', async (t) => {
    let settings = SETTINGS;
    const { port } = await start(t, () => settings);
    const serials = [(await get(port)).certificate.serialNumber, (await get(port)).certificate.serialNumber];
    settings = { ...SETTINGS, ...OTHER_SERVER };
    serials.push((await get(port)).certificate.serialNumber);
    const expected = [SERVER, SERVER, OTHER_SERVER].map(({ cert }) => new X509Certificate(cert).serialNumber);
    assert.deepEqual(serials, expected);
  });

  test('refuses connections while its settings are unreadable, and goes on afterwards', async (t) => {
    let broken = false;
    const { port } = await start(t, () => {
      if (broken) throw new Error('broken');
      return SETTINGS;
    });
    broken = true;
    await assert.rejects(get(port));
    broken = false;
    assert.equal((await get(port)).body, 'hello');
  });

  test('refuses settings with a key of another certificate', async (t) => {
    const { port } = await start(t, () => ({ ...SETTINGS, key: OTHER_SERVER.key }));
    await assert.rejects(get(port));
  });

  test('survives a client with plain HTTP', async (t) => {
    const { port } = await start(t, () => SETTINGS);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
    assert.equal((await get(port)).body, 'hello');
  });

  const versions: readonly (readonly [Partial<TlsSettings>, RequestOptions, string | undefined])[] = [
    [{ maxVersion: 'TLSv1.2' }, {}, 'TLSv1.2'],
    [{ minVersion: 'TLSv1.3' }, { maxVersion: 'TLSv1.2' }, undefined],
    [
      { minVersion: 'TLSv1.1' },
      { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
      'TLSv1.1',
    ],
    [{}, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }, undefined],
  ];
  for (const [settings, client, version] of versions) {
    const name = `${JSON.stringify(settings)} for a client of ${JSON.stringify(client)}`;
    test(`with ${name} ${version ? `speaks ${version}` : 'is refused'}`, async (t) => {
      const { port } = await start(t, () => ({ ...SETTINGS, ...settings }));
      if (version) assert.equal((await get(port, client)).socket.getProtocol(), version);
      else await assert.rejects(get(port, client));
    });
  }

  test('chooses among its ciphers and curves', async (t) => {
    const ciphers = 'ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES128-GCM-SHA256';
    const { port } = await start(t, () => ({ ...SETTINGS, maxVersion: 'TLSv1.2', ciphers, curves: 'P-384' }));
    const { socket } = await get(port, { ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384' });
    assert.equal(socket.getCipher().name, 'ECDHE-ECDSA-AES256-GCM-SHA384');
    await assert.rejects(get(port, { ciphers: 'ECDHE-ECDSA-CHACHA20-POLY1305' }));
    await assert.rejects(get(port, { ecdhCurve: 'P-256' }));
  });
});

describe('client certificates', () => {
  const anonymous = {};
  const cases: readonly (readonly [
    ClientCertificates,
    readonly [anonymous: boolean, client: boolean, stranger: boolean],
  ])[] = [
    ['none', [true, true, true]],
    ['wished', [true, true, true]],
    ['needed', [false, true, true]],
    ['checked', [true, true, false]],
    ['needed and checked', [false, true, false]],
  ];
  for (const [clientCertificates, expected] of cases) {
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      test(`${clientCertificates}, in ${maxVersion}`, async (t) => {
        const { port } = await start(t, () => ({ ...SETTINGS, maxVersion, clientCertificates, clientCa: AUTHORITY }));
        const found: boolean[] = [];
        for (const client of [anonymous, CLIENT, STRANGER]) {
          found.push(
            await get(port, client).then(
              () => true,
              () => false,
            ),
          );
        }
        assert.deepEqual(found, expected);
      });
    }
  }

  for (const clientCa of ['', 'junk', STRANGER.cert]) {
    test(`are trusted by no client where the authorities are ${JSON.stringify(clientCa.slice(0, 30))}`, async (t) => {
      const settings = { ...SETTINGS, clientCertificates: 'needed and checked', clientCa } as const;
      assert.ok(Array.isArray(tlsOptions(settings).ca), 'OpenSSL would take its own authorities');
      const { port } = await start(t, () => settings);
      await assert.rejects(get(port, CLIENT));
    });
  }

  test('are accepted by one of their names', async (t) => {
    let clientNames: readonly string[] = [];
    const { port } = await start(t, () => ({
      ...SETTINGS,
      clientCertificates: 'needed and checked',
      clientCa: AUTHORITY,
      clientNames,
    }));
    await assert.rejects(get(port, CLIENT));
    for (const name of [
      'prometheus.example.org',
      'ops@example.org',
      '192.0.2.7',
      '2001:db8::1',
      'spiffe://example.org/a,b',
    ]) {
      clientNames = ['other', name];
      assert.equal((await get(port, CLIENT)).body, 'hello', name);
    }
    clientNames = ['example.org'];
    await assert.rejects(get(port, CLIENT));
  });

  test('have names that are read one by one', () => {
    assert.deepEqual(alternativeNames(new X509Certificate(CLIENT.cert)), [
      'prometheus.example.org',
      'ops@example.org',
      '192.0.2.7',
      '2001:db8::1',
      'spiffe://example.org/a,b',
    ]);
    assert.deepEqual(alternativeNames({ subjectAltName: undefined }), []);
  });
});

describe('closing', () => {
  test('waits for a request over HTTPS', async (t) => {
    let answer = (_: Response) => {};
    let asked = false;
    const clock = new FakeClock();
    const fetch = () => {
      asked = true;
      return new Promise<Response>((resolve) => {
        answer = resolve;
      });
    };
    const { listener, port } = await start(t, () => SETTINGS, { fetch, clock });
    const got = get(port);
    await eventually('the request', () => asked, { everyMs: 1 });
    let isClosed = false;
    const closed = listener.close(10_000).then(() => {
      isClosed = true;
    });
    // Idle connections are looked for meanwhile.
    clock.advance(1_000);
    answer(new Response('at last'));
    assert.equal((await got).body, 'at last');
    await eventually('the end', () => {
      clock.advance(25);
      return isClosed;
    });
    await closed;
  });

  test('cuts unfinished handshakes and idle connections', async (t) => {
    const { listener, port } = await start(t, () => SETTINGS);
    const halfway = connectTcp(port, '127.0.0.1');
    const idle = connectTls({ host: '127.0.0.1', port, ca: AUTHORITY });
    t.after(() => [halfway, idle].forEach((socket) => void socket.destroy()));
    const ended = [halfway, idle].map(
      (socket) => new Promise((done) => socket.on('error', () => {}).once('close', done)),
    );
    await new Promise((done) => idle.once('secureConnect', done));
    halfway.resume();
    idle.resume();
    await listener.close(10_000);
    await Promise.all(ended);
  });
});
