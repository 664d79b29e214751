import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runAlerts } from '../../../testing/fake/alertmanager.ts';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';
import { type SinkAnswer, startHttpSink } from '../../../testing/http/sink.ts';
import { temporaryFolder } from '../../../testing/processes.ts';
import { startSmtpSink } from '../../testing/smtp-sink.ts';

async function run(config: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = new FakeTerminal('2026-01-01T00:10:00Z');
  Object.assign(terminal.env, env);
  terminal.files.set('alertmanager.yml', config);
  const code = await runAlerts(['test-receiver', ...args], terminal);
  return { code, stdout: terminal.stdout, stderr: terminal.stderr };
}

function webhookConfig(url: string, more = ''): string {
  return `
route: {receiver: other, group_by: [cluster], routes: [{receiver: team, matchers: [team=db], group_by: [alertname, site]}]}
receivers:
  - name: other
  - name: team
    webhook_configs: [{url: '${url}/hook/s3cret'${more}}]
`;
}

interface Payload {
  readonly receiver: string;
  readonly status: string;
  readonly groupKey: string;
  readonly groupLabels: unknown;
  readonly alerts: { labels: Record<string, string>; annotations: Record<string, string>; endsAt: string }[];
}

test('a drill is sent, and request and answer are shown, of a secret URL only the host', async (t) => {
  const sink = await startHttpSink(t, () => ({ body: 'thank you' }));
  const { code, stdout, stderr } = await run(webhookConfig(sink.url), ['team']);
  assert.deepEqual([code, stderr], [0, '']);
  const [request] = sink.requests;
  assert.equal(request?.path, '/hook/s3cret');
  const lines = stdout.split('\n');
  assert.deepEqual(lines.slice(0, 4), [
    'webhook[0]',
    `  POST ${sink.url}/…`,
    '  content-type: application/json',
    '    {',
  ]);
  assert.ok(lines.includes('      "receiver": "team",'), stdout);
  assert.deepEqual(lines.slice(-4), ['  answered 200 after 0 ms', '    thank you', '  sent', '']);
  assert.doesNotMatch(stdout, /s3cret/);
});

test('the drill is one alert that fires, grouped as the route of the receiver groups, but in no real group', async (t) => {
  const sink = await startHttpSink(t);
  await run(webhookConfig(sink.url), [
    'team',
    'site=north',
    'severity=critical',
    '--annotation',
    'summary=a try, only',
  ]);
  const payload = sink.requests[0]?.json as Payload;
  assert.equal(payload.status, 'firing');
  assert.deepEqual(payload.groupLabels, { alertname: 'Drill', site: 'north' });
  assert.equal(payload.groupKey, 'drill/team:{alertname="Drill", site="north"}');
  assert.equal(payload.alerts.length, 1);
  assert.deepEqual(payload.alerts[0]?.labels, {
    alertname: 'Drill',
    instance: 'drill.example:9100',
    job: 'drill',
    severity: 'critical',
    site: 'north',
  });
  assert.equal(payload.alerts[0]?.annotations.summary, 'a try, only');
  assert.equal(payload.alerts[0]?.endsAt, '0001-01-01T00:00:00Z');
});

test('--resolved ends the drill: the same group, a resolved alert', async (t) => {
  const sink = await startHttpSink(t);
  await run(webhookConfig(sink.url), ['team']);
  const { code } = await run(webhookConfig(sink.url), ['team', '--resolved']);
  assert.equal(code, 0);
  const [fired, over] = sink.requests.map(({ json }) => json as Payload) as [Payload, Payload];
  assert.equal(over.status, 'resolved');
  assert.equal(over.groupKey, fired.groupKey);
  assert.deepEqual(over.alerts[0]?.labels, fired.alerts[0]?.labels);
  assert.equal(over.alerts[0]?.endsAt, '2026-01-01T00:10:00Z');
});

test('--resolved is not sent where resolved alerts are not sent', async (t) => {
  const sink = await startHttpSink(t);
  const { code, stdout } = await run(webhookConfig(sink.url, ', send_resolved: false'), ['team', '--resolved']);
  assert.deepEqual([code, stdout], [0, 'webhook[0]\n  not sent: send_resolved is false\n']);
  assert.equal(sink.requests.length, 0);
});

test('--dry-run shows the requests and sends nothing', async (t) => {
  const sink = await startHttpSink(t);
  const { code, stdout } = await run(webhookConfig(sink.url), ['team', '--dry-run']);
  assert.equal(code, 0);
  assert.match(stdout, /^webhook\[0\]\n {2}POST http:\/\/127\.0\.0\.1:\d+\/…\n/);
  assert.match(stdout, /\n {6}"status": "firing",\n/);
  assert.match(stdout, /\n {4}\}\n {2}not sent\n$/);
  assert.equal(sink.requests.length, 0);
});

const failures: [SinkAnswer, RegExp][] = [
  [
    { status: 400, body: 'no such room' },
    /answered 400 after 0 ms\n {4}no such room\n {2}failed: unexpected status code 400: no such room\n$/,
  ],
  [
    { status: 503 },
    /answered 503 after 0 ms\n {2}failed: unexpected status code 503 \(the server would try again\)\n$/,
  ],
  ['reset', / {2}no answer after 0 ms: .+\n {2}failed: .+ \(the server would try again\)\n$/],
];
for (const [answer, shown] of failures) {
  test(`a delivery that fails (${JSON.stringify(answer)}) is shown, once, and the command ends with 1`, async (t) => {
    const sink = await startHttpSink(t, () => answer);
    const { code, stdout, stderr } = await run(webhookConfig(sink.url), ['team']);
    assert.match(stdout, shown);
    assert.equal(stderr, 'opsdeck: 1 of 1 deliveries failed\n');
    assert.equal(code, 1);
    assert.equal(sink.requests.length, 1);
  });
}

test('a template that fails is a delivery that fails', async (t) => {
  const sink = await startHttpSink(t);
  const config = webhookConfig(sink.url, ', payload: {text: \'{{ template "nope" . }}\'}');
  for (const flags of [[], ['--dry-run']]) {
    const { code, stdout } = await run(config, ['team', ...flags]);
    assert.match(stdout, /^webhook\[0\]\n {2}failed: .*template "nope" not defined/);
    assert.equal(code, 1);
  }
  assert.equal(sink.requests.length, 0);
});

test('no secret of any kind is shown, in any form', async (t) => {
  const sink = await startHttpSink(t, ({ body }) => ({
    status: 500,
    body: `{"token":"n3w-t0ken","echo":${JSON.stringify(body)}}`,
  }));
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'password'), 'p4ss-in-file\n');
  const config = `
global:
  slack_api_url: '${sink.url}/sl4ck-path'
  pagerduty_url: '${sink.url}/v2/enqueue'
  http_config: {authorization: {credentials: 'b3arer-token'}}
route: {receiver: team}
receivers:
  - name: team
    slack_configs: [{channel: '#ops', title: title}]
    pagerduty_configs: [{routing_key: 'r0uting-key', description: text}]
    webhook_configs:
      - url: '${sink.url}/path-s3cret?key=k3y'
        http_config:
          basic_auth: {username: joe, password_file: '${join(folder, 'password')}'}
          http_headers: {X-Any: {secrets: ['h3ader']}}
`;
  const secrets = [
    'sl4ck-path',
    'b3arer-token',
    'r0uting-key',
    'path-s3cret',
    'k3y',
    'p4ss-in-file',
    'h3ader',
    'n3w-t0ken',
  ];
  for (const flags of [[], ['--json'], ['--dry-run'], ['--dry-run', '--json']]) {
    const { stdout, stderr } = await run(config, ['team', ...flags]);
    assert.match(stdout, /slack/);
    assert.match(stdout, /v2\/enqueue/, 'a URL that is not secret is shown');
    for (const secret of secrets) assert.ok(!`${stdout}${stderr}`.includes(secret), `${secret} in ${stdout}`);
  }
  assert.equal(sink.requests.length, 6);
  const sent = JSON.stringify(sink.requests.map(({ path, headers, body }) => [path, headers, body]));
  for (const secret of ['sl4ck-path', 'b3arer-token', 'r0uting-key', 'path-s3cret', 'h3ader'])
    assert.ok(sent.includes(secret), secret);
});

test('values of the environment are shown nowhere, nor the rest of a URL after them', async (t) => {
  const sink = await startHttpSink(t, ({ body }) => ({ status: 400, body: `no: ${body}` }));
  const config = `
global: {slack_api_url: '${sink.url}/sl4ck'}
route: {receiver: team, labels: {site: 's-\${SITE}'}}
receivers:
  - name: team
    webhook_configs: [{url: '${sink.url}/\${TOKEN}', payload: {key: '\${KEY}', all: '{{ .RouteLabels.site }}', up: 'v\${SHORT}'}}]
    slack_configs: [{channel: '#c-\${KEY}', title: 'plain title', text: '\${TEXT}'}]
    mattermost_configs: [{webhook_url: '${sink.url}/mm', channel: '\${KEY}'}]
    victorops_configs: [{api_key: k, api_url: '${sink.url}/\${TOKEN}/', routing_key: '\${KEY}'}]
    email_configs: [{to: ops@example.org, from: a@example.org, smarthost: '127.0.0.1:1', headers: {X-Key: '\${KEY}'}, html: '', text: 'to \${KEY}'}]
`;
  const env = { TOKEN: 't0ken', KEY: 'k3y "of" all', SITE: 's1te', TEXT: 'a {{ .Status }} w0rd', SHORT: 'o' };
  for (const flags of [[], ['--json'], ['--dry-run'], ['--dry-run', '--json']]) {
    const { stdout, stderr } = await run(config, ['team', '--config.expand-env', ...flags], env);
    assert.match(stdout, /plain title/);
    for (const value of ['t0ken', 'k3y', 's1te', ' w0rd']) assert.ok(!`${stdout}${stderr}`.includes(value), stdout);
  }
  assert.ok(sink.requests.some(({ body }) => body.includes('k3y')));
});

test('--json prints the exchanges with each integration', async (t) => {
  const sink = await startHttpSink(t, () => ({ status: 404, body: 'gone' }));
  const { code, stdout } = await run(webhookConfig(sink.url), ['team', '--json']);
  const [{ exchanges, ...transcript }] = JSON.parse(stdout);
  assert.deepEqual(transcript, {
    integration: 'webhook',
    index: 0,
    result: 'failed',
    error: 'unexpected status code 404: gone',
    retry: false,
  });
  const [{ body, ...exchange }] = exchanges;
  assert.equal(JSON.parse(body).receiver, 'team');
  assert.deepEqual(exchange, {
    method: 'POST',
    url: `${sink.url}/…`,
    headers: { 'content-type': 'application/json' },
    status: 404,
    answer: 'gone',
    durationMs: 0,
  });
  assert.equal(code, 1);
});

test('an e-mail is shown as sent to the mail server, and not sent in a dry run', async () => {
  const config = `
global: {smtp_smarthost: '127.0.0.1:1', smtp_from: 'alerts@example.org', smtp_auth_username: joe, smtp_auth_password: p4ss}
route: {receiver: team}
receivers:
  - name: team
    email_configs:
      - to: 'ops@example.org, dev@example.org'
        html: ''
        text: '{{ .Alerts.Firing | len }} fires: {{ .CommonLabels.alertname }} – {{ .CommonAnnotations.summary }}'
        headers: {Subject: 'drill of {{ .Receiver }}'}
`;
  const { code, stdout } = await run(config, ['team', '--dry-run']);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /^email\[0\]\n {4}MAIL FROM: alerts@example\.org\n {4}RCPT TO: ops@example\.org\n {4}RCPT TO: dev@example\.org\n/,
  );
  assert.match(stdout, /\n {4}Subject: drill of team\n/);
  assert.match(stdout, /\n {4}1 fires: Drill – This is a drill: nothing needs to be done\n/);
  assert.match(stdout, /\n {2}not sent\n$/);
  const sent = await run(config, ['team']);
  assert.equal(sent.code, 1);
  assert.match(
    sent.stdout,
    /\n {4}Subject: drill of team\n[\s\S]*\n {2}failed: establish connection to server: .* \(the server would try again\)\n$/,
  );
  assert.doesNotMatch(sent.stdout, /p4ss/);
});

test('the headers of an e-mail are shown as people read them, each in its own line', async () => {
  const subject = `käse ${'und '.repeat(30)}brot`;
  const config = `
route: {receiver: team}
receivers: [{name: team, email_configs: [{to: a@b.c, from: d@e.f, smarthost: 'h:25', html: '', text: x=y, headers: {Subject: '${subject}', X-Any: 'größe'}}]}]
`;
  const { stdout } = await run(config, ['team', '--dry-run']);
  assert.match(stdout, new RegExp(`\\n {4}Subject: ${subject}\\n`));
  assert.match(stdout, /\n {4}X-Any: größe\n {4}\S+: /);
  assert.match(stdout, /\n {4}x=y\n/);
});

test('an e-mail is shown and sent', async (t) => {
  const sink = await startSmtpSink(t, { offers: ['AUTH PLAIN'], user: { name: 'joe', password: 'p4ss' } });
  const config = `
global: {smtp_smarthost: '127.0.0.1:${sink.port}', smtp_from: a@example.org, smtp_require_tls: false, smtp_auth_username: joe, smtp_auth_password: p4ss}
route: {receiver: team}
receivers: [{name: team, email_configs: [{to: ops@example.org, html: '', text: '.hidden dot'}]}]
`;
  const { code, stdout } = await run(config, ['team']);
  assert.equal(code, 0);
  assert.match(stdout, /\n {4}\.hidden dot\n[\s\S]*\n {2}sent\n$/);
  assert.doesNotMatch(stdout, /p4ss|cDRzcw/);
  assert.deepEqual(
    sink.mails.map(({ from, to, login }) => [from, to, login]),
    [['a@example.org', ['ops@example.org'], 'PLAIN joe']],
  );
});

test('a message in a form or a query is shown line by line', async () => {
  const config = `
route: {receiver: team}
receivers:
  - name: team
    pushover_configs: [{user_key: us3r, token: t0k, message: "one & two", title: 'ä'}]
    sns_configs: [{topic_arn: 'arn:x', message: "one\\nand two", subject: s, sigv4: {region: us-east-1, access_key: A, secret_key: s3cr}}]
`;
  const { code, stdout, stderr } = await run(config, ['team', '--dry-run']);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /\n {2}POST https:\/\/api\.pushover\.net\/1\/messages\.json\n/);
  assert.match(stdout, /\n {4}message=one & two\n[\s\S]*\n {4}title=ä\n {4}token=<secret>\n/);
  assert.match(stdout, /\n {2}authorization: <secret>\n[\s\S]*\n {4}Message=one\n {4}and two\n {4}TopicArn=arn:x\n/);
});

test('an answer that does not come in time is a failure', async (t) => {
  const sink = await startHttpSink(t, () => 'hang');
  const terminal = new FakeTerminal('2026-01-01T00:10:00Z');
  terminal.files.set('alertmanager.yml', webhookConfig(sink.url));
  const running = runAlerts(['test-receiver', 'team', '--timeout', '10s'], terminal);
  await sink.received(1);
  terminal.clock.advance(10_000);
  assert.equal(await running, 1);
  assert.match(terminal.stdout, /no answer after 10000 ms: .+\n {2}failed: .+\n$/);
});

test('a receiver without integrations is reported', async () => {
  const { code, stdout } = await run(webhookConfig('http://127.0.0.1:1'), ['other']);
  assert.deepEqual([code, stdout], [0, 'other has no integration: nothing is sent\n']);
});

const mistakes: [args: string[], message: string][] = [
  [['nobody'], 'no receiver is called nobody; there are other, team'],
  [['team', '--config.file', 'none.yml'], 'cannot read none.yml: no such file'],
  [['team', 'severity!=page'], 'labels must be given as name=value, found severity!=page'],
  [['team', '--timeout', '0'], '--timeout: a duration must be greater than 0, found "0"'],
  [['team', '--web.external-url', 'alerts'], '--web.external-url: "alerts" is no http or https URL'],
];
for (const [args, message] of mistakes) {
  test(`test-receiver ${args.join(' ')} is wrong usage`, async () => {
    const { code, stdout, stderr } = await run(webhookConfig('http://127.0.0.1:1'), args);
    assert.deepEqual([code, stdout, stderr], [2, '', `opsdeck: ${message}\n`]);
  });
}

test('links lead to the external URL that is given', async (t: TestContext) => {
  const sink = await startHttpSink(t);
  await run(webhookConfig(sink.url), ['team', '--web.external-url', 'https://alerts.example.org/am/']);
  const payload = sink.requests[0]?.json as { externalURL: string } | undefined;
  assert.equal(payload?.externalURL, 'https://alerts.example.org/am');
});
