import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runAlerts, startFakeAlertmanager } from '../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../testing/fake/terminal.ts';

async function serve(t: TestContext) {
  const { url, requests } = await startFakeAlertmanager(t, () => ({}));
  const terminal = new FakeTerminal();
  terminal.env.OPSDECK_ALERTS_URL = url;
  return { terminal, requests };
}

test('add posts one alert and confirms it in one line', async (t) => {
  const { terminal, requests } = await serve(t);
  const flags = ['--annotation', 'summary=so full: 97 %', '--annotation', 'runbook=http://x?a=b'];
  const times = [
    '--start',
    '2026-01-01T10:00:00+01:00',
    '--end',
    '2026-01-01T10:00:00.25Z',
    '--generator-url',
    'http://g',
  ];
  assert.equal(await runAlerts(['add', 'severity=critical', 'alertname=DiskFull', ...flags, ...times], terminal), 0);
  assert.deepEqual(
    requests.map(({ method, path, headers, body }) => [method, path, headers['content-type'], body]),
    [
      [
        'POST',
        '/api/v2/alerts',
        'application/json',
        [
          {
            labels: { severity: 'critical', alertname: 'DiskFull' },
            annotations: { summary: 'so full: 97 %', runbook: 'http://x?a=b' },
            startsAt: '2026-01-01T09:00:00.000Z',
            endsAt: '2026-01-01T10:00:00.250Z',
            generatorURL: 'http://g',
          },
        ],
      ],
    ],
  );
  assert.equal(terminal.stdout, 'added {alertname="DiskFull", severity="critical"}\n');
});

test('add takes a first bare word as the alertname and sends only the given fields', async (t) => {
  const { terminal, requests } = await serve(t);
  assert.equal(await runAlerts(['add', 'DiskFull', 'instance="db 1"', '--json'], terminal), 0);
  const alert = { labels: { alertname: 'DiskFull', instance: 'db 1' } };
  assert.deepEqual(requests[0]?.body, [alert]);
  assert.deepEqual(JSON.parse(terminal.stdout), [alert]);
});

const values: [pair: string, value: string][] = [
  ['a=disk "sda" is full', 'disk "sda" is full'],
  ['a=see {{ $labels }}', 'see {{ $labels }}'],
  ['a=x, y = z!', 'x, y = z!'],
  ['a="in \\"quotes\\""', 'in "quotes"'],
  ['a=', ''],
];
for (const [pair, value] of values) {
  test(`the annotation ${pair} is ${value || 'empty'}`, async (t) => {
    const { terminal, requests } = await serve(t);
    assert.equal(await runAlerts(['add', 'DiskFull', '--annotation', pair], terminal), 0);
    assert.deepEqual(requests[0]?.body, [{ labels: { alertname: 'DiskFull' }, annotations: { a: value } }]);
  });
}

test('a label named __proto__ is a label', async (t) => {
  const { terminal, requests } = await serve(t);
  assert.equal(await runAlerts(['add', 'DiskFull', '__proto__=x'], terminal), 0);
  assert.equal(JSON.stringify(requests[0]?.body), '[{"labels":{"alertname":"DiskFull","__proto__":"x"}}]');
});

test('add posts the alerts of a file, or of standard input, in one request', async (t) => {
  const { terminal, requests } = await serve(t);
  const alerts = [{ labels: { alertname: 'A' }, annotations: { a: 'b' } }, { labels: { alertname: 'B' } }];
  terminal.files.set('alerts.json', JSON.stringify(alerts));
  terminal.input = JSON.stringify(alerts.slice(0, 1));
  assert.equal(await runAlerts(['add', '--file', 'alerts.json'], terminal), 0);
  assert.equal(await runAlerts(['add', '--file', '-'], terminal), 0);
  assert.deepEqual(
    requests.map(({ body }) => body),
    [alerts, alerts.slice(0, 1)],
  );
  assert.equal(terminal.stdout, 'added 2 alerts\nadded {alertname="A"}\n');
});

const refusedAdds: [args: string[], message: RegExp][] = [
  [[], /no labels given/],
  [['a', 'b'], /labels must be given as name=value, found "b"/],
  [['a=b', 'c=~d'], /labels must be given as name=value, found c=~d/],
  [[''], /an argument is empty/],
  [['a', 'b c=d'], /b c=d: bad matcher format: b c=d; write it like severity=critical/],
  [['a!=b'], /labels must be given as name=value/],
  [['a', '--annotation', 'text="half'], /text="half: .*; write it like/],
  [['a', '--annotation', 'text'], /annotations must be given as name=value, found "text"/],
  [['a', '--start', 'yesterday'], /--start: "yesterday" is no time in RFC 3339/],
  [['a', '--end', '2026-02-30T00:00:00Z'], /--end: "2026-02-30T00:00:00Z" is no time/],
  [['a', '--start', '2026-01-02T00:00:00Z', '--end', '2026-01-01T00:00:00Z'], /ends before it starts/],
  [['a', '--file', 'alerts.json'], /not both/],
  [['--file', 'none.json'], /cannot read none\.json: no such file/],
  [['--file', 'broken.json'], /broken\.json is not JSON: /],
  [['--file', 'object.json'], /object\.json is not an array of alerts .*: expected Array, found Object/],
  [['--file', 'labels.json'], /at 1\.labels\.a expected string, found 5/],
  [['--file', 'empty.json'], /empty\.json holds no alert/],
];
for (const [args, message] of refusedAdds) {
  test(`add ${args.join(' ')} is refused before anything is sent`, async (t) => {
    const { terminal, requests } = await serve(t);
    terminal.files.set('broken.json', '[');
    terminal.files.set('object.json', '{"labels": {"a": "b"}}');
    terminal.files.set('labels.json', '[{"labels": {"a": "b"}}, {"labels": {"a": 5}}]');
    terminal.files.set('empty.json', '[]');
    assert.equal(await runAlerts(['add', ...args], terminal), 2);
    assert.match(terminal.stderr, message);
    assert.equal(requests.length, 0);
  });
}
