import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list, map, object, optional, secret, secretUrl, text, url, withDefault } from '../../config/kind.ts';
import { Redaction } from './redaction.ts';

const kind = object({
  url: optional(secretUrl),
  api_url: optional(url),
  api_token: withDefault(secret, ''),
  name: withDefault(text, ''),
  more_secrets: optional(list(secret)),
  http_headers: optional(map(object({ secrets: withDefault(list(secret), []) }))),
});
type Config = Parameters<typeof kind.print>[0];

function redactionOf(config: Partial<Config>): Redaction {
  const whole: Config = {
    url: undefined,
    apiUrl: undefined,
    apiToken: '',
    name: '',
    moreSecrets: undefined,
    httpHeaders: undefined,
    ...config,
  };
  return new Redaction(whole, kind.print(whole));
}

test('secrets are hidden at any place and depth, and nothing else is', () => {
  const redaction = redactionOf({
    apiToken: 'tok-1',
    name: 'visible',
    moreSecrets: ['s3 cret/"x"'],
    httpHeaders: { 'X-My_Key': { secrets: ['deep-9'] } },
  });
  assert.equal(
    redaction.text(
      '{"a":"tok-1","b":"visible","c":"s3 cret/\\"x\\""} deep-9 ?q=s3%20cret%2F%22x%22&r=s3+cret%2F%22x%22',
    ),
    '{"a":"<secret>","b":"visible","c":"<secret>"} <secret> ?q=<secret>&r=<secret>',
  );
});

test('of two secrets the longer one, which contains the other, is hidden whole', () => {
  assert.equal(redactionOf({ moreSecrets: ['abc', 'abcdef'] }).text('abcdef abc'), '<secret> <secret>');
});

test('a secret read from a file later is hidden from then on', () => {
  const redaction = redactionOf({});
  assert.equal(redaction.text('from-file'), 'from-file');
  redaction.hide('from-file');
  redaction.hide('');
  assert.equal(redaction.text('from-file'), '<secret>');
});

test('the fixed parts of a secret that is a template are secrets too', () => {
  const redaction = redactionOf({ apiToken: 'key-of-{{ .CommonLabels.team }}-x' });
  assert.equal(redaction.text('key-of-db-x'), '<secret>db-x');
});

const urls: [why: string, config: Partial<Config>, url: string, shown: string][] = [
  [
    'a secret URL shows its host',
    { url: 'https://hooks.example/T1/B2?k=3' },
    'https://hooks.example/T1/B2?k=3',
    'https://hooks.example/…',
  ],
  [
    'so does what a template made of one',
    { url: 'https://hooks.example/{{ .Receiver }}' },
    'https://hooks.example/team',
    'https://hooks.example/…',
  ],
  [
    'so does another one beside a secret URL',
    { url: 'https://hooks.example/T1' },
    'https://other.example/T1',
    'https://other.example/…',
  ],
  [
    'a URL of the configuration is shown',
    { url: 'https://hooks.example/T1', apiUrl: 'https://api.example/v2/' },
    'https://api.example/v2/alerts?page=1',
    'https://api.example/v2/alerts?page=1',
  ],
  [
    'but not the secrets in it',
    { apiUrl: 'https://api.example', apiToken: '1:a b' },
    'https://api.example/bot1%3Aa%20b/send',
    'https://api.example/bot<secret>/send',
  ],
  ['nor its user', { apiUrl: 'https://joe:pw@api.example/' }, 'https://joe:pw@api.example/x', 'https://api.example/x'],
  [
    'nor parameters that are called secrets',
    {},
    'https://api.example/x?id=1&access_token=abc&title=hi',
    'https://api.example/x?id=1&access_token=<secret>&title=hi',
  ],
];
for (const [why, config, from, shown] of urls) {
  test(`${why}: ${shown}`, () => {
    assert.equal(redactionOf(config).url(from), shown);
  });
}

test('a secret URL read from a file shows its host', () => {
  const redaction = redactionOf({});
  redaction.hide('https://hooks.example/T1');
  assert.equal(redaction.url('https://hooks.example/T1'), 'https://hooks.example/…');
});

test('authorization headers are hidden, whatever their values', () => {
  const redaction = redactionOf({ apiToken: 'tok-1' });
  for (const name of ['Authorization', 'X-Auth-Token', 'Api-Key', 'Cookie']) {
    assert.equal(redaction.header(name, 'anything'), '<secret>', name);
  }
  assert.equal(redaction.header('content-type', 'application/json'), 'application/json');
  assert.equal(redaction.header('x-user-id', 'id of tok-1'), 'id of <secret>');
});

test('an answer shows no issued token', () => {
  const redaction = redactionOf({ apiToken: 'tok-1' });
  assert.equal(
    redaction.answer('{"access_token": "ab\\"c", "expires": 7200, "for":"tok-1"}'),
    '{"access_token": "<secret>", "expires": 7200, "for":"<secret>"}',
  );
});

test('of a URL that is a secret, a service may quote the path and the values of the query', () => {
  const redaction = redactionOf({ url: 'https://hooks.example/in/T1?key=k3y1&v=2' });
  assert.equal(redaction.answer('Cannot POST /in/T1 with k3y1, 2'), 'Cannot POST <secret> with <secret>, 2');
  const made = redactionOf({ url: 'https://hooks.example/in/T1/{{ .Receiver }}' });
  assert.equal(made.answer('Cannot POST /in/T1/team'), 'Cannot POST <secret>team');
});
