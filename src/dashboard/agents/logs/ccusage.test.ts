import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { AgentId } from '../event.ts';
import { addTokens, type DailyTokens, makeWellFormed, readWithCcusage } from '../testing/ccusage.ts';
import { writeClaudeLogs } from '../testing/claude-logs.ts';
import { writeCodexLogs } from '../testing/codex-logs.ts';
import { readLogs } from '../testing/read-logs.ts';

const ZONES = ['UTC', 'America/Los_Angeles', 'Asia/Kolkata', 'Pacific/Auckland'];

for (const zone of ZONES) {
  test(`claude: the tokens of each day and model in ${zone} are ccusage's`, (t) => {
    const home = folderOf(t);
    for (const seed of [1, 2, 3]) makeWellFormed(writeClaudeLogs(home, { seed }));
    assert.deepEqual(ours('claude', home, zone), readWithCcusage('claude', home, zone));
  });

  test(`codex: the tokens of each day and model in ${zone} are ccusage's`, (t) => {
    const home = folderOf(t);
    for (const seed of [1, 2, 3]) makeWellFormed(writeCodexLogs(home, { seed }));
    assert.deepEqual(ours('codex', home, zone), readWithCcusage('codex', home, zone));
  });
}

// JSON.stringify writes half of a pair of UTF-16 as an escape, for instance where a tool cut a text in an emoji.
test('claude: answers whose text has half a character count here, and not in ccusage', (t) => {
  const home = folderOf(t);
  const lines = [claudeLine('msg_01whole', 'text'), claudeLine('msg_01half', '\ud83d')];
  store(join(home, '.claude', 'projects', '-home-me', 'session.jsonl'), lines);
  assert.deepEqual(ours('claude', home, 'UTC'), { '2026-11-02 claude-opus-5': [20, 40, 0, 0] });
  assert.deepEqual(readWithCcusage('claude', home, 'UTC'), { '2026-11-02 claude-opus-5': [10, 20, 0, 0] });
});

// An old line without the last answer's usage: ccusage takes nothing until the counters have passed their old values.
test('codex: counters that begin anew count here from their first line on, and not in ccusage', (t) => {
  const home = folderOf(t);
  const line = (minute: number, total: number) => {
    const counters = { input_tokens: total, cached_input_tokens: 0, output_tokens: 0, total_tokens: total };
    const payload = { type: 'token_count', info: { total_token_usage: counters } };
    return JSON.stringify({ timestamp: `2026-11-02T10:0${minute}:00.000Z`, type: 'event_msg', payload });
  };
  store(join(home, '.codex', 'sessions', 'rollout.jsonl'), [line(0, 900), line(1, 300), line(2, 1_000)]);
  assert.deepEqual(ours('codex', home, 'UTC'), { '2026-11-02 gpt-5': [1_900, 0, 0, 0] });
  assert.deepEqual(readWithCcusage('codex', home, 'UTC'), { '2026-11-02 gpt-5': [1_600, 0, 0, 0] });
});

function folderOf(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'ccusage-'));
  t.after(() => rmSync(home, { recursive: true }));
  return home;
}

function claudeLine(id: string, text: string): string {
  const usage = { input_tokens: 10, output_tokens: 20 };
  const message = { id, model: 'claude-opus-5', content: [{ type: 'text', text }], usage };
  return JSON.stringify({ timestamp: '2026-11-02T10:00:00.000Z', requestId: `req_${id}`, message });
}

function store(path: string, lines: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.join('\n'));
}

function ours(id: AgentId, home: string, zone: string): DailyTokens {
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  const tokens: Record<string, readonly number[]> = {};
  for (const { at, model, input, output, cacheWrite, cacheRead } of readLogs(id, home).events) {
    addTokens(tokens, `${day.format(at)} ${model}`, [input, output, cacheWrite, cacheRead]);
  }
  return tokens;
}
