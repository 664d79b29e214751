import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { run } from '../cli.ts';
import { startFakeAlertmanager } from '../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../testing/fake/terminal.ts';
import { splitLine } from './shells.ts';

/** The lines that bash gets at the end of a command line. */
async function atEnd(line: string, env: Record<string, string> = {}): Promise<readonly string[]> {
  const terminal = new FakeTerminal();
  terminal.env = env;
  assert.equal(await run(['completion', 'bash', '--reply', '--', line], terminal), 0);
  assert.equal(terminal.stderr, '');
  return terminal.stdout.split('\n').slice(0, -1);
}

const definitions: [line: string, words: string[]][] = [
  ['opsdeck al', ['alerts ']],
  ['opsdeck alerts silence up', ['update ']],
  ['opsdeck alerts query -o ', ['simple ', 'extended ', 'json ']],
  ['opsdeck alerts query --output=ex', ['extended ']],
  ['opsdeck alerts query --url http://127.0.0.1:1 --outp', ['--output ']],
  // Of a setting, and hidden flags.
  ['opsdeck up --log-level w', ['warn ']],
  ['opsdeck alerts query --alertm', []],
  ['opsdeck completion f', ['fish ']],
  // A path, as an argument and as the value of a flag.
  ['opsdeck alerts check-config x', [':paths']],
  ['opsdeck relay eval --flags ', [':paths']],
  ['opsdeck alerts add --file=', [':paths']],
  // After -- stand no flags, and after a flag its value.
  ['opsdeck alerts silence expire -- --j', []],
  ['opsdeck alerts silence add --comment --dur', []],
  ['opsdeck nothing ', []],
];
for (const [line, words] of definitions) {
  test(`"${line}" is followed by ${words.join(', ') || 'nothing'}`, async () => {
    assert.deepEqual(await atEnd(line), words);
  });
}

const silence = {
  id: '5ce24381-f452-43d2-9978-0ffa2eb8e86c',
  matchers: [{ name: 'alertname', value: 'Disk Full', isRegex: false }],
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '2026-01-01T01:00:00Z',
  updatedAt: '2026-01-01T00:00:00Z',
  createdBy: 'mira',
  comment: 'new disk',
  status: { state: 'active' },
};
const alertWith = (labels: Record<string, string>) => ({
  labels,
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '2026-01-01T01:00:00Z',
  fingerprint: '1',
  status: { state: 'active' },
});

async function serve(t: TestContext): Promise<{ OPSDECK_ALERTS_URL: string }> {
  const alerts = [
    alertWith({ alertname: 'Disk Full', severity: 'critical' }),
    alertWith({ alertname: 'Up', severity: 'warning', note: 'a\nb\u001b[2J' }),
  ];
  const { url } = await startFakeAlertmanager(t, ({ path }) => ({
    json: path === '/api/v2/silences' ? [silence] : path === '/api/v2/alerts' ? alerts : [],
  }));
  return { OPSDECK_ALERTS_URL: url };
}

test('labels, their values, names of alerts and ids of silences come from the running server', async (t) => {
  const env = await serve(t);
  assert.deepEqual(await atEnd('opsdeck alerts query ', env), [
    'alertname=',
    'note=',
    'severity=',
    'Disk\\ Full ',
    'Up ',
  ]);
  // Bash replaces only what follows the = or the quote.
  assert.deepEqual(await atEnd('opsdeck alerts query severity=c', env), ['critical ']);
  assert.deepEqual(await atEnd('opsdeck alerts query Up severity!=', env), ['critical ', 'warning ']);
  assert.deepEqual(await atEnd('opsdeck alerts query alertname=D', env), ['Disk\\ Full ']);
  assert.deepEqual(await atEnd('opsdeck alerts query "alertname=D', env), ['alertname=Disk Full']);
  assert.deepEqual(await atEnd('opsdeck alerts silence expire 5c', env), [`${silence.id} `]);
  assert.deepEqual(await atEnd('opsdeck alerts silence query --id ', env), [`${silence.id} `]);
});

test('a value that would control the terminal is left out', async (t) => {
  assert.deepEqual(await atEnd('opsdeck alerts query note=', await serve(t)), []);
});

test('a server that is away is as if there were no words, and so is a flag that is wrong', async (t) => {
  const env = await serve(t);
  assert.deepEqual(await atEnd('opsdeck alerts query ', { OPSDECK_ALERTS_URL: 'http://127.0.0.1:1' }), []);
  assert.deepEqual(await atEnd('opsdeck alerts query -o nothing ', env), []);
  assert.deepEqual(await atEnd('opsdeck rooms say ', { OPSDECK_ROOMS_URL: 'http://127.0.0.1:1' }), []);
});

test('flags of the relay can come from a file', async () => {
  const flags = { OPSDECK_RELAY_FLAGS: 'data/sample/flags.yml' };
  assert.ok((await atEnd('opsdeck relay eval new', flags)).includes('new-checkout '));
});

const lines: [line: string, last: ReturnType<typeof splitLine>[number]][] = [
  ['a b', { value: 'b' }],
  ['a ', { value: '' }],
  ['a b\\ c', { value: 'b c' }],
  ['a "b c"d', { value: 'b cd' }],
  [`a x="b 'c`, { value: `x=b 'c`, quote: { mark: '"', at: 2 } }],
  [`a 'b\\`, { value: 'b\\', quote: { mark: "'", at: 0 } }],
];
for (const [line, last] of lines) {
  test(`the last word of ${line} is ${JSON.stringify(last)}`, () => assert.deepEqual(splitLine(line).at(-1), last));
}

for (const shell of ['bash', 'zsh', 'fish'])
  test(`completion ${shell} prints its script; another shell is wrong usage`, async () => {
    const terminal = new FakeTerminal();
    assert.equal(await run(['completion', shell], terminal), 0);
    assert.match(terminal.stdout, new RegExp(`opsdeck completion ${shell} --reply`));
    assert.equal(await run(['completion', `${shell}x`], new FakeTerminal()), 2);
  });
