import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import {
  createSecureContext,
  createServer,
  DEFAULT_CIPHERS,
  type SecureVersion,
  type Server,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls';

export type ClientCertificates =
  /** No certificate is requested. */
  | 'none'
  /** Requested; a client without one, or with any, is accepted. */
  | 'wished'
  /** Required; any certificate is accepted. */
  | 'needed'
  /** Optional; one that is given must be signed by an authority. */
  | 'checked'
  | 'needed and checked';

/** The settings of TLS. Texts are PEM. */
export interface TlsSettings {
  readonly cert: string;
  readonly key: string;
  readonly clientCertificates: ClientCertificates;
  /** Authorities for the certificates of clients; the well-known ones unless given. */
  readonly clientCa?: string | undefined;
  /** Only clients with one of these alternative names (DNS, e-mail, IP, URI) are accepted. */
  readonly clientNames?: readonly string[] | undefined;
  readonly minVersion: SecureVersion;
  readonly maxVersion: SecureVersion;
  /** OpenSSL's names, joined by colons. */
  readonly ciphers?: string | undefined;
  readonly curves?: string | undefined;
  readonly prefersOwnCiphers: boolean;
  /** Whether a client may choose HTTP/2, which needs TLS 1.2 and modern ciphers; true unless given. */
  readonly offersHttp2?: boolean | undefined;
}

/** The time in which a client must finish its handshake. */
const HANDSHAKE_TIMEOUT_MS = 15_000;

export interface TlsFront {
  /** Takes an accepted connection; passes it on once it is secured. */
  accept(socket: Socket): void;
  /** Closes the connections that are not secured yet. */
  cutHandshakes(): void;
}

/**
 * Secures connections with the settings in force when they come in. `settings` returns the same object while nothing has
 * changed; while it throws, connections are refused.
 */
export function createTlsFront(settings: () => TlsSettings, onSecure: (socket: TLSSocket) => void): TlsFront {
  let current: TlsSettings | undefined;
  let server: Server | undefined;
  const handshakes = new Map<string, Socket>();
  const secured = (socket: TLSSocket) => {
    handshakes.delete(peerOf(socket));
    onSecure(socket);
  };
  return {
    cutHandshakes() {
      for (const socket of handshakes.values()) socket.destroy();
    },
    accept(socket) {
      try {
        const wanted = settings();
        if (!server || wanted !== current) server = serverFor(wanted, secured);
        current = wanted;
      } catch {
        socket.destroy();
        return;
      }
      const peer = peerOf(socket);
      handshakes.set(peer, socket);
      socket.once('close', () => {
        if (handshakes.get(peer) === socket) handshakes.delete(peer);
      });
      server.emit('connection', socket);
    },
  };
}

/** Identifies a client: a connection and its secured form have no reference to each other. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** A server that never listens: connections are passed to it. */
function serverFor(settings: TlsSettings, onSecure: (socket: TLSSocket) => void): Server {
  return createServer(tlsOptions(settings), (socket) => {
    if (isAllowed(socket, settings)) onSecure(socket);
    else socket.destroy();
  }).on('tlsClientError', (_, socket) => socket.destroy());
}

/**
 * Throws if there is no certificate, if certificate and key do not match, or if OpenSSL does not know one of the settings.
 * Otherwise connections would be refused one by one, without a message.
 */
export function checkTls(settings: TlsSettings): void {
  if (!/-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/.test(settings.cert)) throw new Error('there is no certificate');
  createSecureContext(tlsOptions(settings));
}

export function tlsOptions(settings: TlsSettings): TlsOptions {
  const { minVersion, ciphers = DEFAULT_CIPHERS } = settings;
  return {
    cert: settings.cert,
    key: settings.key,
    minVersion,
    maxVersion: settings.maxVersion,
    // OpenSSL supports versions before 1.2 only at the lowest security level.
    ciphers: isOldVersion(minVersion) ? `${ciphers}:@SECLEVEL=0` : ciphers,
    honorCipherOrder: settings.prefersOwnCiphers,
    ...(settings.curves === undefined ? {} : { ecdhCurve: settings.curves }),
    ...(settings.clientCa === undefined ? {} : { ca: certificatesIn(settings.clientCa) }),
    requestCert: settings.clientCertificates !== 'none',
    // Clients are accepted or refused after the handshake.
    rejectUnauthorized: false,
    ALPNProtocols: canOfferHttp2(settings) ? ['h2', 'http/1.1'] : ['http/1.1'],
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  };
}

/** Browsers refuse HTTP/2 with old versions and ciphers, and do not try HTTP/1.1 then. Source: RFC 9113, 9.2. */
function canOfferHttp2({ offersHttp2 = true, minVersion, maxVersion, ciphers }: TlsSettings): boolean {
  if (!offersHttp2 || isOldVersion(minVersion) || isOldVersion(maxVersion)) return false;
  return ciphers === undefined || minVersion === 'TLSv1.3' || /ECDHE-(RSA|ECDSA)-AES128-GCM-SHA256/.test(ciphers);
}

const isOldVersion = (version: SecureVersion) => version === 'TLSv1' || version === 'TLSv1.1';

/** An empty list trusts no authority; an empty text would stand for the well-known ones. */
function certificatesIn(pem: string): string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
}

function isAllowed(socket: TLSSocket, { clientCertificates, clientNames }: TlsSettings): boolean {
  if (clientCertificates === 'none') return true;
  const certificate = socket.getPeerX509Certificate();
  const isChecked = clientCertificates === 'checked' || clientCertificates === 'needed and checked';
  if (!certificate) return !clientCertificates.startsWith('needed') && clientNames === undefined;
  if (isChecked && !socket.authorized) return false;
  return clientNames === undefined || alternativeNames(certificate).some((name) => clientNames.includes(name));
}

/** The alternative names of a certificate: DNS names, e-mail and IP addresses, URIs. */
export function alternativeNames({ subjectAltName = '' }: Pick<X509Certificate, 'subjectAltName'>): readonly string[] {
  const names: string[] = [];
  for (const [, type, quoted, plain] of subjectAltName.matchAll(
    /(?:^|, )(DNS|email|IP Address|URI):(?:("(?:[^"\\]|\\.)*")|([^,]*))/g,
  )) {
    const name = quoted === undefined ? (plain ?? '') : (JSON.parse(quoted) as string);
    names.push(type === 'IP Address' ? shortAddress(name) : name);
  }
  return names;
}

/** Shortens an IPv6 address, which Node writes in full. */
function shortAddress(address: string): string {
  return address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}
