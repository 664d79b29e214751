import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigNode } from '../../config/config-node.ts';
import { encodeJson, encodePlain, plainValue, renderPlain, withoutEmpty } from './payload.ts';
import measured from './testdata/plain-values.json' with { type: 'json' };

/**
 * Texts that are kept whole here. Alertmanager takes the first value for all, and drops what follows it; takes a
 * separator of lines for nothing; or cannot send a value that it reads as infinity.
 */
const KEPT_WHOLE = [
  '[1] x',
  '[FIRING:1] Down (a b)',
  '{"a":1}{"b":2}',
  'a: 1\na: 2',
  '\u2028',
  '.inf',
  '-.Inf',
  '.nan',
];

const same = (text: string) => text;

for (const { text, json } of measured) {
  const wanted = KEPT_WHOLE.includes(text) ? encodeJson(text).trimEnd() : json;
  test(`the rendered text ${JSON.stringify(text)} becomes ${wanted}`, () => {
    assert.equal(encodePlain(renderPlain(text, same)), `${wanted}\n`);
  });
}

test('a text of the configuration is rendered before it is read, and its names too', () => {
  const payload = plainValue.read(ConfigNode.parse("{'b-{{ x }}': ['{{ x }}', 2, '2', ~], a: {c: yes, 5: gone}}"));
  const rendered = renderPlain(payload, (template) => template.replaceAll('{{ x }}', '[7]'));
  assert.equal(encodePlain(rendered), '{"a":{"c":true},"b-[7]":[[7],2,2,null]}\n');
});

test('a text with quotes in the configuration is a text, whatever its form', () => {
  assert.deepEqual(plainValue.read(ConfigNode.parse('["1", \'yes\', 1, yes]')), ['1', 'yes', 1, true]);
});

test('a name like __proto__ is a name like any other', () => {
  const rendered = renderPlain('{"__proto__": {"a": 1}}', same);
  assert.equal(encodePlain(rendered), '{"__proto__":{"a":1}}\n');
});

test('five hundred alerts as JSON inside a text are read in a moment', () => {
  const alert = { status: 'firing', labels: { alertname: 'Down', instance: 'x' }, n: 1 };
  const text = JSON.stringify(new Array(500).fill(alert));
  assert.deepEqual(renderPlain(text, same), new Array(500).fill(alert));
});

test('a text that opens more than it could ever close stays a text', () => {
  for (const text of ['['.repeat(100_000), '- '.repeat(50_000), `${'['.repeat(5000)}${']'.repeat(5000)}`])
    assert.equal(encodePlain(renderPlain(text, same)), `${JSON.stringify(text)}\n`);
});

test('a number beyond every type stays a text', () => {
  for (const text of ['1'.repeat(400), `-${'9'.repeat(400)}`, `0x${'f'.repeat(400)}`])
    assert.equal(renderPlain(text, same), text);
});

test('a long text is a list or a mapping if it is JSON, and YAML too slow to read stays a text', () => {
  const alerts = new Array(2000).fill({ fingerprint: '1234567890123456', value: 1 });
  assert.deepEqual(renderPlain(JSON.stringify(alerts), same), alerts);
  const text = `[${'a,'.repeat(250_000)}a]`;
  assert.equal(renderPlain(text, same), text);
});

test('JSON is escaped as Go escapes it', () => {
  assert.equal(encodeJson({ a: '<&>\u2028\u2029"' }), '{"a":"\\u003c\\u0026\\u003e\\u2028\\u2029\\""}\n');
});

test('empty fields are left out', () => {
  assert.deepEqual(withoutEmpty({ a: '', b: 0, c: false, d: [], e: {}, f: undefined, g: 'x', h: [0] }), {
    g: 'x',
    h: [0],
  });
});
