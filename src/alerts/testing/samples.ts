import type { PlainRequest } from '../../testing/http/client.ts';
import type { Random } from '../../testing/random.ts';

/** What scripts and fuzzers send to an alert server: values that meet, and ones that must be refused. */

export const UNKNOWN_SILENCE_ID = '7d1f0c3a-52b6-4e9d-8a41-0123456789ab';

export const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Instants far from now on either side, so that an answer does not depend on the time of its request. */
export const PAST = [
  '2020-01-01T00:00:00Z',
  '2021-06-30T23:59:59.123456789+05:30',
  '2022-03-04 05:06:07',
  '2019-02-03T04:05Z',
];
export const FUTURE = [
  '2090-01-01T00:00:00Z',
  '2091-06-30T23:59:59.9996Z',
  '2092-03-04T05:06:07-08:00',
  '2094-02-03T04:05:06.7',
];

/** Label names with the values that alerts have for them; the last ones are also names that JavaScript gives a meaning. */
export const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['alertname', ['DiskFull', 'NodeDown', 'Latency']],
  ['cluster', ['eu', 'us', '']],
  ['job', ['node', 'db']],
  ['instance', ['1', '2', '10', 'host:9100']],
  ['severity', ['critical', 'warning']],
  ['msg', ['été', '😀 \u{1f4a9}', 'say "hi"', 'back\\slash', 'two\nlines', ' padded ', 'a,b={c}']],
  ['__proto__', ['constructor', '__proto__']],
  ['constructor', ['toString']],
]);

export const GOOD_FILTERS = [
  'alertname="DiskFull"',
  'alertname=NodeDown',
  'alertname!="Latency"',
  'alertname=~"Disk.*|Node.*"',
  'alertname!~".*Down"',
  'cluster=""',
  'cluster!=""',
  'cluster=~""',
  'cluster!~""',
  'cluster=~".*"',
  'cluster=~".+"',
  'cluster=~"eu|us"',
  'cluster=~"e"',
  'instance=~"[0-9]+"',
  'instance=~"host:\\\\d{4}"',
  'severity = critical ',
  '\tseverity\t=~\tcrit.*',
  'msg=~"(?i)ÉTÉ"',
  'msg=~"\\\\pL+"',
  'msg=~"[[:alpha:]é]+"',
  'msg="say \\"hi\\""',
  'msg="back\\\\slash"',
  'msg="two\\nlines"',
  'msg=~"two.lines"',
  'msg=~"(?s)two.lines"',
  'msg=" padded "',
  'msg=a,b={c',
  'msg=~"😀.+"',
  'msg=~".{3}"',
  'nothing=""',
  'nothing!=""',
  '__proto__=__proto__',
  'constructor=~"to.*"',
  'toString=""',
];

export const ODD_FILTERS = [
  'msg="a\\x41"',
  "cluster='eu'",
  'cluster==eu',
  'cluster=~=eu',
  'cluster=!~eu',
  'cluster=',
  'cluster!=',
  'cluster=a b',
  'cluster="eu",job="db"',
  'a:b="c"',
  ':="c"',
];

export const BROKEN_FILTERS = [
  '',
  ' ',
  'nope',
  '=x',
  '"eu"',
  'cluster',
  'cluster~eu',
  'cluster="eu',
  'cluster=eu"',
  'cluster="e"u"',
  'cluster=~"("',
  'cluster=~"[a)"',
  'cluster=~"*"',
  'cluster=~"a**"',
  'cluster=~"(?=x)"',
  'cluster=~"(a)\\\\1"',
  'cluster=~"x{1001}"',
  'cluster=~"(?P<n>x"',
  'cluster!~"\\\\"',
  'cluster=~"[b-a]"',
  '{cluster="eu"}',
];

export const BOOLEANS = ['true', 'false', 'FALSE', '1', '0', 'yes', 'no', 't', 'on', 'off', '', 'perhaps'];

/** Alerts that are refused one by one, while valid ones beside them are accepted. */
export const BAD_ALERTS: readonly ((random: Random) => unknown)[] = [
  () => ({ labels: {} }),
  () => ({ labels: { alertname: '' } }),
  () => ({ labels: { '': 'x' } }),
  () => ({ labels: { alertname: 'Bad' }, annotations: { '': 'x' } }),
  (random) => ({ labels: { alertname: 'Bad' }, startsAt: random.pick(FUTURE), endsAt: random.pick(PAST) }),
];

/** Alerts of a shape for which Alertmanager refuses the whole body. */
export const SHAPELESS_ALERTS: readonly unknown[] = [
  {},
  { labels: null },
  { labels: { alertname: 7 } },
  { labels: { alertname: ['x'] } },
  { labels: ['alertname'] },
  { labels: { alertname: 'Bad' }, annotations: 'x' },
  { labels: { alertname: 'Bad' }, generatorURL: 'no uri' },
  { labels: { alertname: 'Bad' }, generatorURL: 'relative/path' },
  { labels: { alertname: 'Bad' }, generatorURL: 7 },
  { labels: { alertname: 'Bad' }, startsAt: 'yesterday' },
  { labels: { alertname: 'Bad' }, startsAt: '2020-13-01T00:00:00Z' },
  { labels: { alertname: 'Bad' }, endsAt: 1700000000 },
  7,
  'alert',
  [],
];

export const BAD_BODIES = [
  '',
  ' \n',
  '{',
  '[',
  'nonsense',
  '7',
  '"text"',
  '{"labels":{"alertname":"Bad"}}',
  '[{"labels":{"alertname":"Bad"}}',
  'null',
];

export interface Matcher {
  name?: unknown;
  value?: unknown;
  isRegex?: unknown;
  isEqual?: unknown;
}

export const BAD_MATCHERS: readonly Matcher[] = [
  { value: 'x', isRegex: false },
  { name: 'cluster', isRegex: false },
  { name: 'cluster', value: 'eu' },
  { name: '', value: 'x', isRegex: false },
  { name: 'cluster', value: '(', isRegex: true },
  { name: 'cluster', value: '(?=x)', isRegex: true },
  { name: 'cluster', value: 'x{2000}', isRegex: true },
  { name: 'cluster', value: 7, isRegex: false },
  { name: 'cluster', value: 'eu', isRegex: 'yes' },
  { name: null, value: 'eu', isRegex: false },
];

export const ODD_SILENCE_IDS = [
  UNKNOWN_SILENCE_ID,
  UNKNOWN_SILENCE_ID.toUpperCase(),
  UNKNOWN_SILENCE_ID.replaceAll('-', ''),
  `urn:uuid:${UNKNOWN_SILENCE_ID}`,
  'abc',
  '%20',
  `${UNKNOWN_SILENCE_ID}0`,
];

export const MANNERS: readonly PlainRequest[] = [
  { method: 'GET', path: '/api/v2/status' },
  { method: 'GET', path: '/api/v2/receivers' },
  { method: 'GET', path: '/api/v2/receivers', headers: { Origin: 'http://page.example' } },
  { method: 'GET', path: '/api/v2/nowhere' },
  { method: 'GET', path: '/api/v2/alerts/' },
  { method: 'GET', path: '/api/v2/silence' },
  { method: 'PUT', path: '/api/v2/alerts', headers: JSON_TYPE, body: '[]' },
  { method: 'DELETE', path: '/api/v2/silences' },
  { method: 'POST', path: '/api/v2/status', headers: JSON_TYPE, body: '{}' },
  { method: 'PATCH', path: `/api/v2/silence/${UNKNOWN_SILENCE_ID}` },
  { method: 'GET', path: '/api/v2/alerts', headers: { Accept: 'text/html' } },
  { method: 'GET', path: '/api/v2/alerts', headers: { Accept: 'text/html, application/*;q=0.5' } },
  { method: 'GET', path: '/api/v2/alerts', headers: { Accept: '*/*' } },
  { method: 'POST', path: '/api/v2/alerts', body: '[]' },
  { method: 'POST', path: '/api/v2/alerts', headers: { 'Content-Type': 'text/plain' }, body: '[]' },
  {
    method: 'POST',
    path: '/api/v2/alerts',
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: '[]',
  },
  { method: 'POST', path: '/api/v2/alerts', headers: { 'Content-Type': 'APPLICATION/JSON' }, body: '[]' },
  {
    method: 'OPTIONS',
    path: '/api/v2/silences',
    headers: {
      Origin: 'http://page.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'content-type',
    },
  },
  { method: 'GET', path: '/-/healthy' },
  { method: 'GET', path: '/-/ready' },
];
