import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, matcherOf, START, silenceOf } from '../testing/parts.ts';
import {
  acceptMatchers,
  compareSilences,
  expireSilence,
  type PostedMatcher,
  type Silence,
  silenceStateAt,
} from './silence.ts';

test('a silence is pending before its start, active from it on, expired from its end on', () => {
  const silence = silenceOf({ startsAt: 100, endsAt: 200 });
  const states = [99, 100, 199, 200, 201].map((now) => silenceStateAt(silence, now));
  assert.deepEqual(states, ['pending', 'active', 'active', 'expired', 'expired']);
});

test('a silence without a length is never active', () => {
  const silence = silenceOf({ startsAt: 100, endsAt: 100 });
  assert.deepEqual(
    [99, 100].map((now) => silenceStateAt(silence, now)),
    ['pending', 'expired'],
  );
});

const posted = (name: string, value: string, flags: Partial<PostedMatcher> = {}): PostedMatcher => ({
  name,
  value,
  isRegex: false,
  isEqual: true,
  ...flags,
});
const REGEX = { isRegex: true };
const NOT = { isEqual: false };

test('accepted matchers keep their order and have the operator that the two flags make', () => {
  const accepted = acceptMatchers(
    [
      posted('d', '1'),
      posted('c', '2', NOT),
      posted('b', '3', REGEX),
      posted('a', '4', { ...REGEX, ...NOT }),
      posted('été', ''),
    ],
    false,
  );
  assert.ok(accepted.ok);
  const texts = accepted.value.map(({ name, operator, value }) => name + operator + value);
  assert.deepEqual(texts, ['d=1', 'c!=2', 'b=~3', 'a!~4', 'été=']);
});

test("invalid matchers are refused in Alertmanager's words", () => {
  const empty = 'invalid silence: matcher set 0: at least one matcher must not match the empty string';
  const place = (index: number) => `invalid silence: invalid label matcher ${index} in set 0: `;
  const cases: readonly (readonly [PostedMatcher[], string])[] = [
    [[posted('', 'x')], `${place(0)}invalid label name ""`],
    [[posted('a', 'x'), posted('', 'x')], `${place(1)}invalid label name ""`],
    [
      [posted('a', '(', REGEX)],
      `${place(0)}invalid regular expression "(": error parsing regexp: missing closing ): \`(\``,
    ],
    [
      [posted('a', 'x'), posted('a', '"(?=x)', { ...REGEX, ...NOT })],
      `${place(1)}invalid regular expression "\\"(?=x)": error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
    ],
    // A text that would be a good one only between `^(?:` and `)$`.
    [
      [posted('a', 'x)(y', REGEX)],
      `${place(0)}invalid regular expression "x)(y": error parsing regexp: unexpected ): \`x)(y\``,
    ],
    [[posted('a', '')], empty],
    [[posted('a', 'x*', REGEX)], empty],
    [[posted('a', '', REGEX), posted('b', '')], empty],
    [[posted('a', '$^', REGEX)], empty],
    [[], empty],
  ];
  for (const [matchers, reason] of cases) {
    assert.deepEqual(acceptMatchers(matchers, false), { ok: false, reason }, JSON.stringify(matchers));
  }
});

test('one matcher that excludes the empty value is enough, and every negative one counts as such', () => {
  const good: readonly PostedMatcher[][] = [
    [posted('a', ''), posted('b', 'x')],
    [posted('a', 'bar', NOT)],
    [posted('a', '', NOT)],
    [posted('a', '.*', { ...REGEX, ...NOT })],
    [posted('a', '.+', REGEX)],
    [posted('a', '.*', REGEX), posted('b', '.+', REGEX)],
  ];
  for (const matchers of good) assert.ok(acceptMatchers(matchers, false).ok, JSON.stringify(matchers));
});

test('where only classic names are allowed a matcher on another one is refused', () => {
  const reason = 'invalid silence: invalid label matcher 0 in set 0: invalid label name "a.b"';
  assert.deepEqual(acceptMatchers([posted('a.b', 'x')], true), { ok: false, reason });
  assert.ok(acceptMatchers([posted('a_b', 'x')], true).ok);
});

test('ending a silence brings its end forward, and nothing else of it', () => {
  const silence = silenceOf({ startsAt: 100, endsAt: 200, updatedAt: 1 });
  const cases: readonly (readonly [now: number, Partial<Silence>])[] = [
    [50, { startsAt: 50, endsAt: 50, updatedAt: 50 }],
    [100, { endsAt: 100, updatedAt: 100 }],
    [150, { endsAt: 150, updatedAt: 150 }],
    [200, {}],
    [250, {}],
  ];
  for (const [now, changed] of cases) {
    const expired = expireSilence(silence, now);
    assert.deepEqual(expired, { ...silence, ...changed }, String(now));
    assert.equal(silenceStateAt(expired, now), 'expired');
    assert.equal(expireSilence(expired, now), expired);
  }
});

test('silences are listed active ones by end, pending ones by start, expired ones by end with the latest first', () => {
  const now = START;
  const span = (id: string, start: number, end: number) =>
    silenceOf({
      id,
      startsAt: START + start * MINUTE,
      endsAt: START + end * MINUTE,
      matchers: [matcherOf('a', '=', id)],
    });
  const ordered = [
    span('active, ends first', -1, 1),
    span('active, ends later', -9, 9),
    span('pending, begins first', 1, 99),
    span('pending, begins later', 2, 3),
    span('expired now', -9, 0),
    span('expired a minute ago', -2, -1),
    span('expired long ago', -99, -98),
  ];
  for (const [i, a] of ordered.entries()) {
    for (const [j, b] of ordered.entries()) {
      assert.equal(Math.sign(compareSilences(a, b, now)), Math.sign(i - j), `${a.id}, ${b.id}`);
    }
  }
});
