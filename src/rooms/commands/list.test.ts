import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printMatcher } from '../domain/command/matcher.ts';
import { readCommand } from './list.ts';
import type { SilenceArguments } from './silence.ts';

const NOW = Date.parse('2030-01-02T08:30:00Z');
const HOUR = 3_600_000;

function silence(body: string): SilenceArguments {
  const read = readCommand(body, NOW);
  assert.ok(read.ok, read.ok ? '' : read.reason);
  assert.equal(read.value.command.name, 'silence');
  return read.value.args as SilenceArguments;
}

test('a silence is read with its length, matchers and reason', () => {
  const command = silence('/silence 2h alertname=HighCPU instance=~"web.*" -- deploying -- twice');
  assert.equal(command.endsAt, NOW + 2 * HOUR);
  assert.deepEqual(command.matchers.map(printMatcher), ['alertname="HighCPU"', 'instance=~"web.*"']);
  assert.equal(command.comment, 'deploying -- twice');
  assert.equal(command.isPreview, false);
});

const ENDS: readonly (readonly [string, string])[] = [
  ['30m', '2030-01-02T09:00:00.000Z'],
  ['1d12h', '2030-01-03T20:30:00.000Z'],
  ['until 09:00', '2030-01-02T09:00:00.000Z'],
  ['until 08:00', '2030-01-03T08:00:00.000Z'],
  ['until 2030-01-02T12:00+02:00', '2030-01-02T10:00:00.000Z'],
];
for (const [words, expected] of ENDS) {
  test(`a silence of ${words} ends at ${expected}`, () =>
    assert.equal(new Date(silence(`/silence ${words} a=b`).endsAt).toISOString(), expected));
}

for (const line of ['/silence? 1h a=b', '/silence 1h a=b ?']) {
  test(`${line} only lists its matches`, () => {
    assert.equal(silence(line).isPreview, true);
    assert.deepEqual(silence(line).matchers.map(printMatcher), ['a="b"']);
  });
}

test('matchers may be in braces, separated by commas', () => {
  const { matchers } = silence('/silence 1h {a="x, y",b!="z"}');
  assert.deepEqual(matchers.map(printMatcher), ['a="x, y"', 'b!="z"']);
});

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ['/silence', /say how long/],
  ['/silence a=b', /say how long/],
  ['/silence 0m a=b', /lie ahead/],
  ['/silence 400d a=b', /a year/],
  ['/silence 2h nonsense', /no matcher/],
  ['/silence 2h a="b', /no matcher/],
  ['/silence 2h a=~".*"', /silence everything/],
  ['/silence 2h a=~".+" b=""', /silence everything/],
  ['/silense 2h a=b', /did you mean \/silence\?/],
  ['/frobnicate', /\/help lists.*begin it with \/\//s],
  ['/extend', /for how long/],
  ['/extend 0m', /lie ahead/],
  ['/extend 1h not-an-id!', /id of a silence/],
  ['/oncall ana!', /name a member/],
  ['/oncall @ana soon', /until when/],
  ['/oncall @ana 8h or so', /until when/],
  ['/incident', /a title has/],
  ['/incident begin x', /a title has/],
  ['/incident start a\u200bb', /control or invisible/],
  ['/flag two words', /one flag/],
  ['/usage soon', /today, yesterday/],
  ['/usage 93d', /today, yesterday/],
  ['/summary soon', /how far back/],
  ['/poll', /question is missing/],
  ['/poll a b', /2 to 10/],
  ['/poll a b b', /different/],
  ['/vote pizza', /number of an answer/],
  ['/remind soon x', /say when/],
  ['/remind 0m x', /lie ahead/],
  ['/remind 30m', /say what of/],
  ['/unsilence ../../x', /id of a silence/],
  ['/alerts =b', /no matcher/],
];
for (const [line, reason] of REFUSED) {
  test(`${line} is refused with a reason`, () => {
    const command = readCommand(line, NOW);
    assert.ok(!command.ok);
    assert.match(command.reason, reason);
  });
}

test('a silence for everything needs force', () => {
  assert.equal(silence('/silence 2h a=~".*" --force').force, true);
  assert.equal(silence('/silence 2h a=~".*" --force -- why').comment, 'why');
});

test('a silence without matchers takes them from the alert of its thread', () => {
  assert.deepEqual(silence('/silence 1h').matchers, []);
});
