import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAlerts } from '../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';

const commands = [
  ['add'],
  ['query'],
  ['status'],
  ['groups'],
  ['silence', 'add'],
  ['silence', 'query'],
  ['silence', 'expire'],
  ['silence', 'update'],
  ['silence', 'import'],
  ['history'],
  ['explain'],
];

for (const command of commands) {
  test(`the help of alerts ${command.join(' ')} gives examples, how to print and where to connect`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await runAlerts([...command, '--help'], terminal), 0);
    assert.match(terminal.stdout, new RegExp(`Examples:\\n  opsdeck alerts ${command.join(' ')}`));
    for (const flag of ['--output <format>', '--json', '--url <url>', '--timeout <duration>']) {
      assert.ok(terminal.stdout.includes(flag), flag);
    }
    assert.equal(terminal.stderr, '');
  });
}

const localCommands: [command: string[], flags: string[]][] = [
  [['import-storage'], ['--storage.url <url>', '--storage.wait <duration>', 'OPSDECK_STORAGE_URL']],
  [['check-config'], ['--config.expand-env']],
  [
    ['routes', 'show'],
    ['--config.file <file>', '--url <url>'],
  ],
  [
    ['routes', 'test'],
    ['--config.file <file>', '--url <url>', '--tree', '--verify.receivers <names>'],
  ],
  [
    ['template', 'render'],
    ['--template.glob <pattern>', '--template.text <text>', '--template.type <type>', '--template.data <file>'],
  ],
  [
    ['test-receiver'],
    ['--config.file <file>', '--dry-run', '--resolved', '--annotation <name=value>', '--output <format>', '--json'],
  ],
];
for (const [command, flags] of localCommands) {
  test(`the help of alerts ${command.join(' ')} gives examples and its flags`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await runAlerts([...command, '--help'], terminal), 0);
    assert.match(terminal.stdout, new RegExp(`Examples:\\n  opsdeck alerts ${command.join(' ')}`));
    for (const flag of flags) assert.ok(terminal.stdout.includes(flag), flag);
    assert.equal(terminal.stderr, '');
  });
}

test('silence alone shows its help', async () => {
  const terminal = new FakeTerminal();
  assert.equal(await runAlerts(['silence'], terminal), 2);
  assert.match(terminal.stderr, /Usage: opsdeck alerts silence/);
  assert.match(terminal.stderr, /Examples:/);
});

const mistakes: [args: string[], message: RegExp][] = [
  [['silence', 'ad'], /unknown command 'ad'\n\(Did you mean add\?\)/],
  [['query', '--recever', 'x'], /unknown option '--recever'\n\(Did you mean --receiver\?\)/],
  [['silence', 'add', 'x', '--coment', 'y'], /\(Did you mean --comment\?\)/],
  [['query', '--output', 'xml'], /argument 'xml' is invalid. Allowed choices are simple, extended, json/],
  [['silence', 'expire'], /missing required argument 'ids'/],
  [['silence', 'update'], /missing required argument 'ids'/],
  [['explain'], /missing required argument 'labels'/],
  [['test-receiver'], /missing required argument 'name'/],
  [['routes', 'test', '--verify.receiver', 'x'], /\(Did you mean --verify\.receivers\?\)/],
];
for (const [args, message] of mistakes) {
  test(`alerts ${args.join(' ')} is refused with the error and ends with 2`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await runAlerts(args, terminal), 2);
    assert.match(terminal.stderr, message);
    assert.equal(terminal.stdout, '');
  });
}
