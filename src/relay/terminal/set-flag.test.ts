import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { sampleFlags } from '../file-source/sample.ts';
import { runRelay } from '../testing/command.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'set-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function set(path: string, ...args: readonly string[]): Promise<FakeTerminal & { code?: number }> {
  const terminal: FakeTerminal & { code?: number } = new FakeTerminal();
  terminal.code = await runRelay(['set', ...args, '--flags', path], terminal);
  return terminal;
}

test('relay set changes one line of a YAML file, and prints the old value', async (t) => {
  const path = join(folderOf(t), 'flags.yml');
  writeFileSync(path, sampleFlags);
  const terminal = await set(path, 'new-checkout', 'off');
  assert.equal(terminal.stdout, `new-checkout: off (was on) in ${path}\n`);
  assert.equal(
    readFileSync(path, 'utf8'),
    sampleFlags.replace('new-checkout:\n    on: true', 'new-checkout:\n    on: false'),
  );
  assert.equal((await set(path, 'new-checkout', 'on')).code, 0);
  assert.equal(readFileSync(path, 'utf8'), sampleFlags);
});

test('relay set changes the default value, and prints the parts evaluated before it', async (t) => {
  const path = join(folderOf(t), 'flags.yml');
  writeFileSync(path, sampleFlags);
  const terminal = await set(path, 'button-color', 'red');
  assert.equal(terminal.stdout, `button-color: "red" (was a rollout) in ${path}; evaluated first: 1 target, 1 rule\n`);
  assert.match(readFileSync(path, 'utf8'), /\n {4}fallthrough: \{ variation: 2 \}\n {4}offVariation: 0\n/);
  await set(path, 'page-size', '50');
  assert.match(readFileSync(path, 'utf8'), /\n {2}page-size: 50\n/);
});

test('relay set keeps the indentation of JSON, and leaves a file alone that is as it should be', async (t) => {
  const path = join(folderOf(t), 'flags.json');
  writeFileSync(path, '{\n\t"flagValues": {"a": true}\n}');
  const terminal = await set(path, 'a', 'off', '--json');
  assert.deepEqual(JSON.parse(terminal.stdout), { flag: 'a', file: path, before: 'true', after: 'false' });
  assert.equal(readFileSync(path, 'utf8'), '{\n\t"flagValues": {"a": false}\n}');
  const { mtimeNs } = statSync(path, { bigint: true });
  assert.equal((await set(path, 'a', 'off')).stdout, `a: false (unchanged) in ${path}\n`);
  assert.equal(statSync(path, { bigint: true }).mtimeNs, mtimeNs);
});

test('relay set finds the file of a folder, keeps its mode and its link, and leaves nothing behind', async (t) => {
  const folder = folderOf(t);
  const real = join(folderOf(t), 'real.json');
  writeFileSync(real, '{"flagValues": {"b": 1}}');
  chmodSync(real, 0o640);
  writeFileSync(join(folder, 'a.yml'), 'flagValues: {a: 1}\n');
  symlinkSync(real, join(folder, 'b.json'));
  assert.equal((await set(folder, 'b', '2')).code, 0);
  assert.equal(readFileSync(real, 'utf8'), '{"flagValues": {"b": 2}}');
  assert.equal(statSync(real).mode & 0o777, 0o640);
  assert.ok(lstatSync(join(folder, 'b.json')).isSymbolicLink());
  assert.deepEqual(readdirSync(folder), ['a.yml', 'b.json']);
  assert.equal(readFileSync(join(folder, 'a.yml'), 'utf8'), 'flagValues: {a: 1}\n');
});

const refusals: [text: string, args: readonly string[], code: number, expected: RegExp][] = [
  ['flagValues: {abc: 1}', ['abd', 'on'], 1, /unknown flag "abd"; did you mean abc\?/],
  ['flagValues: {a: 1}', ['a', 'many'], 2, /flag "a": its value 1 is a number, which "many" is not/],
  ['flags: {a: {on: 1}}', ['a', 'on'], 2, /flags\.yml:1: flag "a": on: expected boolean, got number/],
];
for (const [text, args, code, expected] of refusals) {
  test(`relay set ${args.join(' ')} of ${text} is refused, and the file stays unchanged`, async (t) => {
    const path = join(folderOf(t), 'flags.yml');
    writeFileSync(path, text);
    const terminal = await set(path, ...args);
    assert.equal(terminal.code, code);
    assert.match(terminal.stderr, expected);
    assert.equal(readFileSync(path, 'utf8'), text);
  });
}
