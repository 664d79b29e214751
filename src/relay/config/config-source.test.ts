import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SAMPLE_FLAGS } from '../file-source/sample.ts';
import {
  ENVIRONMENT,
  environment,
  type Given,
  KEYS,
  loaded,
  optionsOf,
  problemsOf,
  RELAY_DEFAULTS,
} from '../testing/config.ts';
import { loadConfig } from './config-source.ts';
import { LOCAL_ENVIRONMENT } from './relay-defaults.ts';

test('config: variables take precedence over the file, the command line over both', () => {
  const file = '[Main]\nport = 1\nlogLevel = warn\nrecordPath = f\nevaluatedStreams = true\nhost = h1\n';
  const variables = { PORT: '2', LOG_LEVEL: 'error', RECORD_PATH: 'v', EVALUATED_STREAMS: 'false', LISTEN_HOST: 'h2' };
  const pick = (given: Given) => {
    const { port, logLevel, recordPath, evaluatedStreams, host } = optionsOf(given);
    return [port, logLevel, recordPath, evaluatedStreams, host];
  };
  assert.deepEqual(pick({ file }), [1, 'warn', 'f', true, 'h1']);
  assert.deepEqual(pick({ file, variables }), [2, 'error', 'v', false, 'h2']);
  const line = { port: 0, logLevel: 'debug', record: 'c', evaluatedStreams: true, host: 'h3' } as const;
  assert.deepEqual(pick({ file, variables, ...line }), [0, 'debug', 'c', true, 'h3']);
});

test('config: without --from-env no variable counts', () => {
  const outcome = loadConfig(
    { config: 'f' },
    { PORT: '2', LD_ENV_N: 's' },
    {
      exists: () => false,
      read: () => '',
      localKeys: () => KEYS,
    },
  );
  assert.ok(outcome.ok);
  assert.equal(outcome.value.options.port, 8030);
  assert.deepEqual(outcome.value.options.environments, []);
});

test('config: variables complete an environment of the file, and replace its lists', () => {
  const file = '[Environment "N"]\nallowedOrigin = http://f\nttl = 5m\n';
  const variables = { LD_ENV_N: 'sdk-1', LD_ALLOWED_ORIGIN_N: 'http://v', LD_MOBILE_KEY_N: 'mob-1' };
  assert.deepEqual(optionsOf({ file, variables }).environments, [
    environment('N', 'sdk-1', { mobileKey: 'mob-1', allowedOrigins: ['http://v'], ttlMs: 300_000 }),
  ]);
  assert.equal(
    optionsOf({ file: `${file}sdkKey = s`, variables: { LD_MOBILE_KEY_N: 'mob-1' } }).environments[0]?.mobileKey,
    'mob-1',
  );
});

test('config: a section may come in pieces', () => {
  const file = '[Main]\nport = 1\n[Environment "N"]\nsdkKey = s\n[Main]\nport = 2\n[environment "N"]\nmobileKey = m\n';
  const options = optionsOf({ file });
  assert.equal(options.port, 2);
  assert.deepEqual(options.environments, [environment('N', 's', { mobileKey: 'm' })]);
});

test('config: a setting without effect is accepted with a warning', () => {
  const { warnings } = loaded({
    file: '[Events]\ninlineUsers = true\n[Environment "Prod"]\nsdkKey = s',
    variables: { LD_MOBILE_KEY_prod: 'm', LD_TTL_other: '5m', EVENTS_INLINE_USERS: '', LD_LIBRARY_PATH: '/lib' },
  });
  assert.deepEqual(warnings, [
    'relay.conf:2: Events inlineUsers has no effect: the present form of events has no users in line',
    'LD_MOBILE_KEY_prod has no effect: there is no LD_ENV_prod; is it LD_MOBILE_KEY_Prod?',
    'LD_TTL_other has no effect: there is no LD_ENV_other',
  ]);
});

test('config: what ld-relay accepts in a careless configuration is accepted with a warning', () => {
  const variables = {
    LD_ENV_N: ' sdk-1\n',
    LD_ALLOWED_ORIGIN_N: 'http://a,,http://b,',
    PROXY_AUTH_USER: 'u',
    PROXY_CA_CERTS: ',ca.pem',
    REDIS_TTL: '30000',
  };
  const { options, warnings } = loaded({ variables });
  assert.deepEqual(options.environments, [environment('N', 'sdk-1', { allowedOrigins: ['http://a', 'http://b'] })]);
  assert.deepEqual(options.proxy, { url: undefined, caCertFiles: ['ca.pem'] });
  assert.deepEqual(warnings, [
    'REDIS_TTL has no effect: it is no longer supported; use CACHE_TTL',
    'PROXY_CA_CERTS: an empty entry of the list is ignored',
    'LD_ENV_N: the white space around it is ignored',
    'LD_ALLOWED_ORIGIN_N: an empty entry of the list is ignored',
    'PROXY_AUTH_USER has no effect: there is no Proxy url (PROXY_URL)',
  ]);
});

test('config: an empty variable does not replace the key of the file', () => {
  const options = optionsOf({ file: ENVIRONMENT, variables: { LD_ENV_N: '' } });
  assert.deepEqual(options.environments, [environment('N', 'sdk-1')]);
});

test('config: a missing file may be missing when that was said', () => {
  const { options, warnings } = loaded({ config: 'no.conf', allowMissingFile: true });
  assert.deepEqual(options, RELAY_DEFAULTS);
  assert.deepEqual(warnings, ['no environment is configured: only /status is served, and /readyz stays 503']);
  assert.deepEqual(
    optionsOf({ config: 'no.conf', allowMissingFile: true, variables: { LD_ENV_N: 's' } }).environments,
    [environment('N', 's')],
  );
});

test('config: without a path the default file counts if it exists', () => {
  const { options, isSample } = loaded({ file: ENVIRONMENT, hasUsualFile: true });
  assert.equal(isSample, false);
  assert.deepEqual(options.environments, [environment('N', 'sdk-1')]);
});

test('config: with nothing at all, the sample is served on this machine alone', () => {
  const { options, isSample } = loaded({});
  assert.equal(isSample, true);
  assert.deepEqual(options.site?.hosts, []);
  assert.deepEqual(options, {
    ...RELAY_DEFAULTS,
    site: options.site,
    host: '127.0.0.1',
    isLocal: true,
    events: { ...RELAY_DEFAULTS.events, mode: 'discard' },
    environments: [{ ...LOCAL_ENVIRONMENT, dataFile: SAMPLE_FLAGS }],
  });
});

test('config: --flags serves the environment called local, and no usual file counts', () => {
  const { options, isSample } = loaded({ flags: 'f.json', file: ENVIRONMENT, hasUsualFile: true });
  assert.equal(isSample, false);
  assert.deepEqual(options.environments, [{ ...LOCAL_ENVIRONMENT, ...KEYS, dataFile: 'f.json' }]);
  assert.deepEqual([options.host, options.site?.hosts], ['127.0.0.1', []]);
  const open = loaded({ flags: 'f.json', host: '0.0.0.0' });
  assert.equal(open.options.host, '0.0.0.0');
  assert.equal(open.options.site, undefined);
  assert.deepEqual(loaded({ flags: 'f.json', host: '0.0.0.0', allowedHost: ['a.example'] }).options.site?.hosts, [
    'a.example',
  ]);
});

test('config: --flags replaces the data of the only configured environment', () => {
  const options = optionsOf({ flags: 'f.json', file: `${ENVIRONMENT}[Events]\nsendEvents = true` });
  assert.deepEqual(options.environments, [environment('N', 'sdk-1', { dataFile: 'f.json' })]);
  assert.equal(options.isLocal, true);
  assert.equal(options.events.mode, 'discard');
  assert.equal(options.host, undefined);
});

test('config: --flags is refused with two environments, or an archive', () => {
  const file = `${ENVIRONMENT}[Environment "M"]\nsdkKey = sdk-2`;
  assert.deepEqual(problemsOf({ flags: 'f', file }), [
    '--flags serves one environment, and 2 are configured (N, M): give each its dataFile',
  ]);
  assert.match(problemsOf({ flags: 'f', variables: { FILE_DATA_SOURCE: 'a' } }).join(), /^--flags: an archive/);
});

test('config: environments are local if all have files, and not beside others', () => {
  const local = '[Environment "L"]\nsdkKey = l\ndataFile = f.yml\n';
  assert.equal(optionsOf({ file: local }).isLocal, true);
  assert.equal(optionsOf({ file: local }).environments[0]?.dataFile, 'f.yml');
  assert.equal(optionsOf({ variables: { LD_ENV_L: 'l', LD_DATA_FILE_L: 'f.yml' } }).isLocal, true);
  assert.equal(optionsOf({ file: local + ENVIRONMENT }).isLocal, false);
});

test('config: the form of the log is passed on', () => {
  assert.equal(loaded({ variables: { LOG_FORMAT: 'json' } }).logFormat, 'json');
  assert.equal(loaded({ file: '[Main]\nlogFormat = text' }).logFormat, 'logfmt');
  assert.equal(loaded({ file: '' }).logFormat, undefined);
});
