import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPostableAlert } from './postable.ts';

const read = (json: string, index = 0) => readPostableAlert(JSON.parse(json), index);

test('a posted alert needs labels and nothing else', () => {
  assert.deepEqual(read('{"labels":{"a":"b"}}'), {
    ok: true,
    value: { labels: { a: 'b' }, annotations: {}, generatorURL: '', startsAt: undefined, endsAt: undefined },
  });
  assert.ok(read('{"labels":{}}').ok);
});

test('a posted alert may have every field', () => {
  const json =
    '{"labels":{"a":"b","c":""},"annotations":{"d":""},"generatorURL":"http://p/g#x","startsAt":"1970-01-01T00:00:01Z","endsAt":"1970-01-01T00:00:02.5Z"}';
  assert.deepEqual(read(json), {
    ok: true,
    value: {
      labels: { a: 'b', c: '' },
      annotations: { d: '' },
      generatorURL: 'http://p/g#x',
      startsAt: 1000,
      endsAt: 2500,
    },
  });
});

test('a null counts as absent, except for the required labels; a null value counts as empty', () => {
  const plain = read('{"labels":{"a":"b"}}');
  assert.deepEqual(
    read('{"labels":{"a":"b"},"annotations":null,"generatorURL":null,"startsAt":null,"endsAt":null}'),
    plain,
  );
  assert.deepEqual(read('{"labels":{"a":"b"},"startsAt":"0001-01-01T00:00:00Z"}'), plain);
  assert.deepEqual(read('{"labels":null}', 3), { ok: false, reason: '3.labels in body is required' });
  const withNulls = read('{"labels":{"a":"b","c":null},"annotations":{"d":null}}');
  assert.ok(withNulls.ok);
  assert.deepEqual(withNulls.value.labels, { a: 'b', c: '' });
  assert.deepEqual(withNulls.value.annotations, { d: '' });
});

test('unknown fields are ignored, whatever their values', () => {
  const json = '{"labels":{"a":"b"},"status":{"state":7},"fingerprint":[],"__proto__":{"labels":7},"constructor":null}';
  assert.deepEqual(read(json), read('{"labels":{"a":"b"}}'));
});

test('labels and annotations may have names with a meaning in JavaScript', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', '0', ''];
  const pairs = `{${names.map((name) => `${JSON.stringify(name)}:"x"`).join(',')}}`;
  const outcome = read(`{"labels":${pairs},"annotations":${pairs}}`);
  assert.ok(outcome.ok);
  for (const record of [outcome.value.labels, outcome.value.annotations]) {
    assert.deepEqual(Object.keys(record).sort(), [...names].sort());
    for (const name of names) assert.equal(Object.getOwnPropertyDescriptor(record, name)?.value, 'x', name);
  }
});

test('half a surrogate pair becomes the replacement character in names, values and the generator', () => {
  const outcome = read(
    '{"labels":{"a\\ud800":"b\\udc00","__proto__":"c"},"annotations":{"\\ud83d\\ude00":"\\ude00\\ud83d"},"generatorURL":"/\\ud800"}',
  );
  assert.ok(outcome.ok);
  const { labels, annotations, generatorURL } = outcome.value;
  assert.deepEqual(Object.entries(labels), [
    ['a\ufffd', 'b\ufffd'],
    ['__proto__', 'c'],
  ]);
  assert.deepEqual(annotations, { '😀': '\ufffd\ufffd' });
  assert.equal(generatorURL, '/\ufffd');
});

test('a refusal names the element, the field and its error', () => {
  const parsing = 'parsing alerts body from "" failed, because';
  const strings = 'must be an object whose values are strings';
  const cases: readonly (readonly [string, string])[] = [
    ['{}', '4.labels in body is required'],
    ['{"Labels":7}', '4.labels in body is required'],
    ['{"labels":{},"generatorURL":"xx"}', '4.generatorURL in body must be of type uri: "xx"'],
    ['{"generatorURL":"xx"}', '4.generatorURL in body must be of type uri: "xx"'],
    ['{"labels":{},"generatorURL":"a\\"b"}', '4.generatorURL in body must be of type uri: "a\\"b"'],
    ['7', `${parsing} 4 must be an object`],
    ['null', `${parsing} 4 must be an object`],
    ['"alert"', `${parsing} 4 must be an object`],
    ['[]', `${parsing} 4 must be an object`],
    ['{"labels":7}', `${parsing} 4.labels ${strings}`],
    ['{"labels":["a"]}', `${parsing} 4.labels ${strings}`],
    ['{"labels":{"a":7}}', `${parsing} 4.labels ${strings}`],
    ['{"labels":{"a":"b","c":["d"]}}', `${parsing} 4.labels ${strings}`],
    ['{"labels":{},"annotations":"x"}', `${parsing} 4.annotations ${strings}`],
    ['{"labels":{},"annotations":{"a":true}}', `${parsing} 4.annotations ${strings}`],
    ['{"labels":{},"generatorURL":7}', `${parsing} 4.generatorURL must be a string`],
    ['{"labels":{},"startsAt":1700000000}', `${parsing} 4.startsAt must be a date-time string`],
    [
      '{"labels":{},"endsAt":"soon"}',
      `${parsing} 4.endsAt must be a date-time such as 2006-01-02T15:04:05Z, not "soon"`,
    ],
  ];
  for (const [json, reason] of cases) assert.deepEqual(read(json, 4), { ok: false, reason }, json);
});

test('a refusal does not repeat a text of any length', () => {
  const outcome = read(`{"labels":{},"endsAt":"${'x'.repeat(10_000)}"}`);
  assert.ok(!outcome.ok && outcome.reason.length < 300);
});
