import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { AgentId } from '../event.ts';
import { costCents, readPrices } from '../prices/prices.ts';
import {
  addTokens,
  costsWithCcusage,
  type DailyTokens,
  type FlatPrices,
  makeWellFormed,
  readWithCcusage,
} from '../testing/ccusage.ts';
import { writeClaudeLogs } from '../testing/claude-logs.ts';
import { writeCodexLogs } from '../testing/codex-logs.ts';
import { readLogs } from '../testing/read-logs.ts';

const AT = '2026-11-02T10:00:00.000Z';
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

/** Prices of one's own for ccusage have no surcharge for fast answers. */
const PRICES: FlatPrices = {
  'claude-opus-5-20260724': [5, 25, 6.25, 0.5],
  'claude-opus-5-20260724-fast': [5, 25, 6.25, 0.5],
  'claude-sonnet-4-6': [3, 15, 3.75, 0.3],
  'claude-sonnet-4-6-fast': [3, 15, 3.75, 0.3],
  'claude-haiku-4-5-20251001': [1, 5, 1.25, 0.1],
  'claude-haiku-4-5-20251001-fast': [1, 5, 1.25, 0.1],
  'gpt-5.3-codex': [1.75, 14, 1.75, 0.175],
  'gpt-6.1-sol': [2, 10, 2, 0.1],
  'gpt-5.4-mini': [0.75, 4.5, 0.75, 0.075],
};

for (const id of ['claude', 'codex'] as const) {
  test(`${id}: at the same prices the cost of each day is ccusage's`, (t) => {
    const home = folderOf(t);
    for (const seed of [1, 2, 3]) {
      const shape = { seed, startAt: Date.UTC(2026, seed, 25, 3) };
      makeWellFormed(id === 'claude' ? writeClaudeLogs(home, shape) : writeCodexLogs(home, shape));
    }
    for (const zone of ZONES) {
      const [own, theirs] = [ourCosts(id, home, zone), costsWithCcusage(id, home, zone, PRICES)];
      assert.deepEqual(Object.keys(own).sort(), Object.keys(theirs).sort());
      for (const [day, dollars] of Object.entries(own))
        assert.ok(
          Math.abs(dollars - (theirs[day] ?? 0)) < 1e-9 * dollars,
          `${zone} ${day}: ${dollars}, ${theirs[day]}`,
        );
    }
  });
}

/** Tokens of input here and in ccusage 20.0.20 and 20.0.24; each shape has a model of its own. */
const CLAUDE_SHAPES: readonly [model: string, ours: number, theirs: number, lines: readonly string[]][] = [
  [
    'offset',
    20,
    20,
    [claudeLine('offset'), claudeLine('offset', { timestamp: '2026-11-02T15:30:00.000+05:30' }, 'msg_2')],
  ],
  ['no-type', 10, 10, [claudeLine('no-type', { type: undefined, sessionId: undefined, requestId: undefined })]],
  ['wrong-count', 0, 0, [claudeLine('wrong-count', {}, 'msg_wrong', { input_tokens: -10, output_tokens: 0 })]],
  // JSON.stringify writes half of a pair of UTF-16 as an escape, for instance where a tool cut a text in an emoji.
  ['half-character', 10, 0, [claudeLine('half-character', { text: '\ud83d' })]],
  // ccusage drops a line whose time is not in milliseconds, whose version is no number, or that has a null in certain fields.
  ['microseconds', 10, 0, [claudeLine('microseconds', { timestamp: '2026-11-02T10:00:00.123456Z' })]],
  ['version', 10, 0, [claudeLine('version', { version: 'dev' })]],
  ['null', 10, 0, [claudeLine('null', { requestId: null })]],
  // It counts a line without an id each time a resumed session repeats it.
  ['no-id', 10, 20, [claudeLine('no-id', {}, null), claudeLine('no-id', {}, null)]],
  // It counts an id of Anthropic's under each request.
  ['requests', 10, 20, [claudeLine('requests'), claudeLine('requests', { requestId: 'req_other' })]],
];

test('claude: lines of odd shapes count as in ccusage, or differ as is explained', (t) => {
  const home = folderOf(t);
  const lines = CLAUDE_SHAPES.flatMap(([, , , of]) => of);
  store(join(home, '.claude', 'projects', '-home-me', 'session.jsonl'), lines);
  assertShapes(CLAUDE_SHAPES, 'claude', home);
});

const CODEX_SHAPES: readonly [model: string, ours: number, theirs: number, lines: readonly string[]][] = [
  ['rate-limits', 10, 10, [codexLine(0, { total: 10 }), codexLine(1, {}), codexLine(2, { total: 10 })]],
  // Old lines without the last answer's usage: ccusage takes nothing until the counters have passed their old values.
  ['anew', 1_900, 1_600, [codexLine(0, { total: 900 }), codexLine(1, { total: 300 }), codexLine(2, { total: 1_000 })]],
  // Up to 20.0.24 it does not know that a compaction by the vendor's server is missing in the counters.
  [
    'compaction',
    80,
    10,
    [
      codexLine(0, { total: 10 }),
      JSON.stringify({
        timestamp: '2026-11-02T10:01:00.000Z',
        type: 'token_usage_record',
        payload: { response_id: 'resp_1', usage: countersOf(70) },
      }),
      JSON.stringify({
        timestamp: '2026-11-02T10:01:00.000Z',
        type: 'compacted',
        payload: { message: '', compaction_response_id: 'resp_1' },
      }),
    ],
  ],
  // It names the newest model of the day of a review; nothing in the log says so.
  ['codex-auto-review', 10, 0, [codexLine(0, { total: 10 })]],
];

test('codex: lines of odd shapes count as in ccusage, or differ as is explained', (t) => {
  const home = folderOf(t);
  for (const [model, , , lines] of CODEX_SHAPES) {
    const turn = JSON.stringify({ timestamp: AT, type: 'turn_context', payload: { model } });
    store(join(home, '.codex', 'sessions', `${model}.jsonl`), [turn, ...lines]);
  }
  assertShapes(CODEX_SHAPES, 'codex', home);
});

function assertShapes(
  shapes: readonly (readonly [model: string, ours: number, theirs: number, ...unknown[]])[],
  id: Exclude<AgentId, 'gemini'>,
  home: string,
): void {
  const inputs = (tokens: DailyTokens) => shapes.map(([model]) => [model, tokens[`2026-11-02 ${model}`]?.[0] ?? 0]);
  assert.deepEqual(
    inputs(ours(id, home, 'UTC')),
    shapes.map(([model, count]) => [model, count]),
  );
  assert.deepEqual(
    inputs(readWithCcusage(id, home, 'UTC')),
    shapes.map(([model, , count]) => [model, count]),
  );
}

function folderOf(t: TestContext): string {
  const home = mkdtempSync(join(tmpdir(), 'ccusage-'));
  t.after(() => rmSync(home, { recursive: true }));
  return home;
}

/** `id`: of the message; null: none. */
function claudeLine(
  model: string,
  { text = 'hello', ...fields }: Readonly<Record<string, unknown>> = {},
  id: string | null = `msg_${model}`,
  usage: object = { input_tokens: 10, output_tokens: 20 },
): string {
  const message = { ...(id === null ? {} : { id }), model, content: [{ type: 'text', text }], usage };
  const whole = { type: 'assistant', timestamp: AT, requestId: `req_${model}`, sessionId: 's', message, ...fields };
  return JSON.stringify(whole);
}

function codexLine(minute: number, { total }: { readonly total?: number }): string {
  const info = total === undefined ? null : { total_token_usage: countersOf(total) };
  return JSON.stringify({
    timestamp: `2026-11-02T10:0${minute}:00.000Z`,
    type: 'event_msg',
    payload: { type: 'token_count', info },
  });
}

function countersOf(total: number): object {
  return { input_tokens: total, cached_input_tokens: 0, output_tokens: 0, total_tokens: total };
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

/** Dollars by day. */
function ourCosts(id: AgentId, home: string, zone: string): Readonly<Record<string, number>> {
  const file = join(home, 'prices.json');
  const models = Object.entries(PRICES).map(([model, [input, output, cacheWrite, cacheRead]]) => [
    model,
    { input, output, cacheWrite, cacheWriteHour: 2 * input, cacheRead },
  ]);
  writeFileSync(file, JSON.stringify({ models: Object.fromEntries(models) }));
  const prices = readPrices(file);
  const day = new Intl.DateTimeFormat('sv-SE', { timeZone: zone });
  const dollars: Record<string, number> = {};
  for (const event of readLogs(id, home).events) {
    const price = prices.priceOf(event.model);
    assert.ok(price, event.model);
    const date = day.format(event.at);
    dollars[date] = (dollars[date] ?? 0) + costCents(event, price) / 100;
  }
  return dollars;
}
