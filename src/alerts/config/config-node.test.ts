import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigFault, ConfigNode } from './config-node.ts';
import { bool, type Kind, list, map, object, optional, secret, text, url, withDefault } from './kind.ts';

const readAs = <T>(kind: Kind<T>, yaml: string, environment?: Record<string, string>) =>
  kind.read(ConfigNode.parse(yaml, environment));

function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigFault) return error.message;
    throw error;
  }
  return 'nothing is wrong';
}

const read1 = (node: ConfigNode) =>
  node
    .entries()
    .map(([, value]) => value.text())
    .join();

test('invalid YAML is refused with the line', () => {
  const cases: readonly (readonly [yaml: string, message: RegExp])[] = [
    ['a: [\n', /^line 2: /],
    ['a: 1\n\tb: 2\n', /^line 2: /],
    ['a: "b\n', /^line \d: Missing closing "quote/],
    ['a: [\n---\nb: 2\n', /^line 2: /],
  ];
  for (const [yaml, message] of cases)
    assert.match(
      faultOf(() => ConfigNode.parse(yaml)),
      message,
      yaml,
    );
});

test('of several documents the first one counts; the start of another with content is recorded', () => {
  const cases: readonly (readonly [rest: string, line: number | undefined])[] = [
    ['', undefined],
    ['---\n', undefined],
    ['...\n', undefined],
    ['---\n# the end\n---\n', undefined],
    ['---\nb: 2\n', 2],
    ['# more\n---\n\n{', 3],
  ];
  for (const [rest, line] of cases) {
    const node = ConfigNode.parse(`a: 1\n${rest}`);
    assert.deepEqual([read1(node), node.idleLine], ['1', line], rest);
  }
});

test('an alias is the last value of its anchor', () => {
  const yaml = '- &a one\n- *a\n- &a two\n- *a\n- {x: &b [three]}\n- *b\n';
  const node = ConfigNode.parse(yaml);
  const items = node.items().map((item) => (item.shape === 'scalar' ? item.text() : item.shape));
  assert.deepEqual(items, ['one', 'one', 'two', 'two', 'mapping', 'list']);
  assert.equal(
    faultOf(() => ConfigNode.parse('a: *b\n').entries()),
    "line 1: unknown anchor 'b' referenced",
  );
  assert.equal(
    faultOf(() => ConfigNode.parse('- *a\n- &a x\n').items()),
    "line 1: unknown anchor 'a' referenced",
  );
});

test('recursive anchors and multiplying aliases are refused in bounded time', () => {
  const tree: Kind<unknown> = {
    read: (node) => (node.shape === 'list' ? list(tree).read(node) : node.text()),
    print: () => undefined,
  };
  assert.equal(
    faultOf(() => readAs(tree, '&a [*a]\n')),
    'line 1: nested too deeply, or an anchor contains itself',
  );
  const laughs = ['- &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let depth = 1; depth < 9; depth++) laughs.push(`- &a${depth} [${`*a${depth - 1}, `.repeat(10)}]`);
  const message = faultOf(() => readAs(tree, laughs.join('\n')));
  assert.match(message, /^line \d+: document contains excessive aliasing/);
  assert.ok(message.length < 10_000, `${message.length} characters`);
});

test('<< adds missing fields, each from the first mapping that has it', () => {
  const yaml = `
- &base {a: 1, b: 2}
- &more {b: 3, c: 4}
- {<<: *base, b: 9}
- {b: 9, <<: *base}
- <<: [*base, *more]
- {"<<": 5}
`;
  const items = ConfigNode.parse(yaml).items();
  const plain = items.slice(2, 5).map((item) => map(text).read(item));
  assert.deepEqual(plain, [
    { b: '9', a: '1' },
    { b: '9', a: '1' },
    { a: '1', b: '2', c: '4' },
  ]);
  assert.deepEqual(map(text).read(items[5] as ConfigNode), { '<<': '5' });
  assert.equal(
    faultOf(() => readAs(map(text), 'a: 1\n<<: 2\n')),
    'line 2: map merge requires map or sequence of maps as the value',
  );
});

test('every duplicate name is refused', () => {
  const yaml = 'a: 1\nb: 2\na: 3\nb: 4\n';
  assert.equal(
    faultOf(() => readAs(object({ a: optional(text), b: optional(text) }), yaml)),
    'line 3: field a already set in type config.plain\nline 4: field b already set in type config.plain',
  );
  assert.equal(
    faultOf(() => readAs(map(text), yaml)),
    'line 3: key "a" already set in map\nline 4: key "b" already set in map',
  );
});

test('nothing is an empty text and an empty mapping', () => {
  for (const nothing of ['', '~', 'null', 'Null', 'NULL']) {
    assert.deepEqual(readAs(map(text), `a: ${nothing}`), { a: '' }, nothing);
    assert.deepEqual(readAs(list(object({ a: withDefault(text, 'x') })), `- ${nothing}`), [{ a: 'x' }], nothing);
  }
  assert.deepEqual(readAs(map(text), 'a: "null"'), { a: 'null' });
  assert.deepEqual(readAs(list(text), '["~", nUll]'), ['~', 'nUll']);
});

test('variables are expanded in values, if enabled', () => {
  const environment = { NAME: 'team', EMPTY: '', _X1: 'a: [b', FLAG: 'yes' };
  const cases: readonly (readonly [written: string, text: string])[] = [
    [`'\${NAME}'`, 'team'],
    [`'\${NAME}-\${NAME}'`, 'team-team'],
    [`'x\${EMPTY}y'`, 'xy'],
    [`'\${_X1}'`, 'a: [b'],
    [`'$$'`, '$'],
    [`'$\${NAME}'`, '$' + '{NAME}'],
    [`'$$$\${NAME}'`, '$$' + '{NAME}'],
    [`'$NAME $1 {{ $x }} ^a$ \${a-b} \${'`, `$NAME $1 {{ $x }} ^a$ \${a-b} \${`],
  ];
  for (const [written, expected] of cases) {
    assert.equal(readAs(text, written, environment), expected, written);
    assert.equal(`'${readAs(text, written)}'`, written);
  }
  assert.equal(readAs(bool, '$' + '{FLAG}', environment), true);
  assert.deepEqual(readAs(map(text), `\${NAME}: x`, environment), Object.fromEntries([['$' + '{NAME}', 'x']]));
  assert.equal(
    faultOf(() => readAs(list(text), `- a\n- \${UNSET}\n- \${ALSO}`, environment)),
    'line 2: environment variable UNSET is not set\nline 3: environment variable ALSO is not set',
  );
});

test('the value of a variable is neither shown nor quoted', () => {
  const environment = { TOKEN: 'hunter2', HOST: 'https://user:hunter2@example.org/hunter2?q=hunter2' };
  const node = ConfigNode.parse(`a: x \${TOKEN}\nb: \${TOKEN}\nc: \${HOST}\nd: plain\n`, environment);
  const kind = object({ a: optional(text), b: optional(secret), c: optional(url), d: optional(text) });
  const values = kind.read(node);
  assert.deepEqual([values.a, values.b], ['x hunter2', 'hunter2']);
  assert.deepEqual(kind.print(values, node.redact), {
    a: 'x $' + '{TOKEN}',
    b: '<secret>',
    c: 'https://example.org/',
    d: 'plain',
  });
  const message = faultOf(() => readAs(bool, '$' + '{TOKEN}', environment));
  assert.equal(message, `line 1: expected true or false, found "\${TOKEN}"`);
});
