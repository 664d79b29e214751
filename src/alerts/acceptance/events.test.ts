import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { PlainClient } from '../../testing/http/client.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import { configFile, Janitor, startOpsdeck, temporaryFolder } from '../../testing/processes.ts';
import recorded from '../testdata/events-0.34.json' with { type: 'json' };

const configOf = (receiver: string) => `
route:
  {receiver: hook, group_by: [alertname], group_wait: 1s, group_interval: 2s, repeat_interval: 1h, routes: [{matchers: ['severity="page"'], receiver: hook}]}
receivers: [{name: hook, webhook_configs: [{url: "${receiver}/hook"}]}]
inhibit_rules: [{name: rule, source_matchers: ['role="source"'], target_matchers: ['role="target"'], equal: [zone]}]
event_recorder: {file_outputs: [{path: events.jsonl}], webhook_outputs: [{url: "${receiver}/s3cr3t", batch: true}]}`;

const PAGE = { labels: { alertname: 'A', severity: 'page' }, startsAt: '2026-11-23T00:00:00.123Z' };
const OTHERS = [
  { labels: { alertname: 'S', role: 'source', zone: 'z' } },
  { labels: { alertname: 'T', role: 'target', zone: 'z' } },
  { labels: { alertname: 'T', n: '2' } },
  { labels: { alertname: 'Q', x: 'y' } },
];
const SILENCE = {
  matchers: [
    { name: 'x', value: 'y', isRegex: false, isEqual: true },
    { name: 'alertname', value: 'Q|R', isRegex: true, isEqual: true },
  ],
  startsAt: '2026-11-23T00:00:00Z',
  endsAt: '2126-11-23T00:00:00Z',
  createdBy: 'me',
  comment: 'c',
};

/** Events without what differs from run to run; repeated ones once. */
function comparable(events: readonly object[]): readonly string[] {
  const texts = events.map((event) =>
    JSON.stringify(event)
      .replace(/"[\da-f]{8}-[\da-f-]{27}"/g, '"<uuid>"')
      .replace(/("(?:startsAt|endsAt|updatedAt)":)"(?!2026-11-23T00:00:0|0001)[^"]*"/g, '$1"<now>"')
      .replace(/"flushId":"\d+"/, '"flushId":"<count>"')
      .replace(/"buildContext":"[^"]*"/, '"buildContext":"<build>"'),
  );
  return [...new Set(texts)].sort();
}

test('the event recorder writes what Alertmanager 0.34 wrote of the same alerts and silences', async (t) => {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const receiver = await startHttpSink(janitor);
  const file = configFile(janitor, configOf(receiver.url));
  const server = await startOpsdeck(janitor, ['--config.file', file, '--enable-feature', 'event-recorder']);
  const client = new PlainClient(janitor, server.url);
  const path = join(file, '..', 'events.jsonl');
  const events = () =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { instance: string; '@timestamp': string; data: object });
  const has = (text: string) => eventually(text, async () => JSON.stringify(events()).includes(text));
  const post = async (path: string, body: unknown) => {
    const answer = await client.post(path, body);
    assert.equal(answer.status, 200, answer.body);
    return answer.body;
  };
  await post('/api/v2/alerts', [{ ...PAGE, annotations: { summary: 's' } }]);
  await post('/api/v2/alerts', OTHERS);
  const { silenceID: id } = JSON.parse(await post('/api/v2/silences', SILENCE)) as { silenceID: string };
  await has('silenceMutedAlert');
  await has('"mutedAlerts"');
  await has('alertname=\\"S\\"}","groupLabels":{"labels":[{"key":"alertname","value":"S"}]},"groupId":"9f1b2f96');
  await post('/api/v2/alerts', [{ ...PAGE, annotations: { summary: 's' } }]);
  const { startsAt } = JSON.parse((await client.get(`/api/v2/silence/${id}`)).body) as { startsAt: string };
  await post('/api/v2/silences', { ...SILENCE, id, startsAt, comment: 'd' });
  assert.equal((await fetch(`${server.url}/api/v2/silence/${id}`, { method: 'DELETE' })).status, 200);
  await post('/api/v2/alerts', [{ ...PAGE, endsAt: '2026-11-23T00:00:01Z' }]);
  await has('alertResolved');
  await has('"value":"Q"},{"key":"x","value":"y"}]},"annotations":{},"startsAt":');
  await eventually('Q is notified', async () =>
    receiver.requests.some(({ path, body }) => path === '/hook' && body.includes('"Q"')),
  );
  await server.stop();
  const written = events();
  assert.deepEqual(comparable(written.map(({ data }) => data)), comparable(recorded));
  assert.ok(written.every((event) => event.instance && Date.parse(event['@timestamp']) > 0));
  const posted = receiver.requests.filter(({ path }) => path === '/s3cr3t').flatMap(({ json }) => json as object[]);
  assert.deepEqual(
    new Set(posted.map((event) => JSON.stringify(event))),
    new Set(written.map((event) => JSON.stringify(event))),
  );
  assert.doesNotMatch(server.stderr(), /s3cr3t/);
});

test('without its feature the event recorder writes nothing, and a line says so', async (t) => {
  const janitor = new Janitor();
  t.after(() => janitor.clean());
  const path = join(temporaryFolder(janitor), 'events.jsonl');
  const file = configFile(
    janitor,
    `route: {receiver: r}\nreceivers: [{name: r}]\nevent_recorder: {file_outputs: [{path: ${path}}]}`,
  );
  const server = await startOpsdeck(janitor, ['--config.file', file]);
  const { body } = await new PlainClient(janitor, server.url).get('/metrics');
  await server.stop();
  assert.match(
    server.stderr(),
    /level=WARN msg="event_recorder has no effect without --enable-feature=event-recorder"/,
  );
  assert.doesNotMatch(body, /event_recorder/);
  assert.throws(() => readFileSync(path), /ENOENT/);
});
