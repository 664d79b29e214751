import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../kernel/clock.ts';
import { createLog } from '../../kernel/log.ts';
import { eventually } from '../../testing/eventually.ts';
import { executablePath, temporaryFolder } from '../../testing/processes.ts';
import { AGENTS } from './event.ts';
import { openUsageDatabase } from './store/open-database.ts';
import { writeClaudeLogs } from './testing/claude-logs.ts';
import { writeCodexLogs } from './testing/codex-logs.ts';
import { LOG_SHAPE } from './testing/conversation.ts';
import { writeGeminiLogs } from './testing/gemini-logs.ts';
import { AgentUsage, type AgentUsageOptions } from './usage.ts';

function setUp(t: TestContext) {
  const folder = temporaryFolder(t);
  const home = join(folder, 'home');
  const dataDir = join(folder, 'data');
  let logged = '';
  const write = (text: string) => {
    logged += text;
  };
  const log = createLog({ level: 'debug', format: 'logfmt', clock: systemClock, write });
  const options: AgentUsageOptions = { agents: AGENTS, env: {}, home, dataDir, log, clock: systemClock };
  return {
    home,
    dataDir,
    options,
    log,
    logged: () => logged,
    async open(more: Partial<AgentUsageOptions> = {}) {
      const usage = await AgentUsage.open({ ...options, ...more });
      t.after(() => usage.close());
      return usage;
    },
  };
}

async function textsOf(usage: AgentUsage): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const agent of AGENTS) for await (const part of usage.events(agent)) texts.push(...part);
  return texts;
}

/** An answer of Claude Code. */
function answer(id: string, model = 'claude-opus-5'): string {
  const usage = { input_tokens: 10, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: `msg_${id}`, model, role: 'assistant', usage };
  const entry = { type: 'assistant', timestamp: '2026-03-01T10:00:00.000Z', cwd: '/home/kim/shop', sessionId: 's1' };
  return `${JSON.stringify({ ...entry, requestId: `req_${id}`, message })}\n`;
}

test('of all agents every answer counts once; no text of a conversation is stored, logged or answered', async (t) => {
  const { home, dataDir, open, logged } = setUp(t);
  const written = [writeClaudeLogs(home), writeCodexLogs(home), writeGeminiLogs(home)];
  const usage = await open();
  await usage.firstReading();
  const texts = await textsOf(usage);
  assert.equal(
    texts.length,
    written.map(({ answers }) => answers.length).reduce((sum, count) => sum + count),
  );
  const summaries = await Promise.all(AGENTS.map((agent) => usage.summary(agent)));
  const told = [...texts, logged(), JSON.stringify([usage.status(), summaries])].join('\n');
  assert.ok(!told.includes(LOG_SHAPE.secret));
  await usage.close();
  const stored = readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)));
  assert.ok(stored.some((bytes) => bytes.includes('claude-opus')));
  assert.ok(!stored.some((bytes) => bytes.includes(LOG_SHAPE.secret)));
});

test('a line that an assistant writes is an event at once, and listeners get the new version', async (t) => {
  const { home, open, logged } = setUp(t);
  const path = join(home, '.claude', 'projects', '-home-kim-shop', 's1.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, answer('1'));
  const seen: unknown[] = [];
  const usage = await open({ onProgress: (reading) => seen.push(reading) });
  await usage.firstReading();
  const { version } = usage;
  const changed = new Promise<number>((resolve) => usage.onChange(resolve));
  appendFileSync(path, answer('2', 'unheard-of-1'));
  assert.ok((await changed) > version);
  const events = (await textsOf(usage)).map((text) => JSON.parse(text));
  assert.deepEqual(
    events.map(({ model, project, chargedCents }) => [model, project, chargedCents]),
    [
      ['unheard-of-1', 'shop', undefined],
      ['claude-opus-5', 'shop', (10 * 5 + 20 * 25) / 1e4],
    ],
  );
  assert.deepEqual(usage.status().unknownModels, ['unheard-of-1']);
  assert.match(logged(), /models without a price.*models=unheard-of-1/);
});

test('wrong prices are refused before anything is read', async (t) => {
  const { home, open } = setUp(t);
  const prices = join(home, 'prices.json');
  mkdirSync(home);
  writeFileSync(prices, '{"models": {"m": {"input": "five"}}}');
  await assert.rejects(open({ prices }), { name: 'CommandError', message: /prices/ });
});

test('an aborted reading of events ends', async (t) => {
  const { home, open } = setUp(t);
  writeClaudeLogs(home);
  const usage = await open();
  await usage.firstReading();
  await assert.rejects(async () => {
    for await (const _ of usage.events('claude', {}, AbortSignal.abort())) assert.fail('it goes on');
  }, /abort/i);
});

test('a thread of the built program that is killed while it reads loses and doubles nothing', async (t) => {
  const { home, dataDir, open, log } = setUp(t);
  const { answers } = writeClaudeLogs(home, { bytes: 40e6, textLength: 2_000 });
  mkdirSync(dataDir);
  const args = [executablePath(), 'dashboard', 'report', '--agents=claude', `--project=${dirname(dataDir)}`];
  const child = spawn(process.execPath, args, { env: { HOME: home }, stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  const database = await openUsageDatabase(dataDir, systemClock, log);
  await eventually('the first events', async () => (await database.count('claude', {})) > 0, { everyMs: 5 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  const kept = await database.count('claude', {});
  await database.close();
  t.diagnostic(`${kept} of ${answers.length} events were stored at the kill`);
  const usage = await open({ agents: ['claude'] });
  await usage.firstReading();
  assert.equal(await usage.count('claude'), answers.length);
});
