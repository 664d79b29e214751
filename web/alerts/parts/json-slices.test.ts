import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseInSlices } from './json-slices.ts';

const parse = (text: string, size: number) => parseInSlices(text, 'alerts', async () => {}, size);

const GROUPS = Array.from({ length: 20 }, (_, n) => ({
  alerts: [
    { annotations: { summary: 'a},{"alerts":[' }, labels: { alerts: `${n}` } },
    { annotations: {}, labels: {} },
  ],
  labels: { name: ',{"alerts":' },
}));

test('an array is the same however small its slices are', async () => {
  for (const groups of [GROUPS, GROUPS.slice(0, 1), []])
    for (const size of [1, 50, 1_000, 1e6]) assert.deepEqual(await parse(JSON.stringify(groups), size), groups);
});

test('texts that are no such array are parsed in one piece', async () => {
  assert.deepEqual(await parse('[{"a":1},{"a":2}]', 1), [{ a: 1 }, { a: 2 }]);
  assert.deepEqual(await parse('{"alerts":[1,{"alerts":2}]}', 1), { alerts: [1, { alerts: 2 }] });
  for (const broken of ['', '[{"alerts":1},{"alerts":2}', '<html>', '[1]]'])
    await assert.rejects(parse(broken, 1), SyntaxError, broken);
});
