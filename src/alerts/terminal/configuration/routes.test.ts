import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runAlerts, startFakeAlertmanager } from '../../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';
import { configFile, needsReal, runProcess, startAlertmanager, temporaryFolder } from '../../../testing/processes.ts';

const CONFIG = `
route:
  receiver: default
  routes:
    - matchers: [team=~"db|sql"]
      receiver: db
      continue: true
      routes:
        - match: {severity: page, site: 2}
          receiver: db-page
        - matchers: ['note=~"a \\"b\\".*"']
    - continue: true
      matchers: [severity!=info]
      receiver: audit
    - matchers: ['severity!~"info|debug"', 'zone=~".+"']
receivers: [{name: default}, {name: db}, {name: db-page}, {name: audit}]
`;

async function run(
  args: readonly string[],
  files: Readonly<Record<string, string>> = { 'am.yml': CONFIG },
  url?: string,
) {
  const terminal = new FakeTerminal();
  for (const [name, text] of Object.entries(files)) terminal.files.set(name, text);
  if (url !== undefined) terminal.env.OPSDECK_ALERTS_URL = url;
  const code = await runAlerts(['routes', ...args], terminal);
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

const TREE = `Routing tree:
.
└── default-route  receiver: default
    ├── {team=~"db|sql"}  continue: true  receiver: db
    │   ├── {severity="page",site="2"}  receiver: db-page
    │   └── {note=~"a \\"b\\".*"}  receiver: db
    ├── {severity!="info"}  continue: true  receiver: audit
    └── {severity!~"info|debug",zone=~".+"}  receiver: default

`;

test('the routing tree of a file is drawn, as the first thing that routes does', async () => {
  for (const args of [['show', '--config.file', 'am.yml'], ['--config.file=am.yml']]) {
    assert.deepEqual(await run(args), { code: 0, stdout: TREE, stderr: '' });
  }
});

test('the routing tree of a server is drawn from the configuration that it shows', async (t) => {
  const { url, requests } = await startFakeAlertmanager(t, () => ({
    json: {
      cluster: { status: 'disabled' },
      config: { original: CONFIG },
      uptime: '',
      versionInfo: { version: '', revision: '', branch: '', buildUser: '', buildDate: '', goVersion: '' },
    },
  }));
  assert.deepEqual(await run(['show'], {}, url), { code: 0, stdout: TREE, stderr: '' });
  assert.deepEqual(
    requests.map(({ path }) => path),
    ['/api/v2/status'],
  );
});

test('a file takes precedence over the address of a server, and a message says so', async () => {
  const { code, stderr } = await run(['show', '--config.file=am.yml', '--alertmanager.url=http://127.0.0.1:9']);
  assert.equal(stderr, 'Warning: --config.file flag overrides the --url.\n');
  assert.equal(code, 0);
});

const alerts: [labels: string[], receivers: string][] = [
  [['team=db', 'severity=page', 'site=2'], 'db-page,audit'],
  [['team=sql', 'severity=warning', 'zone=a'], 'db,audit,default'],
  [['severity=info', 'zone=a'], 'default'],
  [['Down', 'team="db"', 'severity=info', 'note=a "b" c'], 'db'],
  [[], 'audit'],
];
for (const [labels, receivers] of alerts) {
  test(`an alert with ${labels.join(' ') || 'no labels'} goes to ${receivers}`, async () => {
    const result = await run(['test', '--config.file=am.yml', ...labels]);
    assert.deepEqual(result, { code: 0, stdout: `${receivers}\n`, stderr: '' });
  });
}

test('routes test --tree draws the path first', async () => {
  const { stdout } = await run(['test', '--config.file=am.yml', '--tree', 'team=db', 'severity=info']);
  assert.equal(stdout, 'Matching routes:\n.\n└── default-route\n    └── {team=~"db|sql"}  receiver: db\n\n\ndb\n');
});

test('routes test --verify.receivers ends with 1 unless the receivers are as given, in their order', async () => {
  const labels = ['--config.file=am.yml', 'team=db', 'severity=page', 'site=2'];
  assert.equal((await run(['test', '--verify.receivers=db-page,audit', ...labels])).code, 0);
  const result = await run(['test', '--verify.receivers=audit,db-page', ...labels]);
  assert.equal(result.code, 1);
  assert.equal(result.stdout, 'db-page,audit\nWARNING: Expected receivers did not match resolved receivers.\n');
});

test('an invalid label, a missing file or an invalid configuration is wrong usage', async () => {
  const cases: [string[], RegExp][] = [
    [['test', '--config.file=am.yml', 'severity!=page'], /labels must be given as name=value/],
    [['show', '--config.file=none.yml'], /cannot read none\.yml: no such file/],
    [['show', '--config.file=bad.yml'], /^opsdeck: bad\.yml: .*undefined receiver "x" used in route/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await run(args, {
      'am.yml': CONFIG,
      'bad.yml': 'route: {receiver: x}\nreceivers: [{name: y}]\n',
    });
    assert.match(stderr, message);
    assert.equal(stdout, '');
    assert.equal(code, 2);
  }
});

test('match_re is drawn as the anchored expression, as in group keys', async (t) => {
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  const config =
    'route: {receiver: a, routes: [{match_re: {team: db|sql}, match: {zone: x}}]}\nreceivers: [{name: a}]\n';
  const file = configFile(t, config);
  const args = ['show', '--config.file', file];
  const theirs = await runProcess('amtool', ['config', 'routes', ...args], { env: { HOME: temporaryFolder(t) } });
  assert.match(theirs.stdout, /\{team=~"\^\(\?:db\|sql\)\$",zone="x"\}/);
  assert.equal((await run(args, { [file]: config })).stdout, theirs.stdout);
});

test('amtool draws the same trees and finds the same receivers', async (t) => {
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  const file = configFile(t, CONFIG);
  const amtool = async (args: readonly string[]) => {
    const result = await runProcess('amtool', ['config', 'routes', ...args], { env: { HOME: temporaryFolder(t) } });
    // Of its margins, older versions draw some with spaces that do not break.
    return { ...result, stdout: result.stdout.replaceAll('\u00a0', ' ') };
  };
  const files = { [file]: CONFIG };
  assert.equal(
    (await run(['show', '--config.file', file], files)).stdout,
    (await amtool(['show', '--config.file', file])).stdout,
  );
  for (const [labels] of alerts) {
    // A first word without = is an extra of ours.
    const args = ['test', '--tree', '--config.file', file, ...labels.filter((label) => label.includes('='))];
    // Its parser requires quotes around values with quotes.
    const quoted = args.map((arg) => arg.replace('note=a "b" c', 'note="a \\"b\\" c"'));
    const theirs = await amtool(quoted);
    assert.deepEqual([(await run(quoted, files)).stdout, theirs.code], [theirs.stdout, 0], labels.join(' '));
  }
  const wrong = ['test', '--config.file', file, '--verify.receivers=audit', 'team=db'];
  const theirs = await amtool(wrong);
  const ours = await run(wrong, files);
  assert.deepEqual([ours.stdout, ours.code], [theirs.stdout, theirs.code]);
});

test('the tree of a real Alertmanager is that of its file', async (t) => {
  if (!needsReal(t, 'prometheus-alertmanager', 'prometheus-alertmanager')) return;
  const { url } = await startAlertmanager(t, { config: CONFIG });
  assert.deepEqual(await run(['show'], {}, url), { code: 0, stdout: TREE, stderr: '' });
});
