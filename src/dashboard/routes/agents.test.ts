import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SseReader } from '../../kernel/sse/reader.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { startTestDashboard } from '../testing/app.ts';
import { FakeAgents } from '../testing/fake-agents.ts';

const AT = Date.parse('2026-06-01T10:00:00Z');
const HOUR_MS = 3_600_000;

async function start(t: Cleanup, files: Readonly<Record<string, string>> = {}) {
  const agents = new FakeAgents();
  agents.add({ agent: 'claude', at: AT, project: 'web', cents: 0.5 }, { agent: 'claude', at: AT + HOUR_MS });
  agents.add({ agent: 'codex', at: AT });
  const dashboard = await startTestDashboard(t, { flags: { agents: true }, openAgents: async () => agents, files });
  return { agents, dashboard, version: agents.version };
}

test('assistants are users; the default users stand beside them only with files', async (t) => {
  const { dashboard } = await start(t);
  const { users } = (await dashboard.get('/api/users')).json;
  assert.deepEqual(
    (users as { id: string; isAgent?: true }[]).map(({ id, isAgent }) => [id, isAgent]),
    [
      ['claude', true],
      ['codex', true],
      ['gemini', true],
    ],
  );
  const { json: health } = await dashboard.get('/health');
  assert.deepEqual(health.users, { claude: true, codex: true, gemini: true });
  const status = (await dashboard.get('/api/agents')).json;
  assert.deepEqual(health.agents, status);
  assert.deepEqual(status.unknownModels, ['model-1']);
});

test('events of an assistant are those of its log, as JSON, as lines, and of a range', async (t) => {
  const { dashboard, version } = await start(t);
  const { json } = await dashboard.get('/api/events?user=claude');
  const { events, fetchedAt: _, ...head } = json as { events: { timestamp: string }[] } & Record<string, unknown>;
  assert.deepEqual(head, { user: 'claude', totalUsageEventsCount: 2, cached: false, truncated: false, version });
  assert.deepEqual(
    events.map(({ timestamp }) => Number(timestamp)),
    [AT + HOUR_MS, AT],
  );
  const accept = { Accept: 'application/x-ndjson' };
  const path = `/api/events?user=claude&startDate=${AT + 1}`;
  const { body } = await dashboard.client.send({ method: 'GET', path, headers: accept });
  const [first, event, end] = body.split('\n');
  assert.equal(JSON.parse(first ?? '').totalUsageEventsCount, 1);
  assert.equal(JSON.parse(event ?? '').timestamp, `${AT + HOUR_MS}`);
  assert.equal(end, '');
  const posted = await dashboard.client.post('/api/events', { user: 'gemini' });
  assert.deepEqual(JSON.parse(posted.body).events, []);
  assert.equal((await dashboard.get('/api/summary?user=codex')).json.user, 'codex');
});

test('changes are everything from the oldest changed one on; of another database, everything', async (t) => {
  const { dashboard, agents, version } = await start(t);
  const changes = async (since: number | string, more = '') => {
    const { json } = await dashboard.get(`/api/events?user=claude&changedAfter=${since}${more}`);
    return [json.from, (json.events as unknown[] | undefined)?.length, json.version];
  };
  assert.deepEqual(await changes(version), [undefined, 0, version]);
  agents.add({ agent: 'claude', at: AT + HOUR_MS / 2 });
  assert.deepEqual(await changes(version), [AT + HOUR_MS / 2, 2, version + 1]);
  assert.deepEqual(await changes(version, `&startDate=${AT + HOUR_MS}`), [AT + HOUR_MS, 1, version + 1]);
  assert.deepEqual(await changes(version + 9), [AT, 3, version + 1]);
  assert.equal((await dashboard.get('/api/events?user=claude&changedAfter=x')).json.code, 'invalid_version');
});

test('a page hears of changes and of the first reading, in one stream', async (t) => {
  const { dashboard, agents, version } = await start(t);
  agents.reading = { bytes: 10, totalBytes: 40, files: 2 };
  const stop = new AbortController();
  const answer = await fetch(`${dashboard.url}/api/agents/changes`, { signal: stop.signal });
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const heard: unknown[] = [];
  assert.ok(answer.body);
  const reader = new SseReader();
  for await (const bytes of answer.body) {
    for (const item of reader.push(Buffer.from(bytes))) if (item.kind === 'event') heard.push(JSON.parse(item.data));
    if (heard.length > 1) break;
    agents.reading = undefined;
    agents.add({ agent: 'codex', at: AT });
    agents.add({ agent: 'codex', at: AT });
  }
  stop.abort();
  assert.deepEqual(heard, [{ version, reading: { bytes: 10, totalBytes: 40, files: 2 } }, { version: version + 2 }]);
});

test('the routes of assistants refuse pages of other sites, and are unknown without assistants', async (t) => {
  const { dashboard } = await start(t);
  for (const path of ['/api/agents', '/api/agents/changes', '/api/events?user=claude']) {
    const foreign = { method: 'GET', path, headers: { Origin: 'https://evil.example' } };
    assert.equal((await dashboard.client.send(foreign)).status, 403, path);
  }
  const plain = await startTestDashboard(t);
  assert.equal((await plain.client.get('/api/agents')).status, 404);
  assert.equal((await plain.get('/health')).json.agents, undefined);
});
