import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Command, CommanderError } from 'commander';
import { CommandError } from '../../kernel/errors.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';
import { type Cleanup, temporaryFolder } from '../../testing/processes.ts';
import { addDashboardCommand } from '../command.ts';
import { startTestDashboard, writeFiles } from '../testing/app.ts';
import { readTimeFlag } from './marker/time.ts';

const NOW = '2026-05-04T12:00:00Z';

/** Runs `opsdeck dashboard` as the program does. */
async function run(terminal: FakeTerminal, ...args: string[]): Promise<number> {
  const program = new Command('opsdeck')
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  addDashboardCommand(program, terminal);
  try {
    await program.parseAsync(['dashboard', ...args], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CommandError)) throw error;
    terminal.err(`opsdeck: ${error.message}\n`);
    return error.exitCode;
  }
}

interface Printed {
  readonly id: string;
  readonly start: string;
  readonly end: string | null;
  readonly [field: string]: unknown;
}

function setUp(t: Cleanup) {
  const folder = temporaryFolder(t);
  const mark = async (...args: string[]) => {
    const terminal = new FakeTerminal(NOW);
    const code = await run(terminal, 'mark', ...args, '--folder', folder);
    return { code, ...terminal, stdout: terminal.stdout, stderr: terminal.stderr };
  };
  const list = async () => JSON.parse((await mark('list', '--json')).stdout) as Printed[];
  return { folder, mark, list };
}

for (const command of ['serve', 'report', 'mark']) {
  test(`the help of dashboard ${command} has examples`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await run(terminal, command, '--help'), 0);
    assert.match(terminal.stdout, new RegExp(`Examples:\\n.*opsdeck dashboard ${command}`));
  });
}

test('serve has the promised flags', async () => {
  const terminal = new FakeTerminal();
  await run(terminal, 'serve', '--help');
  for (const flag of ['--host', '--port', '--project', '--upstream-url', '--users', '--allow-remote', '--open'])
    assert.match(terminal.stdout, new RegExp(`${flag}\\b`));
});

test('serve refuses an address that others can reach with code 2', async () => {
  const terminal = new FakeTerminal();
  assert.equal(await run(terminal, 'serve', '--host', '0.0.0.0', '--port', '0'), 2);
  assert.match(terminal.stderr, /--allow-remote/);
});

test('mark start and stop make an interval in the file of a folder', async (t) => {
  const { folder, mark, list } = setUp(t);
  const started = await mark('start', 'Feature: login', '--project', 'web', '--at', '30m');
  assert.deepEqual([started.code, started.stderr], [0, '']);
  assert.match(
    started.stdout,
    /^marked web · Feature: login \(.* – open\) as m-[\da-f-]{36} in .*project-markers\.json\n$/,
  );
  assert.equal((await mark('stop')).code, 0);
  const { id, ...marker } = (await list())[0] as Printed;
  assert.deepEqual(marker, {
    user: 'info',
    start: '2026-05-04T11:30:00.000Z',
    end: '2026-05-04T12:00:00.000Z',
    project: 'web',
    task: 'Feature: login',
    note: '',
    createdAt: '2026-05-04T12:00:00.000Z',
    updatedAt: '2026-05-04T12:00:00.000Z',
  });
  assert.match(readFileSync(join(folder, 'data/project-markers.json'), 'utf8'), new RegExp(id));
});

test('mark stop ends the latest marker, and reports when nothing is open', async (t) => {
  const { mark, list } = setUp(t);
  await mark('start', '-p', 'a', '--at', '2h');
  await mark('start', '-p', 'b', '--at', '1h', '--user', 'slope');
  await mark('stop', '--user', 'info');
  assert.deepEqual(
    (await list()).map(({ project, end }) => [project, end !== null]),
    [
      ['b', false],
      ['a', true],
    ],
  );
  await mark('stop');
  const nothing = await mark('stop');
  assert.equal(nothing.code, 1);
  assert.match(nothing.stderr, /no marker is open/);
});

test('mark stop before the start is refused', async (t) => {
  const { mark } = setUp(t);
  await mark('start', '-p', 'a');
  assert.equal((await mark('stop', '--at', '1h')).code, 2);
});

test('mark add needs an end after the start', async (t) => {
  const { mark, list } = setUp(t);
  const times = ['--from', '2026-05-04T09:00:00Z', '--to'];
  assert.equal((await mark('add', 'Bugfix: x', '-p', 'a', ...times, '2026-05-04T09:00:00Z')).code, 2);
  assert.equal((await mark('add', 'Bugfix: x', '-p', 'a', ...times, '2026-05-04T10:00:00+00:00')).code, 0);
  assert.equal((await list())[0]?.end, '2026-05-04T10:00:00.000Z');
});

test('mark rm accepts the prefix of an id, if it names one marker', async (t) => {
  const { mark, list, folder } = setUp(t);
  const markers = ['ab-1', 'ab-2', 'c'].map((id) => ({ id, user: 'info', start: NOW }));
  writeFiles(folder, { 'data/project-markers.json': JSON.stringify({ markers }) });
  assert.equal((await mark('rm', 'ab')).code, 2);
  assert.equal((await mark('rm', 'ab-1', 'zz')).code, 2);
  assert.equal((await list()).length, 3);
  assert.equal((await mark('rm', 'ab-1', 'c')).stdout, 'ab-1\nc\n');
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ['ab-2'],
  );
});

test('mark import merges: newer wins, broken markers are skipped, nothing is deleted; mark export returns the same', async (t) => {
  const { mark, folder } = setUp(t);
  const marker = { id: 'a', user: 'info', start: NOW, updatedAt: '2026-05-01T00:00:00Z', note: 'old' };
  writeFiles(folder, { 'data/project-markers.json': JSON.stringify({ markers: [marker] }) });
  const newer = { ...marker, updatedAt: '2026-05-02T00:00:00Z', note: 'new' };
  const broken = { ...marker, id: 'c', end: NOW };
  const terminal = new FakeTerminal(NOW);
  terminal.input = JSON.stringify([newer, { ...marker, id: 'b' }, broken]);
  assert.equal(await run(terminal, 'mark', 'import', '-', '--folder', folder), 0);
  assert.match(terminal.stdout, /^1 added, 1 updated, 0 unchanged, 1 skipped in /);
  assert.match(terminal.stderr, /markers\[2\]: its end is not later/);
  const { markers } = JSON.parse((await mark('export')).stdout) as { markers: Printed[] };
  assert.deepEqual(
    markers.map(({ id, note }) => [id, note]),
    [
      ['a', 'new'],
      ['b', 'old'],
    ],
  );
  assert.equal((await mark('import', 'none.json')).code, 2);
});

test('mark works through a running dashboard, and concurrent changes are kept', async (t) => {
  const dashboard = await startTestDashboard(t);
  const terminal = new FakeTerminal(NOW);
  const all = ['a', 'b', 'c', 'd'].map((project) =>
    run(terminal, 'mark', 'start', '-p', project, '--url', dashboard.url),
  );
  assert.deepEqual(await Promise.all(all), [0, 0, 0, 0]);
  const stored = (await dashboard.get('/api/markers')).json.markers as Printed[];
  assert.deepEqual(stored.map(({ project }) => project).sort(), ['a', 'b', 'c', 'd']);
  assert.ok(terminal.stdout.includes(dashboard.url));
});

test('an absent dashboard named by its address ends with code 3', async () => {
  const terminal = new FakeTerminal(NOW);
  terminal.env.OPSDECK_DASHBOARD_URL = 'http://127.0.0.1:1';
  assert.equal(await run(terminal, 'mark', 'list'), 3);
  assert.match(terminal.stderr, /cannot reach http:\/\/127\.0\.0\.1:1/);
});

test('a text of a marker cannot command the terminal', async (t) => {
  const { mark } = setUp(t);
  const { stdout } = await mark('start', 'x\u001b[2Jy', '-p', 'a\nb');
  assert.match(stdout, /a\\nb · x\\u\{1b\}\[2Jy/);
});

const at = Date.parse(NOW);
for (const [text, expected] of [
  ['45m', at - 45 * 60_000],
  ['2026-05-04T09:30:00Z', Date.parse('2026-05-04T09:30:00Z')],
  ['2026-05-04 09:30', new Date(2026, 4, 4, 9, 30).getTime()],
  ['9:05', new Date(at).setHours(9, 5, 0, 0)],
] as const) {
  test(`the time ${text} is read`, () => assert.equal(readTimeFlag(text, '--at', at), expected));
}
for (const text of ['', 'soon', '2026-02-30T10:00', '25:00', '-5m', '2026-05-04T10:00:00Q'])
  test(`the time ${JSON.stringify(text)} is refused`, () =>
    assert.throws(() => readTimeFlag(text, '--at', at), /write a time/));

const HEADER =
  'Date,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost';
const CSV = `${HEADER}
"2026-05-01T09:00:00.000Z","On-Demand","gpt-5","No","0","100","0","50","150","$0.40"
"2026-05-01T10:00:00.000Z","Included","auto","No","0","1000","200","50","1250","Included"
"2026-05-02T09:00:00.000Z","On-Demand","=cmd|x","No","0","10","0","5","15","1.25"
`;

async function report(t: Cleanup, ...args: string[]) {
  const folder = temporaryFolder(t);
  const marker = { id: 'a', user: 'info', start: '2026-05-01T08:00:00Z', end: '2026-05-01T09:30:00Z', project: 'web' };
  writeFiles(folder, {
    'data/usage-events-info.csv': CSV,
    'data/project-markers.json': JSON.stringify({ markers: [marker] }),
  });
  const terminal = new FakeTerminal(NOW);
  const code = await run(terminal, 'report', '--project', folder, '--zone', 'UTC', ...args);
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

test('report by day as a table, with totals, numbers right-aligned', async (t) => {
  const { code, stdout, stderr } = await report(t);
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(
    stdout.split('\n').map((line) => line.replace(/ +/g, ' ').trim()),
    [
      'DAY USER TOP MODEL REQUESTS TOKENS COST',
      '2026-05-02 info =cmd|x 1 15 $1.25',
      '2026-05-01 info gpt-5 2 1,400 $0.40',
      'total 3 1,415 $1.65',
      '',
    ],
  );
});

test('report by model as CSV, without formulas', async (t) => {
  const { stdout } = await report(t, '--by', 'model', '--format', 'csv');
  const [header, ...rows] = stdout.trimEnd().split('\n');
  assert.equal(header, 'model,family,requests,tokens,cost_usd');
  assert.deepEqual(rows, ["'=cmd|x,Other,1,15,1.25", 'gpt-5,GPT,1,150,0.40', 'auto,Auto,1,1250,0.00']);
});

test('report by project as JSON, with events without a marker', async (t) => {
  const { stdout } = await report(t, '--by', 'project', '--format', 'json');
  const { rows, total, by, costBasis } = JSON.parse(stdout) as Record<string, unknown>;
  assert.deepEqual([by, costBasis], ['project', 'reported']);
  assert.deepEqual(total, { requests: 3, tokens: 1415, costCents: 165 });
  assert.deepEqual(
    new Set(rows as unknown[]),
    new Set([
      { project: '(no marker)', requests: 2, tokens: 1265, costCents: 125 },
      { project: 'web', requests: 1, tokens: 150, costCents: 40 },
    ]),
  );
});

test('report as Markdown escapes the characters of a table, and can be limited to days', async (t) => {
  const { stdout } = await report(t, '--by', 'model', '--format', 'md', '--from', '2026-05-02');
  assert.equal(
    stdout,
    '| Model | Family | Requests | Tokens | Cost |\n| --- | --- | ---: | ---: | ---: |\n| =cmd\\|x | Other | 1 | 15 | $1.25 |\n| **total** |  | **1** | **15** | **$1.25** |\n',
  );
});

test('report lists omitted files and rows, and fails only if nothing remains', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'bad.csv'), 'Date,Cost\n2026-05-01,1\n');
  writeFileSync(join(folder, 'good.csv'), CSV.replace('"150"', '"many"'));
  const terminal = new FakeTerminal(NOW);
  assert.equal(
    await run(terminal, 'report', join(folder, 'bad.csv'), join(folder, 'good.csv'), '--project', folder),
    0,
  );
  assert.match(terminal.stderr, /bad\.csv: left out: it lacks the columns .*Total Tokens/);
  assert.match(terminal.stderr, /good\.csv: 1 of 3 rows skipped, such as line 2/);
  assert.equal(await run(new FakeTerminal(NOW), 'report', join(folder, 'bad.csv'), '--project', folder), 1);
  assert.equal(await run(new FakeTerminal(NOW), 'report', join(folder, 'none.csv'), '--project', folder), 2);
  assert.equal(await run(new FakeTerminal(NOW), 'report', '--project', folder), 2);
  assert.equal(await run(new FakeTerminal(NOW), 'report', join(folder, 'good.csv'), '--zone', 'Mars/Base'), 2);
});
