import { isBcryptHash } from '../../../kernel/http/basic-auth.ts';
import type { ClientCertificates } from '../../../kernel/http/tls-front.ts';
import {
  bool,
  goDuration,
  integer,
  type Kind,
  list,
  map,
  object,
  optional,
  secret,
  text,
  type ValueOf,
  withDefault,
} from '../kind.ts';

// The web configuration file of Prometheus' servers. Source: exporter-toolkit 0.17, web/tls_config.go and web/handler.go.

/** The cipher suites that may be chosen: Go's names and OpenSSL's. */
const CIPHERS: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: 'ECDHE-ECDSA-AES128-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: 'ECDHE-ECDSA-AES256-SHA',
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: 'ECDHE-RSA-AES128-SHA',
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: 'ECDHE-RSA-AES256-SHA',
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: 'ECDHE-ECDSA-AES128-GCM-SHA256',
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: 'ECDHE-ECDSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: 'ECDHE-RSA-AES128-GCM-SHA256',
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: 'ECDHE-RSA-AES256-GCM-SHA384',
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-RSA-CHACHA20-POLY1305',
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: 'ECDHE-ECDSA-CHACHA20-POLY1305',
  TLS_AES_128_GCM_SHA256: 'TLS_AES_128_GCM_SHA256',
  TLS_AES_256_GCM_SHA384: 'TLS_AES_256_GCM_SHA384',
  TLS_CHACHA20_POLY1305_SHA256: 'TLS_CHACHA20_POLY1305_SHA256',
};
const CURVES = { CurveP256: 'P-256', CurveP384: 'P-384', CurveP521: 'P-521', X25519: 'X25519' } as const;
const VERSIONS = { TLS10: 'TLSv1', TLS11: 'TLSv1.1', TLS12: 'TLSv1.2', TLS13: 'TLSv1.3' } as const;

const CLIENT_CERTIFICATES: Readonly<Record<string, ClientCertificates>> = {
  '': 'none',
  NoClientCert: 'none',
  RequestClientCert: 'wished',
  RequireAnyClientCert: 'needed',
  RequireClientCert: 'needed',
  VerifyClientCertIfGiven: 'checked',
  RequireAndVerifyClientCert: 'needed and checked',
};

/** The headers that may be added to every answer, with the allowed values if these are limited. */
const HEADERS: Readonly<Record<string, readonly string[]>> = {
  'Strict-Transport-Security': [],
  'X-Content-Type-Options': ['nosniff'],
  'X-Frame-Options': ['deny', 'sameorigin'],
  'X-XSS-Protection': [],
  'Content-Security-Policy': [],
};

/** One of the names, read as its value. */
function named<T>(what: string, names: Readonly<Record<string, T>>): Kind<T> {
  return {
    read(node) {
      const word = node.text();
      if (Object.hasOwn(names, word)) return names[word] as T;
      const known = Object.keys(names).filter((name) => name !== '');
      throw node.fault(`${what}: ${word}; it may be one of ${known.join(', ')}`);
    },
    print: (value) => value,
  };
}

const headers: Kind<Readonly<Record<string, string>>> = {
  read: (node) => {
    for (const [name, value] of node.entries()) {
      const allowed = Object.hasOwn(HEADERS, name.text()) ? HEADERS[name.text()] : undefined;
      if (allowed === undefined) throw name.fault(`HTTP header ${JSON.stringify(name.text())} can not be configured`);
      if (/[^\t\r\n -~]/.test(value.text()))
        throw value.fault('a header cannot hold other letters than those of ASCII');
      if (allowed.length === 0 || allowed.includes(value.text())) continue;
      const expected = allowed.map((word) => JSON.stringify(word)).join(' ');
      const got = JSON.stringify(value.text());
      throw value.fault(`invalid value for ${name.text()}. Expected one of: [${expected}], but got: ${got}`);
    }
    return map(text).read(node);
  },
  print: (values) => values,
};

const passwordHash: Kind<string> = {
  read(node) {
    const hash = node.text();
    if (isBcryptHash(hash)) return hash;
    throw node.fault('this is not a bcrypt hash; make one with: htpasswd -nBC 10 "" | tr -d ":\\n"');
  },
  print: secret.print,
};

/** A null is an interval of 0. */
const interval: Kind<number> = {
  ...goDuration,
  read: (node) => (node.text() === '0' ? 0 : goDuration.read(node)),
};

const tlsServer = object({
  cert: withDefault(text, ''),
  key: withDefault(secret, ''),
  client_ca: withDefault(text, ''),
  cert_file: withDefault(text, ''),
  key_file: withDefault(text, ''),
  client_ca_file: withDefault(text, ''),
  client_auth_type: optional(named('invalid ClientAuth', CLIENT_CERTIFICATES)),
  client_allowed_sans: optional(list(text)),
  cipher_suites: withDefault(list(named('unknown cipher', CIPHERS)), []),
  curve_preferences: withDefault(list(named<string>('unknown curve', CURVES)), []),
  min_version: withDefault(named('unknown TLS version', VERSIONS), 'TLSv1.2'),
  max_version: withDefault(named('unknown TLS version', VERSIONS), 'TLSv1.3'),
  prefer_server_cipher_suites: withDefault(bool, true),
});

export const webConfig = object({
  tls_server_config: optional(tlsServer),
  http_server_config: optional(object({ http2: withDefault(bool, true), headers: withDefault(headers, {}) })),
  rate_limit: optional(object({ burst: withDefault(integer, 0), interval: withDefault(interval, 0) })),
  basic_auth_users: withDefault(map(passwordHash), {}),
});

export type WebConfig = ValueOf<typeof webConfig>;
export type TlsServerConfig = ValueOf<typeof tlsServer>;
