import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runAlerts } from '../../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';
import { needsReal, runProcess, temporaryFolder } from '../../../testing/processes.ts';

/** As a webhook gets it, with more than templates see. */
const NOTIFICATION = {
  version: '4',
  groupKey: '{}:{alertname="Down"}',
  receiver: 'team',
  status: 'firing',
  externalURL: 'http://alerts.example.org',
  groupLabels: { alertname: 'Down' },
  commonLabels: { alertname: 'Down', severity: 'page' },
  commonAnnotations: { summary: '<b>down</b> & out' },
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'Down', instance: 'h1', severity: 'page' },
      annotations: { summary: '<b>down</b> & out' },
      startsAt: '2026-01-01T00:00:00.5Z',
      endsAt: '0001-01-01T00:00:00Z',
      generatorURL: 'http://prometheus.example.org/graph',
      fingerprint: '7235c181ae0a2582',
    },
    {
      status: 'resolved',
      labels: { alertname: 'Down', instance: 'h2', severity: 'page' },
      annotations: { summary: '<b>down</b> & out' },
      startsAt: '2026-01-01T00:00:00Z',
      endsAt: '2026-01-01T01:00:00Z',
      generatorURL: 'http://prometheus.example.org/graph',
      fingerprint: 'ca0660466d1b7b13',
    },
  ],
};

async function render(args: readonly string[], data?: unknown) {
  const terminal = new FakeTerminal('2026-01-01T02:00:00Z');
  if (data !== undefined) terminal.files.set('data.json', JSON.stringify(data));
  const code = await runAlerts(['template', 'render', ...args], terminal);
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

test('a template is rendered with a sample of two alerts, and nothing is added to it', async () => {
  const text =
    '{{ .Receiver }} {{ .Status }} {{ len .Alerts.Firing }}+{{ len .Alerts.Resolved }} {{ (index .Alerts 0).StartsAt }}';
  assert.deepEqual(await render(['--template.text', text]), {
    code: 0,
    stdout: 'team firing 1+1 2026-01-01 01:55:00 +0000 UTC',
    stderr: '',
  });
});

test('the default templates are there, and files may add to them', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'a.tmpl'), '{{ define "mine" }}[{{ .CommonLabels.alertname }}]{{ end }}');
  const { stdout } = await render([
    '--template.glob',
    join(folder, '*.tmpl'),
    '--template.glob',
    join(folder, 'none', '*'),
    '--template.text',
    '{{ template "__subject" . }} {{ template "mine" . }}',
  ]);
  assert.match(stdout, /^\[FIRING:1\] .*DiskFull.* \[DiskFull\]$/);
});

test('--template.type html escapes data', async () => {
  const args = ['--template.text', '<p>{{ .CommonAnnotations.summary }}</p>', '--template.data', 'data.json'];
  assert.equal((await render(args, NOTIFICATION)).stdout, '<p><b>down</b> & out</p>');
  assert.equal(
    (await render([...args, '--template.type', 'html'], NOTIFICATION)).stdout,
    '<p>&lt;b&gt;down&lt;/b&gt; &amp; out</p>',
  );
});

test('fields missing in the data are empty', async () => {
  const { code, stdout } = await render(
    [
      '--template.text',
      '[{{ .Receiver }}{{ .CommonLabels.x }}{{ range .Alerts }}{{ .Labels.a }} {{ .EndsAt }}{{ end }}]',
      '--template.data',
      'data.json',
    ],
    { alerts: [{ labels: { a: 'b' } }] },
  );
  assert.deepEqual([code, stdout], [0, '[b 0001-01-01 00:00:00 +0000 UTC]']);
});

const mistakes: [why: string, args: string[], data: unknown, code: number, message: RegExp][] = [
  ['a template that cannot be parsed', ['--template.text', '{{ nofn }}'], undefined, 1, /function "nofn" not defined/],
  ['a missing template', ['--template.text', '{{ template "nope" . }}'], undefined, 1, /template "nope" not defined/],
  ['no template', [], undefined, 2, /--template\.text <text>' not specified/],
  [
    'a type that there is not',
    ['--template.text', 'x', '--template.type', 'md'],
    undefined,
    2,
    /Allowed choices are text, html/,
  ],
  [
    'invalid data',
    ['--template.text', 'x', '--template.data', 'data.json'],
    { alerts: 1 },
    2,
    /is not a notification as a webhook gets it: at alerts/,
  ],
  [
    'an invalid time',
    ['--template.text', 'x', '--template.data', 'data.json'],
    { alerts: [{ startsAt: 'now' }] },
    2,
    /alerts\.0\.startsAt/,
  ],
];
for (const [why, args, data, code, message] of mistakes) {
  test(`${why} is reported, and ends with ${code}`, async () => {
    const result = await render(args, data);
    assert.deepEqual([result.code, result.stdout], [code, '']);
    assert.match(result.stderr, message);
  });
}

test('amtool renders the same', async (t) => {
  if (!needsReal(t, 'amtool', 'prometheus-alertmanager')) return;
  const folder = temporaryFolder(t);
  writeFileSync(
    join(folder, 'a.tmpl'),
    '{{ define "mine" }}{{ range .Alerts }}{{ range .Labels.SortedPairs }}{{ .Name }}={{ .Value }} {{ end }}{{ .StartsAt.Unix }}\n{{ end }}{{ end }}',
  );
  writeFileSync(join(folder, 'data.json'), JSON.stringify(NOTIFICATION));
  // Of its 0.25, the default templates cannot be called here.
  const texts = [
    '{{ template "mine" . }}',
    '{{ range (.CommonLabels.Remove .GroupLabels.Names).SortedPairs }}{{ .Name }}={{ .Value }}{{ end }} {{ .CommonAnnotations.summary }}',
  ];
  const glob = join(folder, '*.tmpl');
  for (const text of texts) {
    for (const type of ['text', 'html']) {
      const args = ['--template.glob', glob, '--template.type', type, '--template.text', text, '--template.data'];
      const theirs = await runProcess('amtool', ['template', 'render', ...args, join(folder, 'data.json')], {
        env: { HOME: folder },
      });
      assert.equal(theirs.code, 0, theirs.stderr);
      assert.equal((await render([...args, 'data.json'], NOTIFICATION)).stdout, theirs.stdout, `${type}: ${text}`);
    }
  }
});
