import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, isCommandLine, readCommand, unescapeCommand } from './command.ts';
import { matchesAnything, printMatcher, readMatcher } from './matcher.ts';

const NOW = Date.parse('2030-01-02T08:30:00Z');
const HOUR = 3_600_000;

const LINES: readonly (readonly [string, boolean])[] = [
  ['/silence 2h a=b', true],
  ['/HELP', true],
  ['/alerts\n', true],
  ['/silence? 2h a=b', true],
  ['/usr/bin/false failed', false],
  ['/ not a command', false],
  ['//silence 2h', false],
  ['words /silence', false],
  ['/1h', false],
];
for (const [body, expected] of LINES) {
  test(`${JSON.stringify(body)} is ${expected ? 'a' : 'no'} command`, () =>
    assert.equal(isCommandLine(body), expected));
}

test('two slashes escape a command; a path keeps its own', () => {
  assert.equal(unescapeCommand('//silence x'), '/silence x');
  assert.equal(unescapeCommand('//1'), '//1');
  assert.equal(unescapeCommand('/a'), '/a');
});

function read(body: string): Command {
  const command = readCommand(body, NOW);
  assert.ok(command.ok, command.ok ? '' : command.reason);
  return command.value;
}
function silence(body: string): Extract<Command, { name: 'silence' }> {
  const command = read(body);
  assert.equal(command.name, 'silence');
  return command as Extract<Command, { name: 'silence' }>;
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
  test(`${line} only asks what it would match`, () => {
    assert.equal(silence(line).isPreview, true);
    assert.deepEqual(silence(line).matchers.map(printMatcher), ['a="b"']);
  });
}

test('matchers may stand in braces, between commas', () => {
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
  ['/unsilence', /id of the silence/],
  ['/unsilence ../../x', /id of the silence/],
  ['/alerts =b', /no matcher/],
];
for (const [line, reason] of REFUSED) {
  test(`${line} is refused with a reason`, () => {
    const command = readCommand(line, NOW);
    assert.ok(!command.ok);
    assert.match(command.reason, reason);
  });
}

test('what silences everything is done when it is forced', () => {
  assert.equal(silence('/silence 2h a=~".*" --force').force, true);
  assert.equal(silence('/silence 2h a=~".*" --force -- why').comment, 'why');
});

test('a silence without matchers leaves them to the alert in whose thread it stands', () => {
  assert.deepEqual(silence('/silence 1h').matchers, []);
});

test('printing and reading a matcher are inverse', () => {
  const texts = ['a="b"', 'a!="b"', 'a=~"x|y"', 'a!~"x\\"y\\\\z\\n"', '"a b"="c"', 'a=""'];
  for (const text of texts) {
    const matcher = readMatcher(text);
    assert.ok(matcher.ok, text);
    assert.equal(printMatcher(matcher.value), text);
  }
});

const ANYTHING: readonly (readonly [string, boolean])[] = [
  ['a=~".*"', true],
  ['a=~".+"', true],
  ['a=~"^(.*)$"', true],
  ['a=""', true],
  ['a!="b"', true],
  ['a!=""', true],
  ['a!~"b"', true],
  ['a=~"(?s:.*)"', true],
  ['a=~"[^~]*"', true],
  ['a=~"x|.*"', true],
  ['a=~""', true],
  ['a=~"web.*|db.*"', false],
  ['a=~"[a-z]+-[0-9]+"', false],
  ['a=~"("', false],
  ['a="b"', false],
  ['a=~"web.*"', false],
];
for (const [text, expected] of ANYTHING) {
  test(`the matcher ${text} ${expected ? 'leaves out hardly anybody' : 'chooses'}`, () => {
    const matcher = readMatcher(text);
    assert.ok(matcher.ok);
    assert.equal(matchesAnything(matcher.value), expected);
  });
}
