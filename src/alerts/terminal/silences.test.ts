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

const one = {
  id: '11111111-f452-43d2-9978-0ffa2eb8e86c',
  status: { state: 'active' },
  updatedAt: '2026-01-01T11:00:00.000Z',
  comment: 'replacing the disk',
  createdBy: 'alex',
  startsAt: '2026-01-01T11:00:00.000Z',
  endsAt: '2026-01-01T14:00:00.000Z',
  matchers: [
    { isEqual: true, isRegex: false, name: 'alertname', value: 'DiskFull' },
    { isEqual: false, isRegex: true, name: 'team', value: 'a|b' },
  ],
};
const two = {
  ...one,
  id: '22222222-f452-43d2-9978-0ffa2eb8e86c',
  createdBy: 'kim',
  comment: 'drill',
  annotations: { ticket: 'OPS-1' },
  endsAt: '2026-01-01T13:00:00.000Z',
  // Servers before 0.22 do not support isEqual.
  matchers: [{ isRegex: false, name: 'severity', value: 'info' }],
};
const over = {
  ...one,
  id: '33333333-f452-43d2-9978-0ffa2eb8e86c',
  status: { state: 'expired' },
  endsAt: '2026-01-01T11:30:00.000Z',
};

async function serve(t: TestContext, answer: (request: RecordedRequest) => FakeAnswer) {
  const { url, requests } = await startFakeAlertmanager(t, answer);
  const terminal = new FakeTerminal(NOW);
  terminal.env.OPSDECK_ALERTS_URL = url;
  return { terminal, requests };
}

const created = () => ({ json: { silenceID: one.id } });

test('silence add prints the id alone and lasts an hour from now, by the current user', async (t) => {
  const { terminal, requests } = await serve(t, created);
  const args = ['DiskFull', 'instance=~"db.*"', 'severity!=info', 'team!~"a|b"'];
  assert.equal(await runAlerts(['silence', 'add', ...args, '-c', 'because'], terminal), 0);
  assert.equal(terminal.stdout, `${one.id}\n`);
  assert.deepEqual(
    requests.map(({ method, path, body }) => [method, path, body]),
    [
      [
        'POST',
        '/api/v2/silences',
        {
          matchers: [
            { name: 'alertname', value: 'DiskFull', isRegex: false, isEqual: true },
            { name: 'instance', value: 'db.*', isRegex: true, isEqual: true },
            { name: 'severity', value: 'info', isRegex: false, isEqual: false },
            { name: 'team', value: 'a|b', isRegex: true, isEqual: false },
          ],
          startsAt: NOW,
          endsAt: '2026-01-01T13:00:00.000Z',
          createdBy: 'alex',
          comment: 'because',
        },
      ],
    ],
  );
});

const spans: [flags: string[], startsAt: string, endsAt: string][] = [
  [['-d', '2h'], NOW, '2026-01-01T14:00:00.000Z'],
  [['--duration', '1d12h'], NOW, '2026-01-03T00:00:00.000Z'],
  [['--duration=1.5h'], NOW, '2026-01-01T13:30:00.000Z'],
  [['--start', '2026-01-02T00:00:00Z', '-d', '30m'], '2026-01-02T00:00:00.000Z', '2026-01-02T00:30:00.000Z'],
  [['--end', '2026-01-01T18:00:00+01:00', '-d', '5h'], NOW, '2026-01-01T17:00:00.000Z'],
];
for (const [flags, startsAt, endsAt] of spans) {
  test(`silence add ${flags.join(' ')} lasts from ${startsAt} to ${endsAt}`, async (t) => {
    const { terminal, requests } = await serve(t, created);
    assert.equal(await runAlerts(['silence', 'add', 'DiskFull', '-c', 'x', ...flags], terminal), 0);
    const body = requests[0]?.body as { startsAt: string; endsAt: string };
    assert.deepEqual([body.startsAt, body.endsAt], [startsAt, endsAt]);
  });
}

test('silence add --json prints the answer of the API; author and annotations are sent', async (t) => {
  const { terminal, requests } = await serve(t, created);
  const flags = ['-a', 'kim', '--annotation', 'ticket=OPS-1', '--json'];
  assert.equal(await runAlerts(['silence', 'add', 'DiskFull', '-c', 'x', ...flags], terminal), 0);
  assert.equal(terminal.stdout, `{"silenceID":"${one.id}"}\n`);
  const body = requests[0]?.body as { createdBy: string; annotations: unknown };
  assert.deepEqual([body.createdBy, body.annotations], ['kim', { ticket: 'OPS-1' }]);
});

const refusedAdds: [args: string[], message: RegExp][] = [
  [['DiskFull'], /a comment is required/],
  [['', '-c', 'x'], /an argument is empty/],
  [['{a="b"', '-c', 'x'], /unexpected open or close brace/],
  [['{a="b",,}', '-c', 'x'], /write it like/],
  [['DiskFull', '-c', '  '], /a comment is required/],
  [['-c', 'x'], /no matcher given: .*--force/],
  [['DiskFull', 'other', '-c', 'x'], /^opsdeck: other: .*; write it like severity=critical or/],
  [['instance=~"("', '-c', 'x'], /missing closing \)/],
  [['DiskFull', '-c', 'x', '-d', '0'], /--duration: a duration must be greater than 0/],
  [['DiskFull', '-c', 'x', '-d', '-2h'], /must be greater than 0, found "-2h"/],
  [['DiskFull', '-c', 'x', '-d', 'long'], /--duration: "long" is no duration, such as/],
  [['DiskFull', '-c', 'x', '--end', '2026-01-01T11:00:00Z'], /must end after it starts/],
  [['DiskFull', '-c', 'x', '--end', NOW], /must end after it starts/],
  [['DiskFull', '-c', 'x', '--start', 'now'], /--start: "now" is no time/],
  [['DiskFull', '-c', 'x', '--annotation', 'y'], /annotations must be given as name=value/],
];
for (const [args, message] of refusedAdds) {
  test(`silence add ${args.join(' ')} is refused before anything is sent`, async (t) => {
    const { terminal, requests } = await serve(t, created);
    assert.equal(await runAlerts(['silence', 'add', ...args], terminal), 2);
    assert.match(terminal.stderr, message);
    assert.equal(terminal.stdout, '');
    assert.equal(requests.length, 0);
  });
}

test('an author without a name has to be given', async (t) => {
  const { terminal } = await serve(t, created);
  terminal.userName = '';
  assert.equal(await runAlerts(['silence', 'add', 'DiskFull', '-c', 'x'], terminal), 2);
  assert.match(terminal.stderr, /say who you are with --author/);
});

const everyAlert = { name: 'alertname', value: '.+', isRegex: true, isEqual: true };
const broad: [args: string[], sent: unknown[]][] = [
  [[], [everyAlert]],
  [['instance=~".*"'], [{ name: 'instance', value: '.*', isRegex: true, isEqual: true }, everyAlert]],
  [
    ['a=~".*"', 'b=~"(?s).*|x"'],
    [
      { name: 'a', value: '.*', isRegex: true, isEqual: true },
      { name: 'b', value: '(?s).*|x', isRegex: true, isEqual: true },
      everyAlert,
    ],
  ],
  [['alertname=~".+"'], [everyAlert]],
  [['alertname!=""'], [{ name: 'alertname', value: '', isRegex: false, isEqual: false }]],
];
for (const [args, sent] of broad) {
  test(`a silence with ${args.join(' ') || 'no matcher'} matches everything and is refused unless forced`, async (t) => {
    const { terminal, requests } = await serve(t, created);
    assert.equal(await runAlerts(['silence', 'add', ...args, '-c', 'x'], terminal), 2);
    assert.match(terminal.stderr, /silence everything with --force/);
    assert.equal(requests.length, 0);
    assert.equal(await runAlerts(['silence', 'add', ...args, '-c', 'x', '--force'], terminal), 0);
    assert.deepEqual(
      requests.map(({ body }) => (body as { matchers: unknown }).matchers),
      [sent],
    );
  });
}

const narrow = [['team=~".+"'], ['severity!=info'], ['alertname=~".*"', 'team=ops'], ['a=~"[a-z0-9]*"'], ['team!=""']];
for (const args of narrow) {
  test(`a silence with ${args.join(' ')} leaves alerts out and needs no force`, async (t) => {
    const { terminal, requests } = await serve(t, created);
    assert.equal(await runAlerts(['silence', 'add', ...args, '-c', 'x'], terminal), 0);
    assert.equal(requests.length, 1);
  });
}

const listed = () => ({ json: [one, over, two] });

test('silence query prints an aligned table, the next to end on top, without expired ones', async (t) => {
  const { terminal, requests } = await serve(t, listed);
  assert.equal(await runAlerts(['silence', 'query', 'DiskFull', 'team!~"a|b"'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `ID                                    Matchers                          Ends At                  Created By  Comment
22222222-f452-43d2-9978-0ffa2eb8e86c  severity="info"                   2026-01-01 13:00:00 UTC  kim         drill
11111111-f452-43d2-9978-0ffa2eb8e86c  alertname="DiskFull" team!~"a|b"  2026-01-01 14:00:00 UTC  alex        replacing the disk
`,
  );
  assert.deepEqual(requests[0]?.query.getAll('filter'), ['alertname="DiskFull"', 'team!~"a|b"']);
});

test('silence query --output extended shows every time and braces', async (t) => {
  const { terminal } = await serve(t, () => ({ json: [one] }));
  assert.equal(await runAlerts(['silence', 'query', '-o', 'extended'], terminal), 0);
  assert.equal(
    terminal.stdout,
    `ID          11111111-f452-43d2-9978-0ffa2eb8e86c
Matchers    {alertname="DiskFull", team!~"a|b"}
Starts At   2026-01-01 11:00:00 UTC
Ends At     2026-01-01 14:00:00 UTC
Updated At  2026-01-01 11:00:00 UTC
Created By  alex
Comment     replacing the disk
`,
  );
});

test('silence query --json prints the chosen silences as the server sent them', async (t) => {
  const { terminal } = await serve(t, listed);
  assert.equal(await runAlerts(['silence', 'query', '--json'], terminal), 0);
  assert.equal(terminal.stdout, `${JSON.stringify([one, two])}\n`);
});

const choices: [flags: string[], chosen: string[]][] = [
  [[], [one.id, two.id]],
  [['--expired'], [over.id]],
  [['--within', '90m'], [two.id]],
  [['--within', '1h'], [two.id]],
  [['--within', '59m'], []],
  [['--expired', '--within', '30m'], [over.id]],
  [['--expired', '--within', '29m'], []],
  [['--created-by', 'kim'], [two.id]],
  [['--created-by', 'ki'], []],
  [['--id', one.id], [one.id]],
  [
    ['--id', one.id, '--id', two.id],
    [one.id, two.id],
  ],
];
for (const [flags, chosen] of choices) {
  test(`silence query -q ${flags.join(' ')} prints ${chosen.length} ids`, async (t) => {
    const { terminal } = await serve(t, listed);
    assert.equal(await runAlerts(['silence', 'query', '-q', ...flags], terminal), 0);
    assert.equal(terminal.stdout, chosen.map((id) => `${id}\n`).join(''));
  });
}

test('silence query refuses an invalid duration', async (t) => {
  const { terminal, requests } = await serve(t, listed);
  assert.equal(await runAlerts(['silence', 'query', '--within', 'soon'], terminal), 2);
  assert.equal(requests.length, 0);
});
