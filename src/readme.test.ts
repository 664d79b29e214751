import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SETTINGS as ALERT_SETTINGS } from './alerts/config/settings.ts';
import { run } from './cli.ts';
import { SETTINGS as DASHBOARD_SETTINGS } from './dashboard/config/settings.ts';
import type { SettingsTable } from './kernel/settings/settings.ts';
import { CONFIG_FLAGS, SERVE_FLAGS } from './relay/config/command-line.ts';
import { NAMED_SECTIONS, SINGLE_SECTIONS } from './relay/config/settings.ts';
import { SETTINGS as ROOM_SETTINGS } from './rooms/config/settings.ts';
import { FakeTerminal } from './testing/fake/terminal.ts';
import {
  executablePath,
  listeningAddress,
  runProcess,
  startOpsdeck,
  startServer,
  temporaryFolder,
} from './testing/processes.ts';

// README.md is correct: its demo runs as it stands, its table of commands is the command line.

const README = readFileSync('README.md', 'utf8');

/** The demos of "Thirty seconds", line by line: alerts, flags, rooms. */
function demos(): readonly (readonly string[])[] {
  const section = /## Thirty seconds\n([\s\S]*?)\n## /.exec(README)?.[1] ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block.trim().split('\n'));
}

function runScript(commands: readonly string[], cwd: string, env: Record<string, string>) {
  const script = `set -e\nopsdeck() { "${process.execPath}" "${executablePath()}" "$@"; }\n${commands.join('\n')}\n`;
  return runProcess('bash', ['-c', script], { cwd, env });
}

async function runDemo(t: TestContext) {
  const [serve, ...commands] = demos()[0] ?? [];
  // The one change: a free port in the place of 9093, which may be in use on this machine.
  assert.equal(serve, 'opsdeck alerts serve --web.listen-address 127.0.0.1:9093 &');
  const server = await startOpsdeck(t);
  return runScript(commands, temporaryFolder(t), { OPSDECK_ALERTS_URL: server.url, USER: 'alex' });
}

test('the demo of flags runs, line by line', async (t) => {
  const [sample = '', serve, ...commands] = demos()[1] ?? [];
  assert.equal(serve, 'opsdeck relay serve --flags flags.yml &');
  const folder = temporaryFolder(t);
  assert.equal((await runScript([sample], folder, {})).code, 0);
  const relay = await startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'relay', 'serve', '--flags', 'flags.yml', '--port', '0'],
    cwd: folder,
    addressIn: listeningAddress,
  });
  // Of the same user: no command needs a key.
  const { code, stdout, stderr } = await runScript(commands, folder, { OPSDECK_RELAY_URL: relay.url, HOME: folder });
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^true\n/);
  assert.match(stdout, /^new-checkout: off \(was on\) in flags\.yml$/m);
});

test('the demo of rooms runs, line by line', async (t) => {
  const [serve, ...commands] = demos()[2] ?? [];
  assert.equal(serve, 'opsdeck rooms serve &');
  const rooms = await startServer(t, {
    command: process.execPath,
    args: [executablePath(), 'rooms', 'serve', '--port', '0'],
    cwd: temporaryFolder(t),
    addressIn: listeningAddress,
  });
  const environment = { OPSDECK_ROOMS_URL: rooms.url, USER: 'alex' };
  const { code, stdout, stderr } = await runScript(commands, temporaryFolder(t), environment);
  assert.equal(code, 0, stderr);
  assert.equal(stdout.match(/deploy of web 4\.2 done/g)?.length, 2, stdout);
});

test('the demo of the README runs, line by line, and shows the promised output', async (t) => {
  const { code, stdout, stderr } = await runDemo(t);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^added \{alertname="DiskFull", instance="db1", severity="critical"\}$/m);
  assert.match(stdout, /^DiskFull .*\/var is at 97 % +active$/m);
  assert.match(stdout, /^[0-9a-f-]{36}$/m);
  assert.match(stdout, /^DiskFull .*suppressed$/m);
  assert.match(stdout, /^[0-9a-f-]{36} +alertname="DiskFull" .*alex +replacing the disk$/m);
});

test('every command in the table of the README exists, and has the named help', async () => {
  const table = [...README.matchAll(/^\| `opsdeck ([a-z ]+)`/gm)].map(([, command]) => (command as string).split(' '));
  assert.ok(table.length >= 6);
  for (const command of table) {
    const terminal = new FakeTerminal();
    assert.equal(await run([...command, '--help'], terminal), 0, command.join(' '));
    assert.match(terminal.stdout, new RegExp(`^Usage: opsdeck ${command.join(' ')}\\b`), command.join(' '));
  }
});

test('every setting in the tables of the README exists', () => {
  const tables: readonly SettingsTable[] = [
    ...[ALERT_SETTINGS, CONFIG_FLAGS, SERVE_FLAGS, DASHBOARD_SETTINGS, ROOM_SETTINGS],
    ...[...Object.values(SINGLE_SECTIONS), ...Object.values(NAMED_SECTIONS)],
  ];
  const settings = tables.flatMap((table) => Object.values(table));
  const flags = settings.map(({ flag = '' }) => flag.replace(/ .*/, ''));
  // These variables end in the name of a user or an environment.
  const variables = [...settings.map(({ variable = '' }) => variable), 'USAGE_SESSION_TOKEN_', 'USER_TOKENS'];
  const rows =
    README.slice(README.indexOf('\n## Configuration'), README.indexOf('\n## Rooms')).match(/^\| `.*$/gm) ?? [];
  const names = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(--[\w.-]+|[A-Z_]{4,})/g)]);
  assert.ok(names.length >= 12);
  for (const [, name = ''] of names)
    assert.ok(flags.includes(name) || variables.includes(name) || variables.includes(name.replace(/[A-Z]$/, '')), name);
});

test('the package has the files named in the README', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
  assert.deepEqual(manifest.bin, { opsdeck: 'dist/opsdeck.js' });
  assert.equal(manifest.dependencies, undefined, 'the executable holds what it needs');
  const version = /opsdeck-(\d+\.\d+\.\d+)\.tgz/.exec(README)?.[1];
  assert.equal(version, manifest.version as unknown);
  assert.ok(readFileSync(join('LICENSE'), 'utf8').includes('Apache License'));
});
