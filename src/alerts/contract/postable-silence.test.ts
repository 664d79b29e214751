import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPostableSilence } from './postable.ts';

const read = (json: string) => readPostableSilence(JSON.parse(json));

const MATCHERS = '"matchers":[{"name":"a","value":"b","isRegex":false}]';
const REST = '"startsAt":"1970-01-01T00:00:01Z","endsAt":"1970-01-01T00:00:02Z","createdBy":"ann","comment":"c"';

test('a posted silence is read with its defaults', () => {
  assert.deepEqual(read(`{${MATCHERS},${REST}}`), {
    ok: true,
    value: {
      id: '',
      matchers: [{ name: 'a', value: 'b', isRegex: false, isEqual: true }],
      startsAt: 1000,
      endsAt: 2000,
      createdBy: 'ann',
      comment: 'c',
      annotations: {},
    },
  });
});

test('a posted silence may have an id, annotations and every kind of matcher', () => {
  const outcome = read(
    `{"id":"any text","annotations":{"__proto__":"x","constructor":"y","z":null},"matchers":[
      {"name":"a","value":"b","isRegex":false,"isEqual":true},{"name":"c","value":"d","isRegex":true,"isEqual":false},
      {"name":"","value":"","isRegex":true,"isEqual":null}],${REST}}`,
  );
  assert.ok(outcome.ok);
  assert.equal(outcome.value.id, 'any text');
  assert.deepEqual(Object.entries(outcome.value.annotations), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['z', ''],
  ]);
  assert.deepEqual(outcome.value.matchers, [
    { name: 'a', value: 'b', isRegex: false, isEqual: true },
    { name: 'c', value: 'd', isRegex: true, isEqual: false },
    { name: '', value: '', isRegex: true, isEqual: true },
  ]);
});

test('a returned silence may be posted again: its other fields are ignored', () => {
  const outcome = read(
    `{"status":{"state":"active"},"updatedAt":7,"__proto__":{"id":"x"},"id":null,${MATCHERS},${REST}}`,
  );
  assert.deepEqual(outcome, read(`{${MATCHERS},${REST}}`));
});

test("Go's zero time is an absent time, the empty text is the epoch", () => {
  const zero = '0001-01-01T00:00:00.000Z';
  const outcome = read(`{${MATCHERS},"startsAt":"${zero}","endsAt":"","createdBy":"","comment":""}`);
  assert.ok(outcome.ok);
  assert.deepEqual([outcome.value.startsAt, outcome.value.endsAt], [undefined, 0]);
});

test('missing fields are named one at a time, in the order of their names', () => {
  const full: Readonly<Record<string, unknown>> = {
    comment: '',
    createdBy: '',
    endsAt: '2026-01-01T00:00:00Z',
    matchers: [{ isRegex: false, name: '', value: '' }],
    startsAt: '2026-01-01T00:00:00Z',
  };
  const given: Record<string, unknown> = {};
  for (const absent of [undefined, null]) {
    for (const field of Object.keys(full)) delete given[field];
    for (const field of Object.keys(full)) {
      given[field] = absent;
      assert.deepEqual(readPostableSilence(given), { ok: false, reason: `${field} in body is required` });
      given[field] = full[field];
    }
    assert.ok(readPostableSilence(given).ok);
  }
});

test('a silence without matchers is refused, and so is a matcher without a field; both before a missing start', () => {
  const silence = (matchers: string) => `{"matchers":${matchers},"endsAt":"2026-01-01","createdBy":"","comment":""}`;
  const cases: readonly (readonly [string, string])[] = [
    ['[]', 'matchers in body should have at least 1 items'],
    ['[{}]', 'matchers.0.isRegex in body is required'],
    ['[{"isRegex":null,"name":"a","value":"b"}]', 'matchers.0.isRegex in body is required'],
    ['[{"isRegex":false}]', 'matchers.0.name in body is required'],
    ['[{"isRegex":false,"name":null,"value":"b"}]', 'matchers.0.name in body is required'],
    ['[{"isRegex":false,"name":"a"}]', 'matchers.0.value in body is required'],
    ['[{"isRegex":false,"name":"a","value":"b"},{"isRegex":true}]', 'matchers.1.name in body is required'],
    ['[{"isRegex":false,"name":"a","value":"b"}]', 'startsAt in body is required'],
  ];
  for (const [matchers, reason] of cases) {
    assert.deepEqual(read(silence(matchers)), { ok: false, reason }, matchers);
  }
});

test('a field of a wrong type is refused before any that is missing', () => {
  const parsing = 'parsing silence body from "" failed, because';
  const cases: readonly (readonly [string, string])[] = [
    ['7', `${parsing} silence must be an object`],
    ['"x"', `${parsing} silence must be an object`],
    ['[]', `${parsing} silence must be an object`],
    ['{"id":7}', `${parsing} id must be a string`],
    ['{"comment":{}}', `${parsing} comment must be a string`],
    ['{"createdBy":true}', `${parsing} createdBy must be a string`],
    ['{"startsAt":7}', `${parsing} startsAt must be a date-time string`],
    ['{"endsAt":"soon"}', `${parsing} endsAt must be a date-time such as 2006-01-02T15:04:05Z, not "soon"`],
    ['{"matchers":{}}', `${parsing} matchers must be an array`],
    ['{"matchers":[null]}', `${parsing} matchers.0 must be an object`],
    ['{"matchers":[[]]}', `${parsing} matchers.0 must be an object`],
    ['{"matchers":[{"isRegex":"yes"}]}', `${parsing} matchers.0.isRegex must be true or false`],
    ['{"matchers":[{},{"isEqual":1}]}', `${parsing} matchers.1.isEqual must be true or false`],
    ['{"matchers":[{"name":7}]}', `${parsing} matchers.0.name must be a string`],
    ['{"matchers":[{"value":7}]}', `${parsing} matchers.0.value must be a string`],
    ['{"annotations":{"a":7}}', `${parsing} annotations must be an object whose values are strings`],
  ];
  for (const [json, reason] of cases) assert.deepEqual(read(json), { ok: false, reason }, json);
});

test('half a surrogate pair becomes the replacement character', () => {
  const outcome = read(
    `{"id":"\\ud800","matchers":[{"name":"\\ud800","value":"\\udc00","isRegex":false}],"annotations":{"\\ud800":"x"},
      "startsAt":"2026-01-01","endsAt":"2026-01-02","createdBy":"\\ud800","comment":"\\ud83d\\ude00\\ud83d"}`,
  );
  assert.ok(outcome.ok);
  const { id, matchers, annotations, createdBy, comment } = outcome.value;
  assert.deepEqual([id, createdBy, comment, annotations], ['\ufffd', '\ufffd', '😀\ufffd', { '\ufffd': 'x' }]);
  assert.deepEqual([matchers[0]?.name, matchers[0]?.value], ['\ufffd', '\ufffd']);
});
