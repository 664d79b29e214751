import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../testing/eventually.ts';
import { FakeTerminal } from '../testing/fake/terminal.ts';
import { temporaryFolder } from '../testing/processes.ts';
import { announceStart } from './supervisor.ts';

test('systemd hears that the server has started, and twice in the time of its watchdog that it is alive', async (t) => {
  const folder = temporaryFolder(t);
  const heard = join(folder, 'heard');
  writeFileSync(heard, '');
  writeFileSync(join(folder, 'systemd-notify'), `#!/bin/sh\necho "$NOTIFY_SOCKET $1" >>"${heard}"\n`);
  chmodSync(join(folder, 'systemd-notify'), 0o755);
  const hears = (text: string) => eventually(text, () => readFileSync(heard, 'utf8') === text);
  const terminal = new FakeTerminal();
  terminal.env = { PATH: `${folder}:${process.env.PATH}`, NOTIFY_SOCKET: '/run/n', WATCHDOG_USEC: '60000000' };
  announceStart(terminal);
  await hears('/run/n --ready\n');
  terminal.clock.advance(29_999);
  terminal.clock.advance(1);
  await hears('/run/n --ready\n/run/n WATCHDOG=1\n');
  terminal.clock.advance(30_000);
  await hears('/run/n --ready\n/run/n WATCHDOG=1\n/run/n WATCHDOG=1\n');
  assert.equal(terminal.stderr, '');
});

test('without systemd-notify an error says so; without systemd nothing happens', async () => {
  const terminal = new FakeTerminal();
  announceStart(terminal);
  terminal.env = { PATH: '/nowhere', NOTIFY_SOCKET: '/run/n' };
  announceStart(terminal);
  await eventually('the error', () => terminal.stderr !== '');
  assert.match(terminal.stderr, /^opsdeck: systemd cannot be notified: .*systemd-notify.*\n$/);
});
