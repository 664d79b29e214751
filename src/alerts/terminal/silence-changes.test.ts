import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  type FakeAnswer,
  type RecordedRequest,
  runAlerts,
  startFakeAlertmanager,
} from '../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';

const NOW = '2026-01-01T12:00:00.000Z';
const silence = {
  id: 'one',
  status: { state: 'active' },
  updatedAt: '2026-01-01T11:00:00.000Z',
  comment: 'old',
  createdBy: 'kim',
  startsAt: '2026-01-01T11:00:00.000Z',
  endsAt: '2026-01-01T14:00:00.000Z',
  annotations: { ticket: 'OPS-1' },
  matchers: [{ isEqual: true, isRegex: false, name: 'alertname', value: 'DiskFull' }],
};
const { status: _status, updatedAt: _updatedAt, ...postable } = silence;

async function serve(t: TestContext, answer: (request: RecordedRequest) => FakeAnswer) {
  const { url, requests } = await startFakeAlertmanager(t, answer);
  const terminal = new FakeTerminal(NOW);
  terminal.env.OPSDECK_ALERTS_URL = url;
  const sent = () => requests.map(({ method, path }) => `${method} ${path.replace('/api/v2/', '')}`);
  const posted = () => requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
  return { terminal, sent, posted };
}

/** A server with silences of these ids; a POST of any of them keeps its id. */
const knowing =
  (...ids: string[]) =>
  ({ method, path, body }: RecordedRequest): FakeAnswer => {
    const id = method === 'POST' ? (body as { id?: string }).id : decodeURIComponent(path.split('/').at(-1) ?? '');
    if (id !== undefined && !ids.includes(id)) return { status: 404, json: 'silence not found' };
    if (method === 'POST') return { json: { silenceID: id ?? 'new' } };
    return method === 'GET' ? { json: { ...silence, id } } : {};
  };

test('expire ends each silence once and prints its id', async (t) => {
  const { terminal, sent } = await serve(t, knowing('one', 'a/b'));
  assert.equal(await runAlerts(['silence', 'expire', 'one', 'a/b', 'one'], terminal), 0);
  assert.deepEqual(sent(), ['DELETE silence/one', 'DELETE silence/a%2Fb']);
  assert.equal(terminal.stdout, 'one\na/b\n');
});

test('expire - reads ids from standard input', async (t) => {
  const { terminal, sent } = await serve(t, knowing('one', 'two', 'three'));
  terminal.input = 'two\n three\n';
  assert.equal(await runAlerts(['silence', 'expire', 'one', '-', '--json'], terminal), 0);
  assert.deepEqual(sent(), ['DELETE silence/one', 'DELETE silence/two', 'DELETE silence/three']);
  assert.equal(terminal.stdout, '[{"silenceID":"one"},{"silenceID":"two"},{"silenceID":"three"}]\n');
});

test('expire - with nothing on standard input does nothing and prints that', async (t) => {
  const { terminal, sent } = await serve(t, knowing());
  assert.equal(await runAlerts(['silence', 'expire', '-'], terminal), 0);
  assert.deepEqual([sent(), terminal.stdout, terminal.stderr], [[], '', 'no silence ids on standard input\n']);
});

test("expiring an unknown silence fails with the server's words", async (t) => {
  const { terminal } = await serve(t, knowing());
  assert.equal(await runAlerts(['silence', 'expire', 'one'], terminal), 1);
  assert.match(terminal.stderr, /^opsdeck: silence one: http:\S+ answered 404: silence not found\n$/);
});

test('one silence that cannot be expired does not stop the others', async (t) => {
  const { terminal } = await serve(t, knowing('one', 'three'));
  assert.equal(await runAlerts(['silence', 'expire', 'one', 'two', 'three'], terminal), 1);
  assert.equal(terminal.stdout, 'one\nthree\n');
  assert.match(terminal.stderr, /^opsdeck: silence two: .*not found\nopsdeck: couldn't expire 1 out of 3 silences\n$/);
});

test('a server that denies ends the command with 4 and is sent no more requests', async (t) => {
  const { terminal, sent } = await serve(t, ({ path }) => (path.endsWith('one') ? {} : { status: 403, json: 'no' }));
  assert.equal(await runAlerts(['silence', 'expire', 'one', 'two', 'three'], terminal), 4);
  assert.deepEqual(sent(), ['DELETE silence/one', 'DELETE silence/two']);
  assert.equal(terminal.stdout, 'one\n');
  assert.match(terminal.stderr, /^opsdeck: couldn't expire 2 out of 3 silences: .*answered 403: no/);
});

test('a single silence is not counted', async (t) => {
  const { terminal } = await serve(t, () => ({ status: 403, json: 'no' }));
  assert.equal(await runAlerts(['silence', 'expire', 'one'], terminal), 4);
  assert.match(terminal.stderr, /^opsdeck: http:\S+ answered 403: no/);
});

const changes: [flags: string[], changed: object][] = [
  [['-d', '4h'], { endsAt: '2026-01-01T15:00:00.000Z' }],
  [['--end', '2026-01-02T00:00:00Z', '-d', '1m'], { endsAt: '2026-01-02T00:00:00.000Z' }],
  [['-c', 'new'], { comment: 'new' }],
  [['--start', '2026-01-01T13:00:00Z'], { startsAt: '2026-01-01T13:00:00.000Z' }],
  [
    ['--start', '2026-01-01T13:00:00Z', '-d', '2h'],
    { startsAt: '2026-01-01T13:00:00.000Z', endsAt: '2026-01-01T15:00:00.000Z' },
  ],
];
for (const [flags, changed] of changes) {
  test(`update ${flags.join(' ')} changes ${Object.keys(changed).join(' and ')} and nothing else`, async (t) => {
    const { terminal, sent, posted } = await serve(t, knowing('one'));
    assert.equal(await runAlerts(['silence', 'update', 'one', ...flags], terminal), 0);
    assert.deepEqual(sent(), ['GET silence/one', 'POST silences', 'GET silence/one']);
    assert.deepEqual(posted(), [{ ...postable, ...changed }]);
  });
}

test('update shows the silence as the server has it from then on', async (t) => {
  const { terminal } = await serve(t, ({ method, path }) => {
    if (method === 'POST') return { json: { silenceID: 'next' } };
    return { json: path.endsWith('/next') ? { ...silence, id: 'next', comment: 'as stored' } : silence };
  });
  assert.equal(await runAlerts(['silence', 'update', 'one', '-c', 'new'], terminal), 0);
  assert.match(terminal.stdout, /^ID {4}Matchers .*\nnext {2}alertname="DiskFull" .* as stored\n$/);
  terminal.stdout = '';
  assert.equal(await runAlerts(['silence', 'update', 'one', '-c', 'new', '-q'], terminal), 0);
  assert.equal(terminal.stdout, 'next\n');
});

test('a duration counts from now where the silence is over', async (t) => {
  const over = { ...silence, status: { state: 'expired' }, endsAt: '2026-01-01T11:30:00.000Z' };
  const { terminal, posted } = await serve(t, ({ method }) =>
    method === 'POST' ? { json: { silenceID: 'next' } } : { json: over },
  );
  assert.equal(await runAlerts(['silence', 'update', 'one', '-d', '2h', '--json'], terminal), 0);
  assert.deepEqual(posted(), [{ ...postable, startsAt: NOW, endsAt: '2026-01-01T14:00:00.000Z' }]);
  assert.equal(terminal.stdout, `${JSON.stringify([over])}\n`);
});

const refusedUpdates: [flags: string[], message: RegExp][] = [
  [[], /nothing to change: give --duration, --start, --end or --comment/],
  [['-d', '0s'], /must be greater than 0/],
  [['-c', ''], /a comment must say something/],
  [['--end', '2026-01-01T10:00:00Z'], /must end after it starts/],
  [['--start', '2026-01-01T15:00:00Z'], /must end after it starts/],
];
for (const [flags, message] of refusedUpdates) {
  test(`update ${flags.join(' ') || 'without a change'} is refused and posts nothing`, async (t) => {
    const { terminal, posted } = await serve(t, knowing('one'));
    assert.equal(await runAlerts(['silence', 'update', 'one', ...flags], terminal), 2);
    assert.match(terminal.stderr, message);
    assert.deepEqual(posted(), []);
  });
}

test('import sets every silence, known ids in place and unknown ones anew', async (t) => {
  const { terminal, posted } = await serve(t, knowing('one'));
  const unknown = { ...silence, id: 'two' };
  terminal.files.set('silences.json', JSON.stringify([silence, unknown]));
  assert.equal(await runAlerts(['silence', 'import', 'silences.json', '-w', '1'], terminal), 0);
  const { id: _id, ...fresh } = postable;
  assert.deepEqual(posted(), [postable, { ...postable, id: 'two' }, fresh]);
  assert.equal(terminal.stdout, 'one\nnew\n');
});

test('import --force drops the ids; without a file it reads standard input', async (t) => {
  const { terminal, posted } = await serve(t, knowing('one'));
  terminal.input = JSON.stringify([silence]);
  assert.equal(await runAlerts(['silence', 'import', '--force', '--json'], terminal), 0);
  const { id: _id, ...fresh } = postable;
  assert.deepEqual(posted(), [fresh]);
  assert.equal(terminal.stdout, '[{"silenceID":"new"}]\n');
});

test('import prints ids in the order of the file and counts failures', async (t) => {
  const { terminal } = await serve(t, ({ body }) => {
    const { comment } = body as { comment: string };
    return comment === 'bad'
      ? { status: 400, json: "end time can't be in the past" }
      : { json: { silenceID: comment } };
  });
  const comments = ['a', 'bad', 'b', 'c', 'bad', 'd', 'e', 'f', 'g', 'h', 'i'];
  terminal.input = JSON.stringify(comments.map((comment) => ({ ...silence, id: null, comment })));
  assert.equal(await runAlerts(['silence', 'import', '-'], terminal), 1);
  assert.equal(terminal.stdout, 'a\nb\nc\nd\ne\nf\ng\nh\ni\n');
  assert.match(terminal.stderr, /silence without an id: http:\S+ answered 400: end time can't be in the past\n/);
  assert.match(terminal.stderr, /opsdeck: couldn't import 2 out of 11 silences\n$/);
});

test('import sends no more at a time than it has workers', async (t) => {
  let most = 0;
  let open = 0;
  const { terminal } = await serve(t, () => ({ json: { silenceID: 'x' } }));
  const url = terminal.env.OPSDECK_ALERTS_URL;
  const fetching = globalThis.fetch;
  t.mock.method(globalThis, 'fetch', async (...args: Parameters<typeof fetch>) => {
    most = Math.max(most, ++open);
    const response = await fetching(...args);
    open--;
    return response;
  });
  terminal.input = JSON.stringify(Array(20).fill(silence));
  assert.equal(await runAlerts(['silence', 'import', '-w', '3', '--alertmanager.url', url ?? ''], terminal), 0);
  assert.equal(most, 3);
});

const refusedImports: [input: string, flags: string[], message: RegExp][] = [
  ['no json', [], /standard input is not JSON: /],
  ['{}', [], /standard input is not an array of silences .*: expected Array, found Object/],
  ['[{"matchers": []}]', [], /: 0\.startsAt is missing$/m],
  ['[]', ['-w', '0'], /--workers: must be a whole number from 1 to 100, found "0"/],
  ['[]', ['-w', 'many'], /--workers/],
  ['[]', ['none.json'], /cannot read none\.json: no such file/],
];
for (const [input, flags, message] of refusedImports) {
  test(`import ${flags.join(' ')} of ${input} is refused and posts nothing`, async (t) => {
    const { terminal, posted } = await serve(t, knowing());
    terminal.input = input;
    assert.equal(await runAlerts(['silence', 'import', ...flags], terminal), 2);
    assert.match(terminal.stderr, message);
    assert.deepEqual(posted(), []);
  });
}
