import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { TemplateError } from '../../template/template-error.ts';
import {
  BROKEN,
  broken,
  integrationOf,
  notifyTolerantly,
  recordingContext,
  rowOf,
  saidBy,
  TEXTS,
  textsOf,
} from '../../testing/broken-templates.ts';
import { configOf } from '../../testing/integration.ts';
import { startSmtpSink } from '../../testing/smtp-sink.ts';
import { INTEGRATIONS } from '../integrations.ts';
import type { HttpRequest } from '../notifier.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

/** The parts of a mail, decoded. */
function partsOf(mail: string): readonly string[] {
  const plain = mail
    .replace(/=\r?\n/g, '')
    .replace(/((=[\dA-F]{2})+)/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString());
  return plain.split(/^--.*$/m).slice(1, -1);
}

for (const row of TEXTS.filter(({ name }) => name !== 'email')) {
  const { name, unused = '' } = row;
  const integration = integrationOf(name);
  const config = configOf(integration, row.yaml);
  const isUsed = (path: string) => !unused.split(' ').includes(path);

  test(`${name}: ${row.texts || 'no text'} gives way when it cannot be rendered`, () => {
    assert.equal(textsOf(integration, config).filter(isUsed).join(' '), row.texts);
  });

  for (const path of unused.split(' ').filter(Boolean)) {
    test(`${name}: a broken ${path} is no error where it is not sent`, async () => {
      const { context } = recordingContext(row.answer);
      const delivery = await notifyTolerantly(integration, broken(integration, config, [path]), context);
      assert.deepEqual(delivery, { ok: true });
    });
  }

  for (const path of row.texts.split(' ').filter(Boolean)) {
    test(`${name}: with a broken ${path} the notification is sent, and says so once`, async () => {
      const { requests, context, opened } = recordingContext(row.answer);
      const delivery = await notifyTolerantly(integration, broken(integration, config, [path]), context);
      assert.ok(delivery.ok, JSON.stringify(delivery));
      assert.match(delivery.templateError ?? '', /(template "nope" not defined|no such template "nope")$/);
      assert.ok(delivery.templateError?.startsWith(`"${path}": `), delivery.templateError);
      const said = saidBy(requests.at(-1) as HttpRequest);
      assert.equal(count(said, 'template error in '), 1, said);
      assert.ok(said.includes(`template error in ${delivery.templateError}`), said);
      assert.doesNotMatch(said, /\{\{(?!template "nope" \.\}\})/);
      assert.equal(opened(), 1, 'connections are shared');
    });
  }
}

test('names in a payload that cannot be rendered stand as they are written, each with its value, and the error once', async () => {
  const webhook = integrationOf('webhook');
  const other = BROKEN.replace('nope', 'other');
  const yaml = `{url: 'http://h', payload: {'${BROKEN}': a, '${other}': {b: 1}, '{{ .Status }}': c}}`;
  const { requests, context } = recordingContext();
  const delivery = await notifyTolerantly(webhook, configOf(webhook, yaml), context);
  assert.ok(delivery.ok, JSON.stringify(delivery));
  assert.ok(delivery.templateError?.startsWith('"payload (name 2)": '), delivery.templateError);
  assert.match(
    delivery.templateError ?? '',
    /template "nope" not defined; "payload \(name 3\)": .*template "other" not defined$/,
  );
  assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), {
    [`${BROKEN}\ntemplate error in ${delivery.templateError}`]: 'a',
    [other]: { b: 1 },
    firing: 'c',
  });
});

test('a field of Jira with such a name is left out', async () => {
  const { name, yaml, answer } = rowOf('jira');
  const jira = integrationOf(name);
  const { requests, context } = recordingContext(answer);
  const config = configOf(jira, yaml.replace('own: {deep: t}', `own: {'${BROKEN}': t}, other: {deep: t}`));
  const delivery = await notifyTolerantly(jira, config, context);
  assert.ok(delivery.ok, JSON.stringify(delivery));
  const { fields } = JSON.parse(requests.at(-1)?.body ?? '');
  assert.deepEqual([fields.own, fields.other], [undefined, { deep: 't' }]);
});

test('the table has every integration', () => {
  const tested = new Set(TEXTS.map(({ name }) => name));
  assert.deepEqual([...tested].sort(), INTEGRATIONS.map(({ name }) => name).sort());
});

describe('e-mail', () => {
  const email = integrationOf('email');
  const row = rowOf('email');

  test('these texts give way when they cannot be rendered', () => {
    const config = configOf(email, row.yaml.replace('PORT', '25'));
    assert.equal(textsOf(email, config).join(' '), row.texts);
  });

  for (const path of row.texts.split(' ')) {
    test(`with a broken ${path} the mail is sent, and says so once in each of its alternatives`, async (t: TestContext) => {
      const sink = await startSmtpSink(t);
      const config = configOf(email, row.yaml.replace('PORT', String(sink.port)));
      const { context } = recordingContext();
      const delivery = await notifyTolerantly(email, broken(email, config, [path]), context);
      assert.ok(delivery.ok, JSON.stringify(delivery));
      const content = sink.mails[0]?.content ?? '';
      const parts = partsOf(content);
      assert.deepEqual(
        parts.map((part) => count(part, 'template error in ')),
        [1, 1],
        content,
      );
      assert.ok(parts.every((part) => part.includes(path)));
      if (path === 'headers.Subject') assert.match(content, /^Subject: \[FIRING:1\] Down \(h1\)/m);
    });
  }
});

describe('a broken address is a failure', () => {
  const addresses: readonly (readonly [name: string, yaml: string])[] = [
    ['webhook', `{url: 'http://h/${BROKEN}'}`],
    ['email', `{to: '${BROKEN}', from: a@b.example, smarthost: "127.0.0.1:25"}`],
    ['email', `{to: a@b.example, from: a@b.example, smarthost: "127.0.0.1:25", headers: {X-Team: '${BROKEN}'}}`],
    ['pagerduty', `{routing_key: '${BROKEN}', url: "http://h"}`],
    ['opsgenie', `{api_key: '${BROKEN}', api_url: "http://h"}`],
    ['opsgenie', `{api_key: k, api_url: "http://h", responders: [{name: '${BROKEN}', type: team}]}`],
    ['wechat', `{api_secret: s, corp_id: c, api_url: "http://h", to_user: '${BROKEN}'}`],
    ['slack', `{api_url: "http://h", channel: '${BROKEN}'}`],
    ['victorops', `{api_key: k, api_url: "http://h", routing_key: '${BROKEN}'}`],
    ['pushover', `{user_key: '${BROKEN}', token: t}`],
    ['pushover', `{user_key: u, token: t, device: '${BROKEN}'}`],
    ['sns', `{api_url: "http://h", topic_arn: '${BROKEN}', sigv4: {region: r, access_key: k, secret_key: s}}`],
    ['sns', `{topic_arn: t, attributes: {a: '${BROKEN}'}, sigv4: {region: r, access_key: k, secret_key: s}}`],
    ['webex', `{room_id: '${BROKEN}', api_url: "http://h", http_config: {authorization: {credentials: c}}}`],
    ['jira', `{api_url: "http://h/rest/api/2", project: '${BROKEN}', issue_type: t}`],
    ['rocketchat', `{token: t, token_id: i, api_url: "http://h", channel: '${BROKEN}'}`],
    ['mattermost', `{webhook_url: "http://h", channel: '${BROKEN}'}`],
  ];
  for (const [name, yaml] of addresses) {
    test(`${name}: ${yaml}`, async () => {
      const integration = integrationOf(name);
      const { requests, context } = recordingContext(rowOf(name).answer);
      const config = configOf(integration, yaml);
      for (const one of [config, broken(integration, config, ['message', 'title', 'summary', 'description', 'html'])]) {
        await assert.rejects(notifyTolerantly(integration, one, context), TemplateError);
      }
      assert.deepEqual(
        requests.filter(({ url }) => !url.includes('gettoken')),
        [],
      );
    });
  }
});
