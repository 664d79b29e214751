import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notificationOf, notifiedAlert, notifierContext, resolvedAlert } from '../testing/notifier-parts.ts';
import { Templates } from './templates.ts';

const parsed = Templates.parse([]);
assert.ok(parsed.ok);
const templates = parsed.value;

const { dataOf } = notifierContext();
const firing = notifiedAlert(
  { alertname: 'DiskFull', instance: 'db-1', severity: 'critical' },
  { annotations: { summary: 'Only <1%> left' }, generatorURL: 'https://prometheus.example.org/graph?a=1&b=2' },
);
const resolved = resolvedAlert(
  { alertname: 'DiskFull', instance: 'db-2', severity: 'warning' },
  { annotations: { summary: 'Space again' }, generatorURL: 'https://prometheus.example.org/graph?c=3' },
);
const both = dataOf(notificationOf([firing, resolved], { groupLabels: { alertname: 'DiskFull' } }));

const call = (name: string) => `{{ template "${name}" . }}`;

/** What Alertmanager 0.34.2 defines: people call these, and define them anew. */
const UPSTREAM: Readonly<Record<string, readonly string[]>> = {
  slack: [
    ...['title', 'username', 'fallback', 'callbackid', 'pretext', 'titlelink'],
    ...['iconemoji', 'iconurl', 'text', 'footer', 'color'],
  ],
  pagerduty: ['description', 'client', 'clientURL', 'instances'],
  opsgenie: ['message', 'description', 'source'],
  wechat: ['message', 'to_user', 'to_party', 'to_tag', 'agent_id'],
  victorops: ['state_message', 'entity_display_name', 'monitoring_tool'],
  pushover: ['title', 'message', 'url'],
  sns: ['subject', 'message'],
  telegram: ['message'],
  discord: ['content', 'title', 'message'],
  webex: ['message'],
  msteams: ['summary', 'title', 'text'],
  msteamsv2: ['title', 'text'],
  jira: ['summary', 'description', 'priority'],
  rocketchat: ['title', 'alias', 'titlelink', 'emoji', 'iconurl', 'text'],
  mattermost: ['color', 'username', 'title', 'titlelink', 'fallback', 'text'],
  email: ['subject', 'html'],
};

test('every template that Alertmanager defines is there', () => {
  const names = new Set(templates.names());
  for (const name of ['__alertmanager', '__alertmanagerURL', '__description', '__subject'])
    assert.ok(names.has(name), name);
  for (const name of ['__text_alert_list', '__text_alert_list_markdown']) assert.ok(names.has(name), name);
  for (const [integration, fields] of Object.entries(UPSTREAM)) {
    for (const field of fields) assert.ok(names.has(`${integration}.default.${field}`), `${integration} ${field}`);
  }
});

test('a subject has the status, the values of the group, and the values of the other common labels', () => {
  assert.equal(templates.text(call('__subject'), both), '[FIRING:1] DiskFull ');
  const alone = dataOf(notificationOf([resolved], { groupLabels: { alertname: 'DiskFull' } }));
  assert.equal(templates.text(call('__subject'), alone), '[RESOLVED] DiskFull (db-2 warning)');
});

test('every message has the labels, annotations and sources of all alerts, and says which fire', () => {
  const messages = [
    ...['opsgenie.default.description', 'wechat.default.message', 'victorops.default.state_message'],
    ...['pushover.default.message', 'sns.default.message', 'telegram.default.message', 'discord.default.message'],
    ...['webex.default.message', 'msteams.default.text', 'msteamsv2.default.text', 'jira.default.description'],
    ...['mattermost.default.text', 'email.default.html'],
  ];
  const facts = ['instance', 'db-1', 'db-2', 'critical', 'warning', 'summary', 'Only <1%> left', 'Space again'];
  for (const name of messages) {
    const text = templates.text(call(name), both);
    for (const fact of [...facts, firing.generatorURL, resolved.generatorURL])
      assert.ok(text.includes(fact), `${name}: ${fact}`);
    const [first, second] = [text.indexOf('Firing'), text.indexOf('Resolved')];
    assert.ok(first >= 0 && first < text.indexOf('db-1') && text.indexOf('db-1') < second, name);
    assert.ok(second < text.indexOf('db-2'), name);
  }
});

test('the priority is the highest of the firing alerts, else of the resolved ones', () => {
  const priorities: readonly (readonly [firing: readonly string[], resolved: readonly string[], priority: string])[] = [
    [['info', 'critical', 'warning'], [], 'High'],
    [['info', 'warning', 'info'], ['critical'], 'Medium'],
    [['info'], ['critical'], 'Low'],
    [['none'], ['warning'], 'Medium'],
    [[], ['info', 'page'], 'Low'],
    [['none'], [], ''],
  ];
  for (const [firing, resolved, priority] of priorities) {
    const alerts = [
      ...firing.map((severity) => notifiedAlert({ severity })),
      ...resolved.map((severity) => resolvedAlert({ severity })),
    ];
    assert.equal(templates.text(call('jira.default.priority'), dataOf(notificationOf(alerts))), priority);
  }
});

test('the e-mail links to its sources and to the server, and contains no markup of alerts', () => {
  const html = templates.html(call('email.default.html'), both);
  assert.ok(html.includes('href="https://prometheus.example.org/graph?a=1&amp;b=2"'));
  assert.ok(html.includes('href="http://alerts.example.org/#/alerts?receiver=team"'));
  assert.ok(html.includes('Only &lt;1%&gt; left'));
  assert.ok(!html.includes('<1%>'));
  assert.ok(html.includes('Firing since 2026-01-01 00:00:00 UTC'));
  assert.ok(html.includes('Resolved at 2026-01-01 00:05:00 UTC'));
  assert.match(html, /2 alerts for<\/h1>\s*<p[^>]*>alertname=DiskFull<\/p>/);
});

test('the e-mail closes every element that it opens', () => {
  const open: string[] = [];
  const html = templates.html(call('email.default.html'), both);
  for (const [, slash, name] of html.matchAll(/<(\/?)([a-z][a-z\d]*)/g)) {
    if (['meta', 'br', 'hr', 'img'].includes(name as string)) continue;
    if (slash) assert.equal(open.pop(), name);
    else open.push(name as string);
  }
  assert.deepEqual(open, []);
});

test('a title that people define anew reaches the fallback too', () => {
  const own = Templates.parse([{ name: 'own.tmpl', text: '{{ define "slack.default.title" }}Mine{{ end }}' }]);
  assert.ok(own.ok);
  assert.match(own.value.text(call('slack.default.fallback'), both), /^Mine \| http/);
});
