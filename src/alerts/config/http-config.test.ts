import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigFault, ConfigNode } from './config-node.ts';
import { DEFAULT_HTTP_CONFIG, type HttpConfig, httpConfig } from './http-config.ts';

const read = (yaml: string): HttpConfig => httpConfig.read(ConfigNode.parse(yaml));

test('the default is the result of an empty node', () => {
  assert.deepEqual(read('{}'), DEFAULT_HTTP_CONFIG);
  assert.deepEqual(httpConfig.print(DEFAULT_HTTP_CONFIG), { follow_redirects: true, enable_http2: true });
});

test('the old bearer_token is an authorization', () => {
  const token = { type: 'Bearer', credentials: 't', credentialsFile: undefined };
  assert.deepEqual(read('bearer_token: t'), { ...DEFAULT_HTTP_CONFIG, authorization: token });
  const file = { type: 'Bearer', credentials: undefined, credentialsFile: 'f' };
  assert.deepEqual(read('bearer_token_file: f'), { ...DEFAULT_HTTP_CONFIG, authorization: file });
  assert.deepEqual(read('authorization: {type: " ", credentials: x}').authorization?.type, 'Bearer');
});

test('secrets and passwords are not printed', () => {
  const http = read(`
basic_auth: {username: u, password: hunter2}
proxy_url: http://user:hunter2@proxy:8080/
proxy_connect_header: {X-A: [hunter2, '']}
tls_config: {cert: c, key: hunter2, min_version: TLS12}
http_headers: {X-Team: {values: [a], secrets: [hunter2], files: [f]}}
`);
  assert.deepEqual(httpConfig.print(http), {
    basic_auth: { username: 'u', password: '<secret>' },
    proxy_url: 'http://user:xxxxx@proxy:8080/',
    proxy_connect_header: { 'X-A': ['<secret>', ''] },
    tls_config: { cert: 'c', key: '<secret>', min_version: 'TLS12' },
    follow_redirects: true,
    enable_http2: true,
    http_headers: { 'X-Team': { values: ['a'], secrets: ['<secret>'], files: ['f'] } },
  });
});

test('claims keep their types', () => {
  const http = read(
    'oauth2: {client_id: c, token_url: "https://x/t", claims: {a: 1, b: yes, c: "yes", d: [x, {e: ~}]}}',
  );
  const claims = { a: 1, b: true, c: 'yes', d: ['x', { e: null }] };
  assert.deepEqual(http.oauth2?.claims, claims);
  assert.deepEqual((httpConfig.print(http) as { oauth2: { claims: unknown } }).oauth2.claims, claims);
});

const OAUTH = 'client_id: c, token_url: "https://x/t"';
const JWT = 'grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer"';

test('incompatible fields are refused in the words of Alertmanager', () => {
  const cases: readonly (readonly [yaml: string, message: string | undefined])[] = [
    [
      'bearer_token: a\nbearer_token_file: b',
      'line 2: at most one of bearer_token & bearer_token_file must be configured',
    ],
    [
      'basic_auth: {}\nbearer_token: a',
      'line 2: at most one of basic_auth, oauth2, bearer_token & bearer_token_file must be configured',
    ],
    [
      'authorization: {}\nbearer_token_file: a',
      'line 2: authorization is not compatible with bearer_token & bearer_token_file',
    ],
    [
      'basic_auth: {username: a, username_file: b}',
      'line 1: at most one of basic_auth username, username_file & username_ref must be configured',
    ],
    [
      'basic_auth: {password: a, password_file: b}',
      'line 1: at most one of basic_auth password, password_file & password_ref must be configured',
    ],
    [
      'authorization: {credentials: a, credentials_file: b}',
      'line 1: at most one of authorization credentials & credentials_file must be configured',
    ],
    ['authorization: {type: BASIC}', 'line 1: authorization type cannot be set to "basic", use "basic_auth" instead'],
    [
      'basic_auth: {}\nauthorization: {}',
      'line 2: at most one of basic_auth, oauth2 & authorization must be configured',
    ],
    [
      `basic_auth: {}\noauth2: {${OAUTH}}`,
      'line 2: at most one of basic_auth, oauth2 & authorization must be configured',
    ],
    ['oauth2: {token_url: "https://x/t"}', 'line 1: oauth2 client_id must be configured'],
    ['oauth2: {client_id: x}', 'line 1: oauth2 token_url must be configured'],
    [
      `oauth2: {${OAUTH}, client_secret: a, client_secret_file: b}`,
      'line 1: at most one of oauth2 client_secret, client_secret_file & client_secret_ref must be configured using grant-type=client_credentials',
    ],
    [`oauth2: {${OAUTH}, ${JWT}, client_secret: a, client_secret_file: b}`, undefined],
    [
      `oauth2: {${OAUTH}, ${JWT}, client_certificate_key: a, client_certificate_key_file: b}`,
      'line 1: at most one of oauth2 client_certificate_key, client_certificate_key_file & client_certificate_key_ref must be configured using grant-type=urn:ietf:params:oauth:grant-type:jwt-bearer',
    ],
    [`oauth2: {${OAUTH}, signature_algorithm: HS256}`, 'line 1: valid signature algorithms are RS256, RS384 and RS512'],
    [
      'proxy_connect_header: {a: [b]}',
      'line 1: if proxy_connect_header is configured, proxy_url or proxy_from_environment must also be configured',
    ],
    ['proxy_connect_header: {a: [b]}\nproxy_from_environment: true', undefined],
    [
      'proxy_from_environment: true\nproxy_url: http://x/',
      'line 2: if proxy_from_environment is configured, proxy_url must not be configured',
    ],
    [
      'proxy_from_environment: true\nno_proxy: x',
      'line 2: if proxy_from_environment is configured, no_proxy must not be configured',
    ],
    ['no_proxy: x', 'line 1: if no_proxy is configured, proxy_url must also be configured'],
    ['proxy_url: x\nno_proxy: x', undefined],
    ['proxy_url: http://u:%@x/', 'line 1: invalid URL escape; write a percent sign as %25'],
    ['proxy_url: http://u:%25@x/?%', undefined],
    ['tls_config: {ca: a, ca_file: b}', 'line 1: at most one of ca, ca_file & ca_ref must be configured'],
    [
      'tls_config:\n  cert: a\n  key: k\n  cert_file: b',
      'line 4: at most one of cert, cert_file & cert_ref must be configured',
    ],
    ['tls_config: {cert: c, key: a, key_file: b}', 'line 1: at most one of key and key_file must be configured'],
    [
      'tls_config: {cert_file: a}',
      'line 1: exactly one of key or key_file must be configured when a client certificate is configured',
    ],
    [
      'tls_config: {key: a}',
      'line 1: exactly one of cert or cert_file must be configured when a client key is configured',
    ],
    [
      'tls_config: {min_version: TLS13, max_version: TLS12}',
      'line 1: tls_config.max_version must be greater than or equal to tls_config.min_version if both are specified',
    ],
    ['tls_config: {max_version: TLS14}', 'line 1: unknown TLS version: TLS14'],
    ['http_headers: {content-TYPE: {values: [a]}}', 'line 1: setting header "Content-Type" is not allowed'],
    ['http_headers: {X-Amz-Date: {}}', 'line 1: setting header "X-Amz-Date" is not allowed'],
    ['http_headers: {X-Other: {}}', undefined],
  ];
  for (const [yaml, message] of cases) {
    if (message === undefined) assert.ok(read(yaml), yaml);
    else
      assert.throws(
        () => read(yaml),
        (error) => error instanceof ConfigFault && error.message === message,
        `${yaml}: ${message}`,
      );
  }
});
