import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AGENTS, type AgentEvent, type AgentId } from '../event.ts';
import { agentLogs } from './index.ts';

const AT = '2026-11-02T10:00:00.000Z';
const HOME = '/home/me';

function read(id: AgentId, path: string, lines: readonly unknown[]): readonly (readonly AgentEvent[] | undefined)[] {
  const reader = agentLogs(id).open(path);
  return lines.map((line) => reader.read(Buffer.from(typeof line === 'string' ? line : JSON.stringify(line))));
}

function claudeEntry(usage: unknown, fields: object = {}): object {
  const message = { id: 'msg_01a', model: 'claude-opus-5', usage };
  return { timestamp: AT, sessionId: 's', cwd: '/home/me/shop', requestId: 'req_1', message, ...fields };
}

function tokenCount(at: string, total: number | undefined, last: number | undefined): object {
  const counters = (input: number) => ({
    input_tokens: input,
    cached_input_tokens: 0,
    output_tokens: 1,
    total_tokens: input + 1,
  });
  const info = {
    ...(total === undefined ? {} : { total_token_usage: counters(total) }),
    ...(last === undefined ? {} : { last_token_usage: counters(last) }),
  };
  return { timestamp: at, type: 'event_msg', payload: { type: 'token_count', info } };
}

test('claude: a side chain ranks below the main chain, and among equals the larger count above', () => {
  const [[side], [main], [more]] = read('claude', '-home-me-shop/s.jsonl', [
    claudeEntry({ input_tokens: 1_000, output_tokens: 1 }, { isSidechain: true, requestId: 'req_2' }),
    claudeEntry({ input_tokens: 1, output_tokens: 1 }),
    claudeEntry({ input_tokens: 1, output_tokens: 2 }),
  ]) as [AgentEvent[], AgentEvent[], AgentEvent[]];
  assert.equal(new Set([side?.key, main?.key, more?.key]).size, 1);
  assert.ok((side?.rank ?? 0) < (main?.rank ?? 0) && (main?.rank ?? 0) < (more?.rank ?? 0));
});

test('claude: ids that a gateway repeats do not merge answers of other requests, sessions and times', () => {
  const entry = (requestId: string | undefined, sessionId: string, timestamp: string) =>
    claudeEntry(
      { input_tokens: 1, output_tokens: 1 },
      {
        requestId,
        sessionId,
        timestamp,
        message: { id: 'x', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } },
      },
    );
  const events = read('claude', 'p/s.jsonl', [
    entry('r1', 's', AT),
    entry('r2', 's', AT),
    entry(undefined, 's', AT),
    entry(undefined, 't', AT),
    entry(undefined, 's', '2026-11-02T10:00:01Z'),
  ]).flat();
  assert.equal(new Set(events.map((event) => event?.key)).size, 5);
});

test('claude: the project is the folder of the log, not the one into which the session moved', () => {
  const at = (path: string, cwd: unknown) =>
    read('claude', path, [claudeEntry({ input_tokens: 1, output_tokens: 1 }, { cwd })])[0]?.[0]?.project;
  assert.equal(at('-home-me-my-shop/s.jsonl', '/home/me/my.shop/src/deep'), 'my.shop');
  assert.equal(at('-elsewhere/s.jsonl', '/home/me/other'), 'other');
  assert.equal(at('-home-me--rger/s.jsonl', '/home/me/Ärger'), 'Ärger');
  assert.equal(at('-elsewhere/s.jsonl', '/home/me/東京'), '東京');
  assert.equal(at('C--work-shop/s.jsonl', 'C:\\work\\shop'), 'shop');
  assert.equal(at('-home-me-shop/s.jsonl', undefined), 'home-me-shop');
});

test('claude: answers that no model gave and answers without tokens count nothing', () => {
  const synthetic = claudeEntry(
    { input_tokens: 5, output_tokens: 5 },
    { message: { model: '<synthetic>', usage: { input_tokens: 5, output_tokens: 5 } } },
  );
  assert.deepEqual(
    read('claude', 'p/s.jsonl', [synthetic, claudeEntry({ input_tokens: 0, output_tokens: 0 }), { type: 'user' }, '']),
    [[], [], [], []],
  );
});

test('claude: writes to the cache that stay for an hour are told from those of five minutes', () => {
  const writes = (usage: object) => {
    const [events] = read('claude', 'p/s.jsonl', [claudeEntry({ input_tokens: 1, output_tokens: 1, ...usage })]);
    return events?.map(({ cacheWrite, cacheWriteHour }) => [cacheWrite, cacheWriteHour]);
  };
  const total = { cache_creation_input_tokens: 9 };
  assert.deepEqual(writes(total), [[9, 0]]);
  const parts = { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 7 };
  assert.deepEqual(writes({ ...total, cache_creation: parts }), [[9, 7]]);
  assert.equal(writes({ ...total, cache_creation: { ephemeral_1h_input_tokens: -1 } }), undefined);
});

test('claude: what an advisor used is an answer of its own', () => {
  const iterations = [
    { type: 'message', input_tokens: 3 },
    { type: 'advisor_message', model: 'claude-fable-5-1', input_tokens: 70, output_tokens: 7 },
  ];
  const [events] = read('claude', 'p/s.jsonl', [claudeEntry({ input_tokens: 3, output_tokens: 4, iterations })]);
  assert.deepEqual(
    events?.map(({ key, model, input }) => [key, model, input]),
    [
      ['msg_01a', 'claude-opus-5', 3],
      ['msg_01a:advisor:1', 'claude-fable-5-1', 70],
    ],
  );
});

test("codex: a compaction counts by its request's record if the counters lack it, and once in copies", () => {
  const record = (at: string, id: string, input: number) => ({
    timestamp: at,
    type: 'token_usage_record',
    payload: { response_id: id, usage: { input_tokens: input, output_tokens: 1, total_tokens: input + 1 } },
  });
  const compacted = (id: string) => ({ timestamp: AT, type: 'compacted', payload: { compaction_response_id: id } });
  const lines = [
    { timestamp: AT, type: 'turn_context', payload: { model: 'gpt-6-astra' } },
    record('2026-11-02T10:00:10Z', 'resp_turn', 100),
    tokenCount('2026-11-02T10:00:10Z', 100, 100),
    record('2026-11-02T10:00:20Z', 'resp_server', 900),
    tokenCount('2026-11-02T10:00:21Z', 100, 100),
    compacted('resp_server'),
    record('2026-11-02T10:00:30Z', 'resp_local', 50),
    tokenCount('2026-11-02T10:00:30Z', 150, 50),
    compacted('resp_local'),
    record('2026-11-02T10:00:40Z', 'resp_other', 70),
    compacted('resp_unknown'),
  ];
  const events = read('codex', 'a.jsonl', lines).flat();
  assert.deepEqual(
    events.map((event) => [event?.input, event?.model]),
    [
      [100, 'gpt-6-astra'],
      [900, 'gpt-6-astra'],
      [50, 'gpt-6-astra'],
    ],
  );
  const copies = lines.map((line) => ({ ...line, timestamp: '2026-11-03T00:00:00Z' }));
  assert.equal(read('codex', 'b.jsonl', copies).flat()[1]?.key, events[1]?.key);
});

test('codex: a reader goes on where another stopped', () => {
  const lines = [
    { timestamp: AT, type: 'session_meta', payload: { id: 'one', cwd: '/home/me/shop' } },
    { timestamp: AT, type: 'turn_context', payload: { model: 'gpt-6.1-sol' } },
    tokenCount('2026-11-02T10:00:10Z', 100, undefined),
    tokenCount('2026-11-02T10:00:20Z', 250, undefined),
  ].map((line) => Buffer.from(JSON.stringify(line)));
  const whole = agentLogs('codex').open('a.jsonl');
  const expected = lines.flatMap((line) => whole.read(line) ?? []);
  let state: string | undefined;
  const parts = lines.flatMap((line) => {
    const reader = agentLogs('codex').open('a.jsonl', state);
    const events = reader.read(line) ?? [];
    state = reader.state();
    return events;
  });
  assert.deepEqual(parts, expected);
  assert.deepEqual(
    expected.map(({ input, model, project }) => [input, model, project]),
    [
      [100, 'gpt-6.1-sol', 'shop'],
      [150, 'gpt-6.1-sol', 'shop'],
    ],
  );
});

test('codex: repeated counters count once, counters that begin anew from their start', () => {
  const events = read('codex', 'a.jsonl', [
    tokenCount(AT, 100, 100),
    tokenCount('2026-11-02T10:00:05Z', 100, 100),
    tokenCount('2026-11-02T10:01:00Z', 40, undefined),
    { timestamp: AT, type: 'event_msg', payload: { type: 'token_count', info: null } },
  ]);
  assert.deepEqual(
    events.map((found) => found?.map(({ input }) => input)),
    [[100], [], [40], []],
  );
});

test('codex: a fork counts from its first answer after the copied history on', () => {
  const [, ...events] = read('codex', 'a.jsonl', [
    { timestamp: AT, type: 'session_meta', payload: { id: 'child', forked_from_id: 'parent' } },
    tokenCount('2026-11-02T10:00:00.010Z', 100, 100),
    tokenCount('2026-11-02T10:00:00.020Z', 300, 200),
    tokenCount('2026-11-02T10:00:09.000Z', 350, 50),
    tokenCount('2026-11-02T10:00:09.500Z', 400, 50),
  ]);
  assert.deepEqual(
    events.map((found) => found?.map(({ input }) => input)),
    [[], [], [50], [50]],
  );
});

test('gemini: lines that are not understood do not hide the others', () => {
  const message = {
    id: 'm1',
    timestamp: AT,
    type: 'gemini',
    model: 'gemini-3.5-flash',
    tokens: { input: 10, cached: 4, output: 2, thoughts: 3, tool: 1 },
  };
  const [events] = read('gemini', 'shop/chats/session-1.jsonl', [
    `{"sessionId":"one"}\n{"tokens":\n${JSON.stringify(message)}\n{"half`,
  ]);
  assert.deepEqual(events, [
    {
      key: 'm1',
      at: Date.parse(AT),
      model: 'gemini-3.5-flash',
      project: 'shop',
      input: 7,
      output: 5,
      cacheWrite: 0,
      cacheWriteHour: 0,
      cacheRead: 4,
      rank: 16,
    },
  ]);
});

const REFUSED: readonly [string, AgentId, unknown][] = [
  ['a half line', 'claude', JSON.stringify(claudeEntry({ input_tokens: 1, output_tokens: 1 })).slice(0, -9)],
  ['no JSON around usage', 'claude', '{nonsense "usage":{ }'],
  ['an array', 'claude', '[1]'],
  ['negative tokens', 'claude', claudeEntry({ input_tokens: -1, output_tokens: 1 })],
  ['tokens with fractions', 'claude', claudeEntry({ input_tokens: 1.5, output_tokens: 1 })],
  ['more tokens than any model takes', 'claude', claudeEntry({ input_tokens: 1e15, output_tokens: 1 })],
  ['tokens as text', 'claude', claudeEntry({ input_tokens: '1', output_tokens: 1 })],
  ['an invalid time', 'claude', claudeEntry({ input_tokens: 1, output_tokens: 1 }, { timestamp: 'now' })],
  [
    'a time before the assistants',
    'claude',
    claudeEntry({ input_tokens: 1, output_tokens: 1 }, { timestamp: '1970-01-01T00:00:00Z' }),
  ],
  [
    'counters of the wrong type',
    'codex',
    { timestamp: AT, type: 'event_msg', payload: { type: 'token_count', info: { last_token_usage: [1] } } },
  ],
  ['no counters and no time', 'codex', tokenCount('', 1, 1)],
  ['invalid UTF-8 instead of JSON', 'gemini', '\ufffd\ufffd'],
];

for (const [what, id, line] of REFUSED) {
  test(`${id}: ${what} is not understood`, () => {
    assert.deepEqual(read(id, 'p/chats/s.json', [line]), [undefined]);
  });
}

test('no line makes a reader throw, and no id or model carries a text', () => {
  const deep = `{"usage":{"token_count":${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
  const text = 'a sentence of the conversation';
  const foreign = [
    'null',
    '{}',
    deep,
    Buffer.from([0x7b, 0xff, 0xfe, 0x7d]).toString('latin1'),
    claudeEntry(
      { input_tokens: 1, output_tokens: 1 },
      {
        sessionId: text,
        requestId: text,
        message: { id: text, model: text, usage: { input_tokens: 1, output_tokens: 1 } },
      },
    ),
  ];
  for (const id of AGENTS) assert.ok(!JSON.stringify(read(id, 'p/chats/s.jsonl', foreign)).includes(text), id);
});

test('folders are those of the variables, else those of the home folder', () => {
  const folders = (id: AgentId, env: NodeJS.ProcessEnv) => agentLogs(id).folders(env, HOME);
  assert.deepEqual(folders('claude', {}), ['/home/me/.config/claude/projects', '/home/me/.claude/projects']);
  assert.deepEqual(folders('claude', { CLAUDE_CONFIG_DIR: '/a, ~/b/projects,' }), [
    '/a/projects',
    '/home/me/b/projects',
  ]);
  assert.deepEqual(folders('codex', { CODEX_HOME: '/c' }), ['/c/sessions', '/c/archived_sessions']);
  assert.deepEqual(folders('codex', { CODEX_HOME: '' }), [
    '/home/me/.codex/sessions',
    '/home/me/.codex/archived_sessions',
  ]);
  assert.deepEqual(folders('gemini', { GEMINI_CLI_HOME: '/g' }), ['/g/.gemini/tmp']);
});
