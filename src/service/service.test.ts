import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../cli.ts';
import { FakeTerminal } from '../testing/fake/terminal.ts';
import { executablePath, needsReal, runProcess, temporaryFolder } from '../testing/processes.ts';
import { installUnit } from './install.ts';
import { hiddenFromUnit, printUnit, SERVICES, type UnitParts, unitNameOf } from './unit.ts';

const program = [process.execPath, executablePath()];
const startOf = (parts: UnitParts) => /^ExecStart=(.*)$/m.exec(printUnit(parts))?.[1];

const starts: [parts: Omit<UnitParts, 'program'>, start: string][] = [
  [{ service: 'up', flags: [] }, '/bin/opsdeck up --data-dir %S/opsdeck'],
  [{ service: 'alerts', flags: [] }, '/bin/opsdeck alerts serve --data-dir %S/opsdeck-alerts'],
  [{ service: 'alerts', flags: ['--storage.path=/srv/a'] }, '/bin/opsdeck alerts serve --storage.path=/srv/a'],
  [{ service: 'relay', flags: ['--from-env'] }, '/bin/opsdeck relay serve --from-env'],
  [{ service: 'dashboard', flags: [] }, '/bin/opsdeck dashboard serve --project %S/opsdeck-dashboard'],
  [{ service: 'rooms', flags: ['--data-dir', '/srv/r'] }, '/bin/opsdeck rooms serve --data-dir /srv/r'],
  [
    { service: 'up', flags: ['--project', '/a "b" $c%d'] },
    '/bin/opsdeck up --data-dir %S/opsdeck --project "/a \\"b\\" $$c%%d"',
  ],
];
for (const [parts, start] of starts) {
  test(`the unit of ${parts.service} with ${parts.flags.join(' ') || 'no flags'} runs ${start}`, () =>
    assert.equal(startOf({ ...parts, program: ['/bin/opsdeck'] }), start));
}

test('systemd accepts every unit, and rates it as well protected', async (t) => {
  if (!needsReal(t, 'systemd-analyze', 'systemd')) return;
  const folder = temporaryFolder(t);
  const files = SERVICES.map((service) => {
    const file = join(folder, `${unitNameOf(service)}.service`);
    writeFileSync(file, printUnit({ service, program, flags: service === 'up' ? ['--project', '/a b'] : [] }));
    return file;
  });
  const verified = await runProcess('systemd-analyze', ['verify', ...files]);
  assert.deepEqual([verified.code, verified.stderr], [0, '']);
  // From 0, locked up, to 100.
  const security = ['security', '--offline=true', '--threshold=25', '--no-pager', files[0] ?? ''];
  const rated = await runProcess('systemd-analyze', security);
  assert.equal(rated.code, 0, rated.stdout.slice(-500));
});

test('a wrong flag or server is reported when the unit is printed', async () => {
  for (const [args, message] of [
    [
      ['alerts', '--', '--web.listen', ':9093'],
      /opsdeck alerts serve has no --web\.listen: its --help lists the flags/,
    ],
    [['up', '--', 'extra'], /opsdeck up has no extra/],
    [['alert'], /Allowed choices are up, alerts, relay, dashboard, rooms/],
  ] as const) {
    const terminal = new FakeTerminal();
    assert.equal(await run(['service', 'print', ...args], terminal), 2);
    assert.match(terminal.stderr, message);
    assert.equal(terminal.stdout, '');
  }
});

test('print writes the unit of the server', async () => {
  const terminal = new FakeTerminal();
  const flags = ['--web.listen-address', '127.0.0.1:9093'];
  assert.equal(await run(['service', 'print', 'alerts', '--', ...flags], terminal), 0);
  assert.match(
    terminal.stdout,
    /^ExecStart=.* alerts serve --data-dir %S\/opsdeck-alerts --web\.listen-address 127\.0\.0\.1:9093$/m,
  );
});

for (const path of ['/home/ana/.nvm/node', '/root/opsdeck', '/tmp/opsdeck'])
  test(`a program at ${path} is hidden from a unit`, () => assert.ok(hiddenFromUnit(['/usr/bin/node', path])));
test('a program in /usr is not hidden from a unit', () =>
  assert.equal(hiddenFromUnit(['/usr/bin/node', '/usr/local/lib/opsdeck.js']), undefined));

test('install writes the unit and starts it; a failure of systemctl is one of the command', async (t) => {
  const directory = temporaryFolder(t);
  const calls = join(directory, 'calls');
  writeFileSync(
    join(directory, 'systemctl'),
    `#!/bin/sh\necho "$@" >>"${calls}"\n[ "$1" != restart ] || [ ! -e "${directory}/down" ]\n`,
  );
  chmodSync(join(directory, 'systemctl'), 0o755);
  const terminal = new FakeTerminal();
  terminal.env = { PATH: `${directory}:${process.env.PATH}` };
  const unit = { name: 'opsdeck', text: 'text', directory };
  await installUnit(unit, terminal);
  assert.equal(readFileSync(join(directory, 'opsdeck.service'), 'utf8'), 'text');
  assert.equal(readFileSync(calls, 'utf8'), 'daemon-reload\nenable opsdeck\nrestart opsdeck\n');
  writeFileSync(join(directory, 'down'), '');
  await assert.rejects(
    installUnit(unit, terminal),
    /^CommandError: systemctl restart opsdeck failed; journalctl -u opsdeck may say why$/,
  );
  const nowhere = { ...unit, directory: join(directory, 'nowhere') };
  await assert.rejects(installUnit(nowhere, terminal), /cannot write .*nowhere\/opsdeck\.service: ENOENT/);
  assert.ok(!existsSync(nowhere.directory));
});
