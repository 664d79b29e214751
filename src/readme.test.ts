import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { SETTINGS as ALERT_SETTINGS } from './alerts/config/settings.ts';
import { run } from './cli.ts';
import { SETTINGS as DASHBOARD_SETTINGS } from './dashboard/config/settings.ts';
import type { SettingsTable } from './kernel/settings/settings.ts';
import { CONFIG_FLAGS, SERVE_FLAGS } from './relay/config/command-line.ts';
import { NAMED_SECTIONS, SINGLE_SECTIONS } from './relay/config/settings.ts';
import { SETTINGS as ROOM_SETTINGS } from './rooms/config/settings.ts';
import { FakeTerminal } from './testing/fake/terminal.ts';
import { BINARY, executablePath, runProcess, temporaryFolder } from './testing/processes.ts';

// README.md is correct: its commands run as they stand, its table of commands is the command line, and so are those of docs/.

const README = readFileSync('README.md', 'utf8');
const { version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

/** The commands for a shell: blocks marked `sh`, in their order. Those of the repository itself are what `.ci/run` runs. */
const SCRIPT = [...README.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)]
  .map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  .join('');

/** An empty folder, but for the files of a release that the README speaks of. */
async function releaseFolder(t: TestContext): Promise<string> {
  const folder = join(temporaryFolder(t), 'empty');
  mkdirSync(folder);
  const packed = await runProcess('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  assert.equal(packed.code, 0, packed.stderr);
  copyFileSync(BINARY ?? executablePath(), join(folder, 'opsdeck-linux-x64'));
  const sums = readdirSync(folder).map((file) => {
    const sum = createHash('sha256').update(readFileSync(join(folder, file)));
    return `${sum.digest('hex')}  ${file}\n`;
  });
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  return folder;
}

/** A shell with a network of its own, in which the ports of the README are free. */
const OWN_NETWORK = ['--user', '--map-root-user', '--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];

async function hasOwnNetwork(): Promise<boolean> {
  return runProcess('unshare', [...OWN_NETWORK, 'true']).then(
    ({ code }) => code === 0,
    () => false,
  );
}

/** Installed by `npm install --global`, and by `install` in the home directory. */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  const home = dirname(folder);
  return {
    HOME: home,
    USER: 'alex',
    PATH: [join(home, 'npm/bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
    npm_config_prefix: join(home, 'npm'),
    npm_config_cache: join(home, 'cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
  };
}

test('the commands of the README run as written and in order, in an empty folder', async (t) => {
  if (!(await hasOwnNetwork())) {
    if (process.env.OPSDECK_REQUIRE_REAL === '1') throw new Error('unshare and ip cannot make a network namespace');
    t.skip('needs a network namespace: unshare (util-linux) and ip (iproute2)');
    return;
  }
  const folder = await releaseFolder(t);
  const { code, stdout, stderr } = await runProcess('unshare', [...OWN_NETWORK, 'bash', '-ec', SCRIPT], {
    cwd: folder,
    env: environmentOf(folder),
  });
  const output = `${stdout}${stderr}`;
  assert.equal(code, 0, output);
  const seen = [
    `opsdeck-${VERSION}.tgz: OK`,
    `opsdeck ${VERSION}\nopsdeck ${VERSION}`,
    'opsdeck is up: http://127.0.0.1:8075/',
    'added {alertname="DiskFull", instance="db1", severity="critical"}',
    'DiskFull .*/var is at 97 %',
    '[0-9a-f-]{36} .*alex +replacing the disk',
    'true',
    'new-checkout: off \\(was on\\) in flags\\.yml',
    'deploy of web 4\\.2 done[\\s\\S]*deploy of web 4\\.2 done',
    'SUCCESS',
    'team',
  ];
  for (const line of seen) assert.match(stdout, new RegExp(line), output);
});

test('the commands of the README for the repository are those that its checks run', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> };
  assert.equal(manifest.scripts.start, 'node dist/opsdeck.js up');
  const checks = readFileSync('.ci/run', 'utf8');
  for (const command of ['npm ci', 'npm test']) assert.match(checks, new RegExp(`^${command}$`, 'm'));
});

test('every bench named in BENCHMARKS.md exists', () => {
  const benches = [...readFileSync('BENCHMARKS.md', 'utf8').matchAll(/npm run bench ([a-z-]+)/g)].map(
    ([, name]) => name,
  );
  const files = readdirSync('.', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.bench.ts') && !file.startsWith('node_modules'),
  );
  const declared = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^ *bench\w*\('([a-z-]+)'/gm)].map(([, name]) => name),
  );
  for (const name of new Set(benches)) assert.ok(declared.includes(name), `bench ${name}`);
});

test('every command in the table of the README exists, and has the named help', async () => {
  const rows = README.match(/^\| Command \|[\s\S]*?\n\n/m)?.[0] ?? '';
  assert.ok(
    ['up', 'alerts', 'relay', 'dashboard', 'rooms'].every((name) => rows.includes(`\`opsdeck ${name}`)),
    'one table',
  );
  const table = [...README.matchAll(/^\| `opsdeck ([a-z ]+)`/gm)].map(([, command]) => (command as string).split(' '));
  assert.ok(table.length >= 6);
  for (const command of table) {
    const terminal = new FakeTerminal();
    assert.equal(await run([...command, '--help'], terminal), 0, command.join(' '));
    assert.match(terminal.stdout, new RegExp(`^Usage: opsdeck ${command.join(' ')}\\b`), command.join(' '));
  }
});

test('every setting in the tables of docs/ exists', () => {
  const tables: readonly SettingsTable[] = [
    ...[ALERT_SETTINGS, CONFIG_FLAGS, SERVE_FLAGS, DASHBOARD_SETTINGS, ROOM_SETTINGS],
    ...[...Object.values(SINGLE_SECTIONS), ...Object.values(NAMED_SECTIONS)],
  ];
  const settings = tables.flatMap((table) => Object.values(table));
  const flags = settings.map(({ flag = '' }) => flag.replace(/ .*/, ''));
  // These variables end in the name of a user or an environment.
  const variables = [...settings.map(({ variable = '' }) => variable), 'USAGE_SESSION_TOKEN_', 'USER_TOKENS'];
  const pages = ['alerts', 'relay', 'dashboard'].map((page) => readFileSync(`docs/${page}.md`, 'utf8'));
  const rows = pages.flatMap((page) => page.match(/^\| `.*$/gm) ?? []);
  const names = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(--[\w.-]+|[A-Z_]{4,})/g)]);
  assert.ok(names.length >= 12);
  for (const [, name = ''] of names)
    assert.ok(flags.includes(name) || variables.includes(name) || variables.includes(name.replace(/[A-Z]$/, '')), name);
});

test('the package has the files named in the README', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
  assert.deepEqual(manifest.bin, { opsdeck: 'dist/opsdeck.js' });
  assert.equal(manifest.dependencies, undefined, 'the executable holds what it needs');
  for (const text of [README, readFileSync('docs/install.md', 'utf8')])
    for (const [, version] of text.matchAll(/opsdeck-(\d+\.\d+\.\d+)\.tgz/g)) assert.equal(version, VERSION);
  assert.ok(readFileSync(join('LICENSE'), 'utf8').includes('Apache License'));
});
