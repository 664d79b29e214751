import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { readIni } from './ini.ts';

const valueIn = (text: string) => {
  const { sections, faults } = readIni(`[Main]\nkey${text}`);
  assert.deepEqual(faults, []);
  return sections[0]?.entries[0]?.value;
};

const values: readonly [written: string, read: string | undefined][] = [
  ['', undefined],
  [' ; a remark', undefined],
  [' # a remark', undefined],
  [' =', ''],
  ['=', ''],
  ['=8030', '8030'],
  [' = 8030  ', '8030'],
  ['\t=\ta b ', 'a b'],
  [' = "8030"', '8030'],
  [' = "  a ; b # c  "', '  a ; b # c  '],
  [' = a"  b  "c', 'a  b  c'],
  [' = a ; remark', 'a'],
  [' = a# remark', 'a'],
  [' = https://h/p?q=1', 'https://h/p?q=1'],
  [' = "say \\"hi\\""', 'say "hi"'],
  [' = a\\\\b', 'a\\b'],
  [' = a\\tb\\nc', 'a\tb\nc'],
  [' = one \\\n  two', 'one   two'],
  [' = ""', ''],
  [' = "" ; remark', ''],
];
for (const [written, read] of values) {
  test(`INI: key${JSON.stringify(written)} is read as ${JSON.stringify(read)}`, () => {
    assert.equal(valueIn(written), read);
  });
}

const headers: readonly [line: string, title: string, name: string | undefined][] = [
  ['[Main]', 'Main', undefined],
  ['  [main]  ; remark', 'main', undefined],
  ['[ Main ]', 'Main', undefined],
  ['[Environment "Spree Project"]', 'Environment', 'Spree Project'],
  ['[environment "a \\"b\\" \\\\ c"]', 'environment', 'a "b" \\ c'],
  ['[Filters "proj"] # remark', 'Filters', 'proj'],
];
for (const [line, title, name] of headers) {
  test(`INI: ${line} is a section`, () => {
    assert.deepEqual(readIni(line), { sections: [{ title, name, line: 1, entries: [] }], faults: [] });
  });
}

const faults: readonly [text: string, line: number, message: RegExp][] = [
  ['port = 1', 1, /^port comes before the first \[Section\]$/],
  ['[Main]\n= 1', 2, /^expected "key = value"/],
  ['[Main]\nport 1', 2, /^expected "key = value"/],
  ['[Main\nport = 1', 1, /is no section/],
  ['[Environment N]', 1, /is no section/],
  ['[Environment ""]', 1, /the name is empty/],
  ['[Main] port = 1', 1, /is no section/],
  ['[Main]\nkey = "a', 2, /^key: the closing " is missing$/],
  ['[Main]\nkey = a\\qb', 2, /^key: \\q is no escape/],
  ['[Main]\nkey = "a\\', 2, /^key: \\ is no escape/],
];
for (const [text, line, message] of faults) {
  test(`INI: ${JSON.stringify(text)} is a fault of line ${line}`, () => {
    const { faults: found } = readIni(text);
    assert.equal(found.length, 1);
    assert.equal(found[0]?.line, line);
    assert.match(found[0]?.message ?? '', message);
  });
}

test('INI: an error quotes only the beginning of a line, as the rest may have a key', () => {
  const { faults: found } = readIni('[Main]\nsdk-1234-secret-key-567890 oops');
  assert.doesNotMatch(JSON.stringify(found), /secret/);
});

test('INI: lines after a fault are read, continuations count as lines, a byte order mark is ignored', () => {
  const { sections, faults: found } = readIni('\ufeff[A]\r\nx = 1 \\\r\n 2\r\n???\r\ny = 3\r\n[B]\r\ny\r\n');
  assert.deepEqual(
    found.map(({ line }) => line),
    [4],
  );
  assert.deepEqual(sections, [
    {
      title: 'A',
      name: undefined,
      line: 1,
      entries: [
        { key: 'x', value: '1  2', line: 2 },
        { key: 'y', value: '3', line: 5 },
      ],
    },
    { title: 'B', name: undefined, line: 6, entries: [{ key: 'y', value: undefined, line: 7 }] },
  ]);
});

test('INI: entries below a broken header are of no section', () => {
  assert.deepEqual(readIni('[A]\n[broken\nx = 1').sections, [{ title: 'A', name: undefined, line: 1, entries: [] }]);
});

test('INI: 2,000 values printed with quotes and escapes are read unchanged', () => {
  const random = new Random(14);
  const letters = [...'ab ;#"\\\t\n=[]é'];
  for (let i = 0; i < 2_000; i++) {
    const value = Array.from({ length: random.int(0, 12) }, () => random.pick(letters)).join('');
    const quoted = value.replace(/[\\"]/g, '\\$&').replaceAll('\t', '\\t').replaceAll('\n', '\\n');
    const remark = random.chance(0.3) ? ' ; "remark' : '';
    assert.equal(valueIn(` = "${quoted}"${remark}`), value);
  }
});
