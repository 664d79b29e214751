import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFlagFiles } from './flag-file.ts';
import { SAMPLE_FLAGS, sampleFlags } from './sample.ts';

const itemsOf = (name: string, text: string) => {
  const read = readFlagFiles([{ name, text }]);
  assert.ok(read.ok, read.ok ? '' : read.reason);
  return read.value.map(({ kind, key, json }) => ({ kind, key, json }));
};

const reasonOf = (...files: readonly [name: string, text: string][]) => {
  const read = readFlagFiles(files.map(([name, text]) => ({ name, text })));
  return read.ok ? '' : read.reason;
};

const everywhere = { usingMobileKey: true, usingEnvironmentId: true };

test('flag files: the short form is a flag that is on, with a single variation', () => {
  for (const [name, text] of [
    ['f.json', '{"flagValues": {"a": "x", "b": null, "c": {"d": [1]}}}'],
    ['f.yml', 'flagValues:\n  a: x\n  b:\n  c: {d: [1]}\n'],
  ] as const) {
    const short = (key: string, value: unknown) => ({
      kind: 'flags',
      key,
      json: {
        on: true,
        variations: [value],
        fallthrough: { variation: 0 },
        offVariation: 0,
        key,
        salt: key,
        clientSideAvailability: everywhere,
      },
    });
    assert.deepEqual(itemsOf(name, text), [short('a', 'x'), short('b', null), short('c', { d: [1] })]);
  }
});

const fillings: [title: string, flag: object, filled: object][] = [
  ['nothing given', {}, { key: 'a', salt: 'a', clientSideAvailability: everywhere }],
  ['all given', { key: 'a', salt: 's', clientSideAvailability: { usingMobileKey: false } }, {}],
  ['the old clientSide', { clientSide: false }, { key: 'a', salt: 'a' }],
  [
    'nulls',
    { key: null, salt: null, clientSideAvailability: null },
    { key: 'a', salt: 'a', clientSideAvailability: everywhere },
  ],
];
for (const [title, flag, filled] of fillings) {
  test(`flag files: of a flag with ${title}, only missing properties are filled in`, () => {
    const [item] = itemsOf('f.json', JSON.stringify({ flags: { a: flag } }));
    assert.deepEqual(item?.json, { ...flag, ...filled });
  });
}

test('flag files: segments get key and salt, deleted items are passed over, unknown properties are kept', () => {
  const text = JSON.stringify({
    $schema: 'x',
    segments: { s: { included: ['ada'], other: 1 }, gone: { deleted: true, version: 3 } },
    flags: { gone: { deleted: true, version: 9 } },
  });
  assert.deepEqual(itemsOf('f.json', text), [
    { kind: 'segments', key: 's', json: { included: ['ada'], other: 1, key: 's', salt: 's' } },
  ]);
});

test('flag files: YAML aliases are resolved', () => {
  const text = 'flags:\n  a: &one {on: true, variations: [1]}\n  b: *one\n';
  assert.deepEqual(
    itemsOf('f.yml', text).map(({ key, json }) => [key, json.on, json.key]),
    [
      ['a', true, 'a'],
      ['b', true, 'b'],
    ],
  );
});

test('flag files: __proto__ is a key like others', () => {
  assert.deepEqual(
    itemsOf('f.json', '{"flagValues": {"__proto__": 1}}').map(({ key }) => key),
    ['__proto__'],
  );
});

test('flag files: the format is detected by the name, or by the first brace', () => {
  assert.equal(itemsOf('flags', '{"flagValues": {"a": 1}}').length, 1);
  assert.equal(itemsOf('flags', 'flagValues: {a: 1}').length, 1);
  assert.equal(itemsOf('flags.yaml', '{flagValues: {a: 1}}').length, 1);
});

const broken: [name: string, text: string, reason: string][] = [
  ['f.json', '', 'f.json:1: the file is empty'],
  ['f.json', '{\n  "flags": {\n    "a": }\n}', 'f.json:3: expected a value, found "}"'],
  ['f.json', '{\n  "flags": {}', 'f.json:2: expected "," or "}", found the end of the file'],
  ['f.json', '{"flags": {\n"a": {},\n"a": {}}}', 'f.json:3: "a" occurs twice in the same object'],
  ['f.json', '{"flags": {},\n}', 'f.json:2: expected a name in double quotes, found "}"'],
  ['f.json', '{"flags": {}}\nx', 'f.json:2: expected the end, found "x"'],
  ['f.json', '[]', 'f.json:1: expected an object with flags, flagValues or segments'],
  ['f.json', '\n{"flag": {}}', 'f.json:2: expected an object with flags, flagValues or segments'],
  ['f.json', '{\n"flags": []}', 'f.json:2: flags: expected an object'],
  ['f.json', '{"flags": {\n"a": 1}}', 'f.json:2: flag "a": expected object, got number'],
  ['f.json', '{"flags": {\n"": {}}}', 'f.json:2: a flag has an empty key'],
  ['f.json', '{"flags": {"a": {\n"key": "b"}}}', 'f.json:2: flag "a": its key is "b"'],
  ['f.json', '{"flags": {"a": {\n"on": "yes"}}}', 'f.json:2: flag "a": on: expected boolean, got string'],
  ['f.yml', '', 'f.yml:1: the file is empty'],
  ['f.yml', '# nothing\n', 'f.yml:1: the file is empty'],
  [
    'f.yml',
    'flags:\n  a: {on: true\n',
    'f.yml:3: Flow map in block collection must be sufficiently indented and end with a }',
  ],
  ['f.yml', 'flags:\n  a: {}\n  a: {}\n', 'f.yml:3: Map keys must be unique'],
  ['f.yml', 'flags:\n  a:\n    variations: 1\n', 'f.yml:3: flag "a": variations: expected array, got number'],
  [
    'f.yml',
    'flags:\n  a:\n    rules:\n      - id: r\n        clauses:\n          - op: in\n            values: x\n',
    'f.yml:7: flag "a": rules[0].clauses[0].values: expected array, got string',
  ],
  [
    'f.yml',
    'segments:\n  s:\n    included:\n    - a\n    - 1\n',
    'f.yml:5: segment "s": included[1]: expected string, got number',
  ],
  ['f.yml', 'flags:\n  a: {}\nflagValues:\n  a: 1\n', 'f.yml:4: flag "a" is also defined in f.yml:2'],
];
for (const [name, text, reason] of broken) {
  test(`flag files: ${JSON.stringify(text)} is refused with its line`, () => {
    assert.equal(reasonOf([name, text]).split('\n')[0], reason);
  });
}

test('flag files: all mistakes of all files are reported, and a duplicate item names both files', () => {
  assert.equal(
    reasonOf(['a.json', '{"flags": {"x": {}, "y": 1}}'], ['b.yml', 'flagValues:\n  x: 1'], ['c.json', '{']),
    [
      'a.json:1: flag "y": expected object, got number',
      'b.yml:2: flag "x" is also defined in a.json:1',
      'c.json:1: expected a name in double quotes, found the end of the file',
    ].join('\n'),
  );
});

test('flag files: a YAML file cannot blow up through its aliases', () => {
  const text = `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\nflagValues: {g: [*f,*f,*f,*f]}\n`;
  assert.match(reasonOf(['bomb.yml', text]), /^bomb\.yml:1: Excessive alias count/);
});

test('flag files: the sample is read', () => {
  const keys = itemsOf(SAMPLE_FLAGS, sampleFlags).map(({ kind, key }) => `${kind} ${key}`);
  assert.deepEqual(keys, [
    'flags new-checkout',
    'flags button-color',
    'flags express-shipping',
    'flags welcome-text',
    'flags page-size',
    'segments team',
  ]);
});
