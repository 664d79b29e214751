import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Variables } from '../../kernel/settings/settings.ts';
import { ENVIRONMENT, type Given, problemsOf } from '../testing/config.ts';

const mistakes: [given: Given, problems: readonly string[]][] = [
  [{ config: 'no.conf' }, ['cannot read the configuration file no.conf: there is no such file']],
  [{ file: '[Mian]\nport = 1' }, ['relay.conf:1: there is no section [Mian]; is it [Main]?']],
  [{ file: '[Nonsense]' }, ['relay.conf:1: there is no section [Nonsense]']],
  [{ file: '[Main]\nprot = 1' }, ['relay.conf:2: [Main] has no key prot; is it port?']],
  [{ file: '[Main]\nxyzzy = 1' }, ['relay.conf:2: [Main] has no key xyzzy']],
  [{ file: '[Redis]\nhots = 1' }, ['relay.conf:2: [Redis] has no key hots; is it host?']],
  [{ file: '[Main "x"]' }, ['relay.conf:1: [Main] has no name: write [Main]']],
  [{ file: '[Environment]\nsdkKey = s' }, ['relay.conf:1: [Environment] needs a name: [Environment "name"]']],
  [{ file: '[Main]\nport' }, ['relay.conf:2: Main port: it needs a value, as in port = …']],
  [{ file: '[Main]\nport = 0' }, ['relay.conf:2: Main port: "0" is invalid; write a whole number from 1 to 65535']],
  [{ variables: { PORT: 'x' } }, ['PORT: "x" is invalid; write a whole number from 1 to 65535']],
  [{ variables: { USE_EVENTS: 'maybe' } }, ['USE_EVENTS: "maybe" is invalid; write true or false']],
  [
    { file: '[Main]\nheartbeatInterval = -1s' },
    ['relay.conf:2: Main heartbeatInterval: "-1s" is invalid; write a duration such as 30s or 3m, 0 for none'],
  ],
  [{ file: '[Main]\ntlsEnabled' }, ['relay.conf:2: Main tlsEnabled: TLS needs tlsCert and tlsKey']],
  [{ variables: { TLS_ENABLED: '1', TLS_KEY: 'k' } }, ['TLS_ENABLED: TLS needs tlsCert']],
  [{ variables: { TLS_ENABLED: '1', TLS_CERT: 'c' } }, ['TLS_ENABLED: TLS needs tlsKey']],
  [{ variables: { TLS_MIN_VERSION: 'x' } }, ['TLS_MIN_VERSION: "x" is invalid; write 1.0, 1.1, 1.2 or 1.3']],
  ...['0s', '-1s', '99ms'].flatMap((interval): [Given, readonly string[]][] => [
    [
      { variables: { EXPIRED_CREDENTIAL_CLEANUP_INTERVAL: interval } },
      [
        `EXPIRED_CREDENTIAL_CLEANUP_INTERVAL: "${interval}" is invalid; write a duration of at least 100ms such as 500ms, 30s, 5m or 1h30m`,
      ],
    ],
    [
      { file: `[OfflineMode]\nfileDataSource = a\nfileDataSourceMonitoringInterval = ${interval}` },
      [
        `relay.conf:3: OfflineMode fileDataSourceMonitoringInterval: "${interval}" is invalid; write a duration of at least 100ms such as 500ms, 30s, 5m or 1h30m`,
      ],
    ],
  ]),
  [
    { variables: { MAX_CLIENT_REQUEST_BODY_SIZE: '0B' } },
    ['MAX_CLIENT_REQUEST_BODY_SIZE: "0B" is invalid; write a size of at least 1B such as 500KiB, 5MiB or 1GiB'],
  ],
  [
    { variables: { PAGE_TOKEN: 'too short' } },
    [
      'PAGE_TOKEN: the value is invalid; write at least 16 visible ASCII characters, such as the output of openssl rand -hex 16',
    ],
  ],
  [{ variables: { EVENTS_CAPACITY: '0' } }, ['EVENTS_CAPACITY: "0" is invalid; write a whole number of at least 1']],
  [{ variables: { EVENTS_MODE: 'off', USE_EVENTS: '1' } }, ['EVENTS_MODE: off contradicts USE_EVENTS']],
  [
    { file: '[Environment "N"]\nmobileKey = m' },
    ['relay.conf:2: Environment "N": it has no SDK key; set sdkKey, or the variable LD_ENV_N'],
  ],
  [{ file: '[Environment "N"]' }, ['Environment "N": it has no SDK key; set sdkKey, or the variable LD_ENV_N']],
  // An unset secret.
  ...['', ' '].map((LD_ENV_prod): [Given, readonly string[]] => [
    { variables: { LD_ENV_prod, LD_ENV_test: 's' } },
    ['Environment "prod": it has no SDK key; set sdkKey, or the variable LD_ENV_prod'],
  ]),
  [{ file: '[Environment "N"]\nsdkKey = a b' }, ['relay.conf:2: Environment "N" sdkKey: the key contains white space']],
  [
    { file: `${ENVIRONMENT}[OfflineMode]\nfileDataSource = a` },
    [
      'relay.conf:4: OfflineMode fileDataSource: the archive names its environments, so none can be configured beside it',
    ],
  ],
  [
    { file: '[AutoConfig]\nenvAllowedOrigin = http://o\n[OfflineMode]\nenvAllowedHeader = H' },
    [
      'relay.conf:4: OfflineMode envAllowedHeader: it needs OfflineMode fileDataSource (FILE_DATA_SOURCE)',
      'relay.conf:2: AutoConfig envAllowedOrigin: it needs AutoConfig key (AUTO_CONFIG_KEY)',
    ],
  ],
  [
    { file: `${ENVIRONMENT}projKey = p\n[Filters "p"]\nkeys = f`, variables: { AUTO_CONFIG_KEY: 'rel-1' } },
    [
      'AUTO_CONFIG_KEY: automatic configuration names its environments, so none can be configured beside it',
      'AUTO_CONFIG_KEY: automatic configuration names its filters, so none can be configured beside it',
    ],
  ],
  [
    { variables: { AUTO_CONFIG_KEY: 'rel-1', AUTO_CONFIG_CACHE_ENCRYPTION_KEY: 'e' } },
    ['AUTO_CONFIG_CACHE_ENCRYPTION_KEY: it needs AutoConfig cacheKey (AUTO_CONFIG_CACHE_KEY)'],
  ],
  [
    { variables: { AUTO_CONFIG_KEY: 'rel 1', FILE_DATA_SOURCE: 'a' } },
    [
      'FILE_DATA_SOURCE: automatic configuration needs LaunchDarkly: leave out one of them',
      'AUTO_CONFIG_KEY: the key contains white space',
    ],
  ],
  [
    { file: '[AutoConfig]\nkey = rel-1', flags: 'flags.yml' },
    ['--flags: automatic configuration has environments of its own'],
  ],
  [
    { variables: { ENV_ALLOWED_ORIGIN: 'http://o', ENV_DATASTORE_PREFIX: 'p' } },
    [
      'ENV_ALLOWED_ORIGIN: it needs AUTO_CONFIG_KEY or FILE_DATA_SOURCE',
      'ENV_DATASTORE_PREFIX: it needs AUTO_CONFIG_KEY or FILE_DATA_SOURCE',
    ],
  ],
  [
    { variables: { PROXY_URL: 'http://p', PROXY_AUTH_NTLM: '1', PROXY_AUTH_DOMAIN: 'd' } },
    ['PROXY_AUTH_NTLM: NTLM is not supported; without it, user and password are sent as Basic'],
  ],
  [
    { variables: { USE_PROMETHEUS: '1', PROMETHEUS_PORT: '8030' } },
    ['PROMETHEUS_PORT: the relay itself listens on port 8030'],
  ],
  [
    { file: '[Prometheus]\nenabled', port: 8031 },
    ['relay.conf:2: Prometheus enabled: the relay itself listens on port 8031'],
  ],
  // Filters.
  [
    { file: `${ENVIRONMENT}projKey = p\n[Environment "N/x"]\nsdkKey = s\nprojKey = q\n[Filters "p"]\nkeys = x` },
    ['Environment "N/x": a filter of another environment makes the same name'],
  ],
  [
    { file: `${ENVIRONMENT}[Filters "p"]\nkeys = x` },
    [
      'relay.conf:2: Environment "N": it needs a projKey, as there are filters',
      'relay.conf:4: Filters "p" keys: no environment has the projKey "p"',
    ],
  ],
  [
    { file: `${ENVIRONMENT}projKey = p\n[Filters "p"]\nkeys = x,,y` },
    ['relay.conf:5: Filters "p" keys: the list has an empty filter'],
  ],
  [
    { file: `${ENVIRONMENT}projKey = p\n[Filters "p"]\nkeys = x\nkeys = x` },
    ['relay.conf:6: Filters "p" keys: the list has a filter twice'],
  ],
  [{ file: `${ENVIRONMENT}projKey = p\n[Filters "p"]` }, ['Filters "p": the list of filters is empty']],
  [
    { file: `${ENVIRONMENT}projKey = p\ndataFile = f.json\n[Filters "p"]\nkeys = x` },
    ['relay.conf:2: Environment "N": a data file cannot be filtered: leave out dataFile or the filters'],
  ],
  // Credentials that two environments share.
  ...(['sdkKey', 'mobileKey', 'envId'] as const).map((kind): [Given, readonly string[]] => {
    const keys = (n: number) => `sdkKey = sdk-${n}\n${kind === 'sdkKey' ? '' : `${kind} = same\n`}`;
    const [a, b] = kind === 'sdkKey' ? [keys(1), keys(1)] : [keys(1), keys(2)];
    const line = kind === 'sdkKey' ? 4 : 6;
    return [
      { file: `[Environment "a"]\n${a}[Environment "b"]\n${b}` },
      [`relay.conf:${line}: Environment "b" ${kind}: environment "a" has the same ${kind}`],
    ];
  }),
  [{ file: ENVIRONMENT, variables: { LD_ENV_M: 'sdk-1' } }, ['LD_ENV_M: environment "N" has the same sdkKey']],
  // Settings no longer supported.
  [
    { variables: { EVENTS_SAMPLING_INTERVAL: '1', LD_ENV_N: 's', LD_TTL_MINUTES_N: '5' } },
    [
      'EVENTS_SAMPLING_INTERVAL: this variable is no longer supported; leave it out',
      'LD_TTL_MINUTES_N: this variable is no longer supported; use LD_TTL_N',
    ],
  ],
  [{ file: '[Environment "N"]\nsdkKey = s\napiKey = k' }, ['relay.conf:3: apiKey is no longer supported; use sdkKey']],
  [
    { file: '[Environment "N"]\nsdkKey = s\nttlMinutes = 5' },
    ['relay.conf:3: ttlMinutes is no longer supported; use ttl, a duration such as 5m'],
  ],
];
for (const [given, problems] of mistakes) {
  test(`config: ${JSON.stringify(given)} is refused with its problems`, () => {
    assert.deepEqual(problemsOf(given), problems);
  });
}

// What ld-relay can do and this version cannot, turned on in a file or by the environment.
const foreign: [file: string, variables: Variables | undefined, expected: RegExp][] = [
  [
    '[Datadog]\nenabled',
    { USE_DATADOG: '1' },
    /metrics reach Datadog by OTLP: .* set OTEL_EXPORTER_OTLP_ENDPOINT to the OTLP port of its agent/,
  ],
  [
    '[Stackdriver]\nenabled = 1',
    { USE_STACKDRIVER: '1' },
    /metrics reach Stackdriver by OTLP: .* set OTEL_EXPORTER_OTLP_ENDPOINT/,
  ],
  [
    '[OpenTelemetry]\nenabled = true\nprotocol = grpc',
    { USE_OTLP: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    /grpc is not spoken: write http\/protobuf/,
  ],
];
for (const [file, variables, expected] of foreign) {
  test(`config: ${JSON.stringify(file)} is refused once, with the remedy`, () => {
    for (const given of [{ file }, ...(variables ? [{ variables }] : [])]) {
      const problems = problemsOf(given);
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', expected);
      assert.doesNotMatch(problems[0] ?? '', /secret|rel-1/);
    }
  });
}

test('config: all problems are reported together', () => {
  const file = '[Main]\nport = x\n???\nprot = 1\n[Datadog]\nenabled\n[Environment "N"]\nttl = soon';
  assert.deepEqual(
    problemsOf({ file, variables: { INIT_TIMEOUT: 'x', USE_STACKDRIVER: '1' } }).map((one) => one.split(': ')[0]),
    [
      'relay.conf:3',
      'relay.conf:2',
      'relay.conf:4',
      'relay.conf:6',
      'relay.conf:8',
      'USE_STACKDRIVER',
      'INIT_TIMEOUT',
      'Environment "N"',
    ],
  );
});

test('config: no problem repeats a key', () => {
  const file =
    '[Environment "a"]\nsdkKey = sdk-secret 1\nmobileKey = mob-secret\n[Environment "b"]\nsdkKey = s\nmobileKey = mob-secret\n';
  assert.doesNotMatch(problemsOf({ file }).join('\n'), /secret/);
});
