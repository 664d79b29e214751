import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { page } from './pager.ts';
import { show } from './show.ts';

const text = (lines: number) => 'line\n'.repeat(lines);

async function pageWith(pager: string, shown = text(3)) {
  const terminal = new FakeTerminal();
  terminal.env = { PATH: process.env.PATH, PAGER: pager };
  await page(shown, terminal);
  return terminal.stdout;
}

test('a text longer than the terminal is shown in the pager; a shorter one, and any text in a pipe, is written', async () => {
  const terminal = new FakeTerminal();
  await show(text(100), terminal);
  terminal.size = { columns: 80, rows: 24 };
  await show(text(23), terminal);
  assert.equal(terminal.stdout, text(123));
  await show(text(24), terminal);
  assert.equal(terminal.paged, text(24));
});

test('the pager gets the text, and the options of less', async (t) => {
  const file = join(temporaryFolder(t), 'paged');
  assert.equal(await pageWith(`cat >"${file}"; echo "$LESS" >>"${file}"`), '');
  assert.equal(readFileSync(file, 'utf8'), `${text(3)}FRX\n`);
});

test('a pager that is left before it has read everything is no failure', async () => {
  assert.equal(await pageWith('exit 0', text(500_000)), '');
});

for (const pager of ['', ' ', 'exit 127'])
  test(`without a pager (PAGER=${JSON.stringify(pager)}) the text is written`, async () => {
    assert.equal(await pageWith(pager), text(3));
  });
