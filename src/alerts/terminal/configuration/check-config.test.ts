import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemTerminal } from '../../../kernel/terminal/terminal.ts';
import { runAlerts } from '../../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';
import { executablePath, needsReal, runProcess, temporaryFolder } from '../../../testing/processes.ts';

/** A terminal that reads the files of the machine. */
class FileTerminal extends FakeTerminal {
  override readonly readFile = systemTerminal.readFile;
}

function writeFiles(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(t);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

async function check(files: readonly string[], input = '', env: Record<string, string> = {}, flags: string[] = []) {
  const terminal = new FileTerminal();
  terminal.input = input;
  terminal.env = env;
  const code = await runAlerts(['check-config', ...flags, ...files], terminal);
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

const GOOD = `
route: {receiver: team, routes: [{receiver: other, matchers: [severity="page"]}]}
receivers:
  - name: team
    webhook_configs: [{url: 'http://127.0.0.1:9/hook'}]
  - name: other
inhibit_rules:
  - {source_matchers: [severity="page"], target_matchers: [severity="info"], equal: [instance]}
`;
const FOUND = `Found:
 - global config
 - route
 - 1 inhibit rules
 - 2 receivers
`;

test('a good file is reported in the words of amtool', async (t) => {
  const file = join(writeFiles(t, { 'good.yml': GOOD }), 'good.yml');
  const { code, stdout } = await check([file]);
  assert.equal(stdout, `Checking '${file}'  SUCCESS\n${FOUND} - 0 templates\n\n`);
  assert.equal(code, 0);
});

test('without a file, and for -, standard input is checked', async () => {
  for (const files of [[], ['-']]) {
    const { code, stdout } = await check(files, GOOD);
    assert.equal(stdout, `Checking '/dev/stdin'  SUCCESS\n${FOUND} - 0 templates\n\n`);
    assert.equal(code, 0);
  }
});

test('without a file and without input, what serve would load here is checked', async (t) => {
  const terminal = new FakeTerminal();
  terminal.isTyped = true;
  assert.equal(await runAlerts(['check-config'], terminal), 0);
  assert.match(terminal.stdout, /^Checking 'the built-in configuration' {2}SUCCESS\n/);
  const cwd = writeFiles(t, { 'alertmanager.yml': GOOD });
  const script = '"$0" "$1" alerts check-config </dev/null';
  const { stdout } = await runProcess('sh', ['-c', script, process.execPath, executablePath()], { cwd });
  assert.equal(stdout, `Checking 'alertmanager.yml'  SUCCESS\n${FOUND} - 0 templates\n\n`);
});

test('every problem of every file is printed with its line, and the command ends with 1', async (t) => {
  const folder = writeFiles(t, {
    'bad.yml': 'route: {receiver: team}\nreceivers:\n  - name: team\n    webhook_config: []\ntypo: 1\n',
    'good.yml': GOOD,
  });
  const [bad, good, missing] = ['bad.yml', 'good.yml', 'missing.yml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const { code, stdout, stderr } = await check([bad, good, missing]);
  assert.match(stdout, /^Checking '.*bad\.yml' {2}FAILED:\n/);
  assert.match(stdout, /\n {2}line 4: field webhook_config not found/);
  assert.match(stdout, /\n {2}line 5: field typo not found/);
  assert.ok(stdout.includes(`\n\nChecking '${good}'  SUCCESS\nFound:\n`), stdout);
  assert.ok(stdout.includes(`\n\nChecking '${missing}'  FAILED: cannot read ${missing}: no such file\n\n`), stdout);
  assert.equal(stderr.split('\n').at(-2), 'opsdeck: failed to validate 2 file(s)');
  assert.equal(code, 1);
});

test('template files are parsed, relative to the file; missing ones are allowed', async (t) => {
  const folder = writeFiles(t, {
    'good.yml': `${GOOD}templates: ['templates/*.tmpl', 'none/*.tmpl']\n`,
    'bad.yml': `${GOOD}templates: ['templates/*.tmpl', 'broken/*.tmpl']\n`,
    'templates/a.tmpl': '{{ define "a" }}{{ .Status | toUpper }}{{ end }}',
    'broken/b.tmpl': '{{ define "b" }}\n{{ .Status | nofn }}{{ end }}',
  });
  const good = await check([join(folder, 'good.yml')]);
  assert.equal(good.stdout, `Checking '${folder}/good.yml'  SUCCESS\n${FOUND} - 2 templates\n  SUCCESS\n\n`);
  assert.equal(good.code, 0);
  const bad = await check([join(folder, 'bad.yml')]);
  assert.match(bad.stdout, / - 2 templates\n {2}FAILED: .*b\.tmpl:2.*function "nofn" not defined\n\n$/);
  assert.equal(bad.code, 1);
});

test('templates in the file itself are parsed, where amtool waits for the first notification', async () => {
  const config = GOOD.replace(
    "{url: 'http://127.0.0.1:9/hook'}",
    `{url: 'http://127.0.0.1:9/hook', payload: {a: [x, '{{ .Status '], b: '{{ .Status }}'}}`,
  );
  const { code, stdout } = await check([], config);
  assert.match(
    stdout,
    / - 0 templates\n {2}FAILED: receiver team: webhook_configs\[0\]\.payload\.a\[1\]: template: :1: /,
  );
  assert.equal(code, 1);
});

test('variables of the environment are replaced only with the flag', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what users write.
  const config = GOOD.replace('receiver: other,', 'receiver: "${WHO}",');
  const flags = ['--config.expand-env'];
  assert.match((await check([], config)).stdout, /FAILED: .*undefined receiver "\$\{WHO\}" used in route/);
  assert.equal((await check([], config, { WHO: 'other' }, flags)).code, 0);
  assert.match((await check([], config, {}, flags)).stdout, /FAILED: line 2: .*WHO/);
});

test('amtool prints the same for files that both support', async (t) => {
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  const folder = writeFiles(t, {
    'good.yml': GOOD,
    'more.yml': `${GOOD}templates: ['*.tmpl']\nglobal: {resolve_timeout: 1m}\n`,
    'broken.yml': `${GOOD}templates: ['*.broken']\n`,
    'bad.yml': 'route: {receiver: nobody}\nreceivers: [{name: team}]\n',
    'a.tmpl': '{{ define "a" }}b{{ end }}',
    'b.broken': '{{ define "a" }}',
  });
  const files = ['good.yml', 'more.yml', 'broken.yml', 'bad.yml'].map((name) => join(folder, name));
  const theirs = await runProcess('amtool', ['check-config', ...files], { cwd: folder, env: { HOME: folder } });
  const ours = await check(files);
  // The cause of a failure is in words of our own, with the line.
  const withoutReasons = (text: string) => text.replace(/FAILED:.*/g, 'FAILED');
  assert.equal(withoutReasons(ours.stdout), withoutReasons(theirs.stdout));
  assert.match(ours.stdout, /FAILED: line 1: undefined receiver "nobody" used in route\n/);
  assert.equal(ours.code, 1);
  assert.equal(theirs.code, 1);
});
