import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type HttpSink, type SinkAnswer, type SinkRequest, startHttpSink } from '../../../testing/http/sink.ts';
import { TemplateError } from '../../template/template-error.ts';
import { configOf, FAILING_ANSWERS, notifyOnce, printedOf, refusalOf, sentJson } from '../../testing/integration.ts';
import { testIntegration } from '../../testing/integration-contract.ts';
import { GROUP_HASH, notificationOf, notifiedAlert, resolvedAlert } from '../../testing/notifier-parts.ts';
import { jiraIntegration as jira } from './jira.ts';

const LABEL = `ALERT{${GROUP_HASH}}`;
const NEEDED = 'project: OPS, issue_type: Incident';

testIntegration(jira, {
  yaml: '{http_config: {authorization: {credentials: s3cr3t}}, api_url: URL, project: OPS, issue_type: Incident}',
  documented: undefined,
});

describe('a Jira configuration', () => {
  const refusals: readonly (readonly [string, string])[] = [
    ['{issue_type: Bug}', 'line 1: missing project in jira_config'],
    ['{project: P}', 'line 1: missing issue_type in jira_config'],
    [`{${NEEDED}, api_type: server}`, 'line 1: unknown api_type on jira_config, must be auto, cloud or datacenter'],
    [`{${NEEDED}}`, 'no global Jira Cloud URL set'],
  ];
  for (const [yaml, reason] of refusals) {
    test(`${yaml} is refused`, () => assert.equal(refusalOf(jira, yaml), reason));
  }

  test('takes its address from the global part', () => {
    const config = configOf(jira, `{${NEEDED}}`, { jiraApiUrl: 'https://x.atlassian.net/rest/api/2' });
    assert.equal(config.apiUrl, 'https://x.atlassian.net/rest/api/2');
    assert.equal(config.sendResolved, true);
  });

  test('has a field as a template alone, or with its behaviour on updates', () => {
    const yaml = `{${NEEDED}, api_url: "http://j", summary: s, description: {enable_update: false}}`;
    const config = configOf(jira, yaml);
    assert.deepEqual(config.summary, { template: 's', enableUpdate: true });
    assert.deepEqual(config.description, {
      template: '{{ template "jira.default.description" . }}',
      enableUpdate: false,
    });
  });

  test('loads again as it is shown', () => {
    const yaml = `
      project: OPS
      issue_type: Incident
      api_url: http://j
      description: {template: d, enable_update: false}
      labels: [a, b]
      reopen_duration: 1d
      fields: {customfield_1: {value: red}, n: 5}`;
    const config = configOf(jira, yaml);
    assert.deepEqual(printedOf(jira, config).again, config);
  });
});

const OPEN = { key: 'OPS-1', fields: { status: { name: 'Open', statusCategory: { key: 'new' } } } };
const DONE = { key: 'OPS-1', fields: { status: { name: 'Done', statusCategory: { key: 'done' } } } };
const TRANSITIONS = {
  transitions: [
    { id: '11', name: 'Close' },
    { id: '12', name: 'Reopen' },
  ],
};

type Answers = { issues?: readonly unknown[]; other?: (request: SinkRequest) => SinkAnswer | undefined };

async function start(t: TestContext, { issues = [], other = () => undefined }: Answers = {}) {
  return startHttpSink(t, (request) => {
    const special = other(request);
    if (special) return special;
    if (request.path.includes('/search')) return { body: JSON.stringify({ issues }) };
    if (request.method === 'GET') return { body: JSON.stringify(TRANSITIONS) };
    return request.method === 'PUT' ? { status: 204 } : { status: 201, body: '{"id":"1","key":"OPS-1"}' };
  });
}

const firing = notificationOf([notifiedAlert({ alertname: 'Down' })]);
const resolved = notificationOf([resolvedAlert({ alertname: 'Down' })]);
const sentFields = (sink: HttpSink) => sentJson(sink, 1).fields as Readonly<Record<string, unknown>>;
const stepsOf = ({ requests }: { requests: readonly SinkRequest[] }) =>
  requests.map(({ method, path }) => `${method} ${path}`);

describe('Jira is notified', () => {
  test('of a new group with a new issue, as its REST API documents it', async (t) => {
    const sink = await start(t);
    const yaml = `{api_url: ${sink.url}/rest/api/2/, ${NEEDED}, summary: "{{ .Status }} & more", description: d, labels: [z, A], priority: High,
      fields: {customfield_1: {value: "{{ .Status }}"}, customfield_2: "5", customfield_3: [1, "b"]}}`;
    assert.deepEqual(await notifyOnce(jira, yaml, { notification: firing }), { ok: true });
    assert.deepEqual(stepsOf(sink), ['POST /rest/api/2/search', 'POST /rest/api/2/issue']);
    const [search, create] = sink.requests;
    assert.equal(
      search?.body,
      `{"fields":["status"],"jql":"statusCategory != Done and project=\\"OPS\\" and labels=\\"${LABEL}\\" order by status ASC,resolutiondate DESC","maxResults":2}\n`,
    );
    assert.equal(
      create?.body,
      '{"fields":{"customfield_1":{"value":"firing"},"customfield_2":5,"customfield_3":[1,"b"],"description":"d",' +
        `"issuetype":{"name":"Incident"},"labels":["A","${LABEL}","z"],"priority":{"name":"High"},` +
        '"project":{"key":"OPS"},"summary":"firing \\u0026 more"}}\n',
    );
    for (const { headers } of sink.requests) {
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['accept-language'], 'en');
    }
  });

  test('of a known group by an update of its issue', async (t) => {
    const sink = await start(t, { issues: [OPEN] });
    const yaml = `{api_url: ${sink.url}/rest/api/2, ${NEEDED}, priority: ""}`;
    assert.deepEqual(await notifyOnce(jira, yaml, { notification: firing }), { ok: true });
    assert.deepEqual(stepsOf(sink), ['POST /rest/api/2/search', 'PUT /rest/api/2/issue/OPS-1']);
    assert.deepEqual(sink.requests[1]?.json, {
      fields: {
        description: '<jira.default.description>',
        issuetype: { name: 'Incident' },
        labels: [LABEL],
        project: { key: 'OPS' },
        summary: '<jira.default.summary>',
      },
    });
  });

  test('without the fields that updates leave alone', async (t) => {
    const fields = 'summary: {template: s, enable_update: false}, description: {template: d, enable_update: false}';
    for (const [issues, expected] of [
      [[OPEN], [undefined, undefined]],
      [[], ['s', 'd']],
    ] as const) {
      const sink = await start(t, { issues });
      await notifyOnce(jira, `{api_url: ${sink.url}/rest/api/2, ${NEEDED}, ${fields}}`, { notification: firing });
      const { summary, description } = sentFields(sink);
      assert.deepEqual([summary, description], expected);
    }
  });

  test('of a resolved group only if there is an issue', async (t) => {
    const sink = await start(t);
    const yaml = `{api_url: ${sink.url}/rest/api/2, ${NEEDED}, resolve_transition: Close}`;
    assert.deepEqual(await notifyOnce(jira, yaml, { notification: resolved }), { ok: true });
    assert.deepEqual(stepsOf(sink), ['POST /rest/api/2/search']);
  });

  const moves: readonly (readonly [string, 'firing' | 'resolved', unknown, string | undefined])[] = [
    ['a resolved group closes its open issue', 'resolved', OPEN, '11'],
    ['a resolved group leaves alone an issue that is done', 'resolved', DONE, undefined],
    ['a firing group opens an issue again that is done', 'firing', DONE, '12'],
    ['a firing group leaves its open issue open', 'firing', OPEN, undefined],
    ['an issue without a status stays as it is', 'firing', { key: 'OPS-1' }, undefined],
  ];
  for (const [name, status, issue, transition] of moves) {
    test(name, async (t) => {
      const sink = await start(t, { issues: [issue] });
      const yaml = `{api_url: ${sink.url}/rest/api/2, ${NEEDED}, resolve_transition: Close, reopen_transition: Reopen, reopen_duration: 1h}`;
      const notification = status === 'firing' ? firing : resolved;
      assert.deepEqual(await notifyOnce(jira, yaml, { notification }), { ok: true });
      const path = '/rest/api/2/issue/OPS-1/transitions';
      assert.deepEqual(stepsOf(sink).slice(2), transition ? [`GET ${path}`, `POST ${path}`] : []);
      assert.equal(sink.requests[3]?.body, transition && `{"transition":{"id":"${transition}"}}\n`);
    });
  }

  test('a transition that the issue does not have is an error', async (t) => {
    const sink = await start(t, { issues: [OPEN] });
    const yaml = `{api_url: ${sink.url}/rest/api/2, ${NEEDED}, resolve_transition: Vanish}`;
    const error = "can't find transition Vanish for issue OPS-1";
    assert.deepEqual(await notifyOnce(jira, yaml, { notification: resolved }), {
      ok: false,
      retry: false,
      reason: 'other',
      error,
    });
  });
});

describe('Jira is searched', () => {
  const tail = `project="OPS" and labels="${LABEL}" order by status ASC,resolutiondate DESC`;
  const searches: readonly (readonly [string, 'firing' | 'resolved', string])[] = [
    ['reopen_transition: R', 'firing', `statusCategory != Done and ${tail}`],
    [
      'reopen_transition: R, reopen_duration: 90m',
      'firing',
      `(resolutiondate is EMPTY OR resolutiondate >= -90m) and ${tail}`,
    ],
    ['reopen_transition: R, reopen_duration: 90m', 'resolved', `statusCategory != Done and ${tail}`],
    ['reopen_duration: 90m', 'firing', `statusCategory != Done and ${tail}`],
    [
      `wont_fix_resolution: Won't "Do"`,
      'resolved',
      `(resolution is EMPTY or resolution != "Won't \\"Do\\"") and statusCategory != Done and ${tail}`,
    ],
  ];
  for (const [fields, status, jql] of searches) {
    test(`with {${fields}} for a group that is ${status}`, async (t) => {
      const sink = await start(t);
      const notification = status === 'firing' ? firing : resolved;
      await notifyOnce(jira, `{api_url: ${sink.url}, ${NEEDED}, ${fields}}`, { notification });
      assert.equal(sentJson(sink).jql, jql);
    });
  }

  const places: readonly (readonly [string, string, string])[] = [
    ['auto', '/rest/api/2', '/rest/api/2/search'],
    ['datacenter', '/rest/api/3', '/rest/api/3/search'],
    ['cloud', '/rest/api/2/', '/rest/api/3/search/jql'],
    ['cloud', '/jira/rest/api/3', '/jira/rest/api/3/search/jql'],
  ];
  for (const [type, base, path] of places) {
    test(`at ${path} where the API is ${base} of type ${type}`, async (t) => {
      const sink = await start(t);
      await notifyOnce(jira, `{api_url: ${sink.url}${base}, api_type: ${type}, ${NEEDED}, description: ""}`);
      assert.equal(sink.requests[0]?.path, path);
    });
  }

  test('by the API of Jira Cloud where the host is Atlassian’s', async () => {
    const urls: string[] = [];
    const send = async ({ url }: { url: string }) => {
      urls.push(url);
      return { status: 400, headers: new Headers(), text: '' };
    };
    const yaml = `{api_url: "https://x.atlassian.net/rest/api/2", ${NEEDED}}`;
    await notifyOnce(jira, yaml, { context: { openHttp: () => ({ send }) } });
    assert.deepEqual(urls, ['https://x.atlassian.net/rest/api/3/search/jql']);
  });
});

describe('a description', () => {
  test('for version 3 of the API is a document', async (t) => {
    const sink = await start(t);
    const document = {
      type: 'doc',
      version: 1,
      content: [{ type: 'paragraph', content: [{ type: 'text', text: 'x' }] }],
    };
    const yaml = `{api_url: ${sink.url}/rest/api/3/, ${NEEDED}, description: ${JSON.stringify(`\n ${JSON.stringify(document)}\n`)}}`;
    await notifyOnce(jira, yaml);
    assert.deepEqual(sentFields(sink).description, document);
  });

  test('for version 3 of the API with broken JSON is an error of its template', async (t) => {
    const sink = await start(t);
    const sent = notifyOnce(jira, `{api_url: ${sink.url}/rest/api/3, ${NEEDED}, description: "{no"}`);
    await assert.rejects(sent, new TemplateError('description template: invalid JSON for API v3', { source: '{no' }));
  });

  test('for version 3 of the API other than JSON is a document with a paragraph for each line', async (t) => {
    const sink = await start(t);
    await notifyOnce(jira, `{api_url: ${sink.url}/rest/api/3, ${NEEDED}, description: "one\\n\\ntwo {"}`);
    const paragraph = (text: string) => ({ type: 'paragraph', content: [{ type: 'text', text }] });
    const document = { type: 'doc', version: 1, content: [paragraph('one'), paragraph('two {')] };
    assert.deepEqual(sentFields(sink).description, document);
  });

  for (const version of [2, 3]) {
    test(`of nothing is left out in version ${version} of the API`, async (t) => {
      const sink = await start(t);
      await notifyOnce(jira, `{api_url: ${sink.url}/rest/api/${version}, ${NEEDED}, description: ""}`);
      assert.equal('description' in sentFields(sink), false);
    });
  }

  test('is cut to 32767 characters, a summary to 255', async (t) => {
    const sink = await start(t);
    const [long, short] = ['d'.repeat(32_768), 's'.repeat(256)];
    await notifyOnce(jira, `{api_url: ${sink.url}/rest/api/2, ${NEEDED}, description: ${long}, summary: ${short}}`);
    const fields = sentFields(sink);
    assert.equal(fields.description, `${'d'.repeat(32_766)}…`);
    assert.equal(fields.summary, `${'s'.repeat(254)}…`);
  });
});

describe('Jira answers', () => {
  const steps = [
    ['search', 'failed to look up existing issues: HTTP request to JIRA API: '],
    ['issue', 'failed to PUT request to "issue/OPS-1": '],
    ['transitions', ''],
  ] as const;
  for (const { name, answer, expected } of FAILING_ANSWERS) {
    for (const [step, prefix] of steps) {
      const retry = expected.retry || expected.reason === 'rateLimited';
      test(`${name} at ${step}: ${retry ? 'retried' : 'not retried'}`, async (t) => {
        const fails = (path: string) => path.endsWith(step === 'issue' ? 'OPS-1' : step);
        const sink = await start(t, { issues: [OPEN], other: ({ path }) => (fails(path) ? answer : undefined) });
        const yaml = `{api_url: ${sink.url}/rest/api/2, ${NEEDED}, resolve_transition: Close}`;
        const delivery = await notifyOnce(jira, yaml, { notification: resolved });
        assert.ok(!delivery.ok);
        assert.deepEqual([delivery.retry, delivery.reason], [retry, expected.reason]);
        assert.equal(delivery.retryAfterMs, expected.retryAfterMs);
        assert.ok(delivery.error.startsWith(prefix), delivery.error);
      });
    }
  }

  test('with a page instead of JSON: not retried', async (t) => {
    const sink = await start(t, { other: () => ({ body: '<html>sign in</html>' }) });
    const delivery = await notifyOnce(jira, `{api_url: ${sink.url}, ${NEEDED}}`);
    assert.ok(!delivery.ok && !delivery.retry);
    assert.match(delivery.error, /the answer is not what the Jira API describes$/);
  });

  test('nothing: the attempt ends with its deadline', async (t) => {
    const sink = await start(t, { other: () => 'hang' });
    const controller = new AbortController();
    const sent = notifyOnce(jira, `{api_url: ${sink.url}, ${NEEDED}}`, { signal: controller.signal });
    await sink.received(1);
    controller.abort(new DOMException('late', 'TimeoutError'));
    const delivery = await sent;
    assert.ok(!delivery.ok && delivery.retry && delivery.reason === 'contextDeadlineExceeded');
  });
});
