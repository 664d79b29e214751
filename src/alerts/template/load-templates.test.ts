import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { notificationOf, notifiedAlert, notifierContext } from '../testing/notifier-parts.ts';
import { findFiles } from './file-pattern.ts';
import { loadTemplates } from './load-templates.ts';

const folder = mkdtempSync(join(tmpdir(), 'opsdeck-templates-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const files: Readonly<Record<string, string>> = {
  'a.tmpl': '{{ define "who" }}a{{ end }}',
  'b.tmpl': '{{ define "who" }}b{{ end }}',
  '.hidden.tmpl': '',
  'c.txt': '{{ if }}',
  'x[1].tmpl': '{{ define "bracket" }}yes{{ end }}',
  'team-1/t.tmpl': '{{ define "team" }}1{{ end }}',
  'team-2/t.tmpl': '{{ define "team" }}2{{ end }}',
};
for (const [name, text] of Object.entries(files)) {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const data = notifierContext().dataOf(notificationOf([notifiedAlert({ alertname: 'Down' })]));

test('patterns name files as Go’s filepath.Glob does', async () => {
  const patterns: readonly (readonly [pattern: string, found: readonly string[]])[] = [
    ['a.tmpl', ['a.tmpl']],
    ['none.tmpl', []],
    ['*.tmpl', ['.hidden.tmpl', 'a.tmpl', 'b.tmpl', 'x[1].tmpl']],
    ['?.tmpl', ['a.tmpl', 'b.tmpl']],
    ['[a-b].tmpl', ['a.tmpl', 'b.tmpl']],
    ['[^a].tmpl', ['b.tmpl']],
    ['[bc].*', ['b.tmpl', 'c.txt']],
    ['x\\[1].tmpl', ['x[1].tmpl']],
    ['*/t.tmpl', ['team-1/t.tmpl', 'team-2/t.tmpl']],
    ['team-[2-9]/*', ['team-2/t.tmpl']],
    ['*t*m*p*l*l', []],
    ['**.tmpl', ['.hidden.tmpl', 'a.tmpl', 'b.tmpl', 'x[1].tmpl']],
    ['none/*', []],
    ['a.tmpl/*', []],
  ];
  for (const [pattern, found] of patterns) {
    const value = found.map((name) => join(folder, name));
    assert.deepEqual(await findFiles(join(folder, pattern)), { ok: true, value }, pattern);
  }
});

test('an invalid pattern is refused', async () => {
  for (const pattern of ['[a', '[]', '[]a]', '[a-]', '[-a]', 'a\\', 'x[^]']) {
    assert.deepEqual(
      await findFiles(`${folder}/${pattern}`),
      { ok: false, reason: 'syntax error in pattern' },
      pattern,
    );
  }
});

test('a pattern with many stars is fast on a long name', async () => {
  const name = 'a'.repeat(200);
  writeFileSync(join(folder, name), '');
  assert.deepEqual(await findFiles(`${folder}/${'*a'.repeat(60)}*b`), { ok: true, value: [] });
  rmSync(join(folder, name));
});

test('files are read in the order of the patterns, and of their names within one', async () => {
  const later = await loadTemplates([join(folder, '[ab].tmpl')]);
  assert.ok(later.ok);
  assert.equal(later.value.text('{{ template "who" }}', data), 'b');
  const reversed = await loadTemplates([join(folder, 'b.tmpl'), join(folder, 'none*'), join(folder, 'a.tmpl')]);
  assert.ok(reversed.ok);
  assert.equal(reversed.value.text('{{ template "who" }}', data), 'a');
});

test('templates use the given clock', async () => {
  const loaded = await loadTemplates([], { clock: new FakeClock('2026-05-06T07:08:09Z') });
  assert.ok(loaded.ok);
  assert.equal(loaded.value.text('{{ now.UTC.Format "15:04:05" }}', data), '07:08:09');
});

test('a file that cannot be read or parsed is named', async () => {
  const broken = await loadTemplates([join(folder, 'c.txt')]);
  assert.deepEqual(broken, { ok: false, reason: 'template: c.txt:1: missing value for if' });
  const unreadable = await loadTemplates([join(folder, 'team-?')]);
  assert.deepEqual(unreadable, { ok: false, reason: `read ${join(folder, 'team-1')}: is a directory` });
});
