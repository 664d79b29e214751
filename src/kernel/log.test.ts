import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake/clock.ts';
import { createLog, LOG_LEVELS, type Log, type LogFields, type LogFormat, type LogLevel } from './log.ts';

function recorded(format: LogFormat, action: (log: Log) => void, level: LogLevel = 'debug'): string {
  let text = '';
  const write = (line: string) => {
    text += line;
  };
  action(createLog({ level, format, clock: new FakeClock('2026-03-04T05:06:07.089Z'), write }));
  return text;
}

test('a logfmt line has time, level, message and fields', () => {
  const fields = { file: 'alertmanager.yml', count: 3, ok: true, absent: undefined };
  assert.equal(
    recorded('logfmt', (log) => log.info('Loading configuration', fields)),
    'time=2026-03-04T05:06:07.089Z level=INFO msg="Loading configuration" file=alertmanager.yml count=3 ok=true\n',
  );
});

test('a JSON line has the same keys', () => {
  const fields = { file: 'a b', count: 3, ok: false, absent: undefined };
  assert.equal(
    recorded('json', (log) => log.warn('Loading', fields)),
    '{"time":"2026-03-04T05:06:07.089Z","level":"WARN","msg":"Loading","file":"a b","count":3,"ok":false}\n',
  );
});

for (const [index, level] of LOG_LEVELS.entries()) {
  test(`at level ${level} the less important lines are left out`, () => {
    const text = recorded(
      'logfmt',
      (log) => {
        for (const each of LOG_LEVELS) log[each](each);
        assert.equal(log.debugging, level === 'debug');
      },
      level,
    );
    assert.deepEqual(
      text.match(/(?<=msg=)\w+/g),
      LOG_LEVELS.filter((_, each) => each >= index),
    );
  });
}

const quoted: readonly (readonly [value: string, printed: string])[] = [
  ['plain', 'plain'],
  ['127.0.0.1:9093', '127.0.0.1:9093'],
  ['grün', 'grün'],
  ['😀', '😀'],
  ['', '""'],
  ['two words', '"two words"'],
  ['a=b', '"a=b"'],
  ['say "hi"', '"say \\"hi\\""'],
  ['back\\slash', 'back\\slash'],
  ['one\ntwo\r\n', '"one\\ntwo\\r\\n"'],
  ['\u0000\u001b[31mred', '"\\u0000\\u001b[31mred"'],
  ['\u007f \u009b31m', '"\\u007f \\u009b31m"'],
  ['line\u2028next\u2029', '"line\\u2028next\\u2029"'],
  ['\u202eright to left', '"\\u202eright to left"'],
  ['\ud800', '"\\ud800"'],
];

for (const [value, printed] of quoted) {
  test(`logfmt writes ${JSON.stringify(value)} as ${printed}`, () => {
    assert.equal(recorded('logfmt', (log) => log.info('m', { value })).split(' value=')[1], `${printed}\n`);
  });
}

test('no value can end a line, command a terminal or forge a field, in either form', () => {
  const value = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code)).join('');
  for (const format of ['logfmt', 'json'] as const) {
    const text = recorded(format, (log) => log.error(value, { value }));
    assert.doesNotMatch(text.slice(0, -1), /[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
    assert.ok(text.endsWith('\n'));
  }
  const json = recorded('json', (log) => log.error(value, { value: value.slice(0, 4000) }));
  assert.equal(JSON.parse(json).value, value.slice(0, 4000));
});

test('a value is cut off where it would flood the log', () => {
  for (const format of ['logfmt', 'json'] as const) {
    const fields: LogFields = { kept: 'k'.repeat(4096), cut: 'c'.repeat(4097) };
    const text = recorded(format, (log) => log.info('m', fields));
    assert.ok(text.includes('k'.repeat(4096)) && !text.includes('k…'));
    assert.ok(text.includes(`${'c'.repeat(4096)}…`));
    assert.ok(!text.includes('c'.repeat(4097)));
    assert.ok(recorded(format, (log) => log.info('x'.repeat(1_000_000))).length < 5000);
  }
});

test('a value that is cut inside a character stays readable', () => {
  const text = recorded('json', (log) => log.info('m', { value: `${'x'.repeat(4095)}😀y` }));
  assert.equal(JSON.parse(text).value, `${'x'.repeat(4095)}\ud83d…`);
  assert.equal(Buffer.from(text).toString(), text);
});
