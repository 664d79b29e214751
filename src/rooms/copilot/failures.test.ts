import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { OutboundGuard, type Resolve } from '../outbound/outbound-guard.ts';
import { anthropicStream, type ModelScript, openAiStream } from '../testing/copilot/fake-model.ts';
import { openCopilotRoom } from '../testing/copilot/room.ts';
import { ModelConnections } from './model/http.ts';
import { OpenAiProvider } from './model/openai.ts';

const WHOLE: ModelScript = { stream: openAiStream(['all ', 'is ', 'well']) };
const chunk = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const content = (words: string) => chunk({ choices: [{ delta: { content: words } }] });
const [ROLE = '', ...REST] = openAiStream(['all ', 'is ', 'well']);

interface Row {
  readonly what: string;
  readonly scripts: readonly ModelScript[];
  readonly state: string;
  readonly body: string | RegExp;
  readonly code?: string;
  readonly finish?: string;
  readonly requests?: number;
}

const ROWS: readonly Row[] = [
  { what: 'an answer', scripts: [WHOLE], state: 'complete', body: 'all is well', finish: 'stop', requests: 1 },
  {
    what: 'a reset before the first token is tried again',
    scripts: ['reset', WHOLE],
    state: 'complete',
    body: 'all is well',
    requests: 2,
  },
  ...[408, 409, 429, 500, 503, 529].map((status) => ({
    what: `${status} before the first token is tried again`,
    scripts: [{ status, headers: { 'retry-after': '0' } }, WHOLE],
    state: 'complete',
    body: 'all is well',
    requests: 2,
  })),
  {
    what: 'after two retries it fails',
    scripts: [{ status: 503, headers: { 'retry-after': '0' }, body: '{"error":{"message":"down"}}' }],
    state: 'failed',
    code: 'provider_failed',
    body: 'No answer: the provider answered 503: down',
    requests: 3,
  },
  {
    what: 'a Retry-After of more than 20 s is not waited for',
    scripts: [{ status: 429, headers: { 'retry-after': '21' } }],
    state: 'failed',
    code: 'rate_limited',
    body: /429/,
    requests: 1,
  },
  {
    what: 'a Retry-After may be a date',
    scripts: [
      {
        status: 429,
        headers: { date: 'Sun, 06 Nov 1994 08:49:37 GMT', 'retry-after': 'Sun, 06 Nov 1994 08:49:58 GMT' },
      },
    ],
    state: 'failed',
    code: 'rate_limited',
    body: /429/,
    requests: 1,
  },
  {
    what: 'an overloaded error in the stream before the first token is tried again',
    scripts: [{ stream: [chunk({ error: { type: 'overloaded_error', message: 'busy' } })] }, WHOLE],
    state: 'complete',
    body: 'all is well',
    requests: 2,
  },
  {
    what: 'the same after the first token is not',
    scripts: [{ stream: [content('some'), chunk({ error: { type: 'overloaded_error', message: 'busy' } })] }],
    state: 'failed',
    code: 'overloaded',
    body: 'some',
    requests: 1,
  },
  {
    what: 'a connection that breaks off after the first token keeps the text',
    scripts: [{ stream: [content('some')], ending: 'reset' }],
    state: 'failed',
    code: 'cut_off',
    body: 'some',
    requests: 1,
  },
  ...[400, 401, 403, 404].map((status) => ({
    what: `${status} fails at once`,
    scripts: [{ status, body: '{"error":{"message":"it says no"}}' }],
    state: 'failed',
    code: status === 401 || status === 403 ? 'unauthorized' : 'refused',
    body: `No answer: the provider answered ${status}: it says no`,
    requests: 1,
  })),
  {
    what: 'a redirect is not followed',
    scripts: [{ status: 302, headers: { location: 'http://169.254.169.254/latest/meta-data' } }],
    state: 'failed',
    code: 'redirected',
    body: /redirect/,
    requests: 1,
  },
  {
    what: 'comments, unknown events and one chunk that is not JSON are skipped',
    scripts: [{ stream: [': hello\n\n', 'event: odd\ndata: {}\n\n', 'data: {"choices":\n\n', ROLE, ...REST] }],
    state: 'complete',
    body: 'all is well',
  },
  {
    what: 'two chunks that are not JSON end it',
    scripts: [{ stream: [content('some'), 'data: {"a":\n\n', 'data: nothing\n\n', ...REST] }],
    state: 'failed',
    code: 'malformed',
    body: 'some',
  },
  {
    what: 'without [DONE] an answer with its reason is whole',
    scripts: [{ stream: openAiStream(['all well'], { done: false }) }],
    state: 'complete',
    body: 'all well',
    finish: 'stop',
  },
  {
    what: 'without [DONE] and reason it was cut off',
    scripts: [{ stream: openAiStream(['all well'], { done: false, finish: '' }) }],
    state: 'failed',
    code: 'truncated',
    body: 'all well',
  },
  {
    what: 'an empty answer fails',
    scripts: [{ stream: openAiStream([' \n']) }],
    state: 'failed',
    code: 'empty_reply',
    body: 'No answer: the model gave an empty reply',
  },
  {
    what: 'a chunk of usage without choices is understood',
    scripts: [
      {
        stream: [
          content('all well'),
          chunk({ choices: [{ delta: {}, finish_reason: 'length' }] }),
          chunk({ choices: null, usage: { prompt_tokens: 3, completion_tokens: 2 } }),
        ],
      },
    ],
    state: 'complete',
    body: 'all well',
    finish: 'length',
  },
  {
    what: 'what a model thinks is not shown',
    scripts: [{ stream: [chunk({ choices: [{ delta: { reasoning_content: 'hm, hm' } }] }), ROLE, ...REST] }],
    state: 'complete',
    body: 'all is well',
  },
];

for (const { what, scripts, state, body, code, finish, requests } of ROWS) {
  test(`copilot: ${what}`, async (t) => {
    const room = await openCopilotRoom(t);
    room.model.play(...scripts);
    const run = await room.ended(await room.post('@copilot how is it?'));
    assert.equal(run.state, state, JSON.stringify(run.error));
    assert.equal(run.error?.code, code);
    if (finish !== undefined) assert.equal(run.finishReason, finish);
    if (requests !== undefined) assert.equal(room.model.requests.length, requests);
    const message = await room.answer(run);
    if (typeof body === 'string') assert.equal(message.body, body);
    else assert.match(message.body, body);
    assert.equal(message.status, state === 'complete' ? 'complete' : 'failed');
    assert.deepEqual(message.run?.error ?? undefined, run.error ?? undefined);
  });
}

const SLOW: readonly {
  readonly what: string;
  readonly script: ModelScript;
  /** The limit that is reached; the others are longer. */
  readonly limit: 'firstTokenMs' | 'idleMs' | 'totalMs';
  readonly body: string | RegExp;
}[] = [
  { what: 'does not begin', script: 'hang', limit: 'firstTokenMs', body: /did not begin/ },
  {
    what: 'does not go on',
    script: { stream: [content('some')], ending: 'hang' },
    limit: 'idleMs',
    body: 'some',
  },
  {
    what: 'takes too long',
    script: { stream: [content('some')], ending: 'hang' },
    limit: 'totalMs',
    body: 'some',
  },
];

for (const { what, script, limit, body } of SLOW) {
  test(`copilot: a model that ${what} is given up; its text is kept`, async (t) => {
    const clock = new FakeClock();
    const timeouts = { firstTokenMs: 600_000, idleMs: 600_000, totalMs: 600_000, [limit]: 300_000 };
    const room = await openCopilotRoom(t, { clock, copilot: { timeouts } });
    room.model.play(script);
    const trigger = await room.post('@copilot how is it?');
    await room.model.received(1);
    if (script !== 'hang')
      await eventually('the text', () => {
        clock.advance(10);
        return room.published.some(({ type }) => type === 'message.delta');
      });
    clock.advance(300_000);
    const run = await room.ended(trigger);
    assert.deepEqual([run.state, run.error?.code], ['timed_out', 'timed_out']);
    assert.equal(room.model.requests.length, 1);
    const message = await room.answer(run);
    assert.equal(message.status, 'failed');
    if (typeof body === 'string') assert.equal(message.body, body);
    else assert.match(message.body, body);
  });
}

test('copilot: Anthropic is called by its own protocol and shows text alone', async (t) => {
  const room = await openCopilotRoom(t, { kind: 'anthropic', copilot: { temperature: 0.3 } });
  room.model.play({ stream: anthropicStream(['all ', 'is well']) });
  const run = await room.ended(await room.post('@copilot how is it?'));
  assert.equal(run.state, 'complete');
  assert.equal(run.finishReason, 'stop');
  assert.deepEqual(run.usage, { inputTokens: 13, outputTokens: 9 });
  const [request] = room.model.requests;
  assert.equal(request?.path, '/v1/messages');
  assert.equal(request?.headers['x-api-key'], 'sk-test-4f5b8c0d9e1a2b3c4d5e6f70');
  assert.equal(request?.headers['anthropic-version'], '2023-06-01');
  assert.equal(request?.headers.authorization, undefined);
  assert.equal(request?.body.max_tokens, 1024);
  assert.equal(request?.body.temperature, 0.3);
  assert.equal((await room.answer(run)).body, 'all is well');
});

test('copilot: an overloaded Anthropic is called again, a refused request is not', async (t) => {
  const room = await openCopilotRoom(t, { kind: 'anthropic' });
  const overloaded =
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
  room.model.play({ stream: [overloaded] }, { stream: anthropicStream(['well'], { done: false }) });
  assert.equal((await room.ended(await room.post('@copilot one'))).state, 'complete');
  assert.equal(room.model.requests.length, 2);
  const refused = 'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"no"}}\n\n';
  room.model.play({ stream: [refused] });
  assert.equal((await room.ended(await room.post('@copilot two'))).error?.code, 'provider_failed');
  assert.equal(room.model.requests.length, 3);
});

test('copilot: an Anthropic server that does not stream is understood', async (t) => {
  const room = await openCopilotRoom(t, { kind: 'anthropic' });
  const json = (value: object) => ({
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(value),
  });
  const content = [
    { type: 'thinking', thinking: 'hm' },
    { type: 'text', text: 'all is ' },
    { type: 'text', text: 'well' },
  ];
  const answer = { type: 'message', content, stop_reason: 'max_tokens', usage: { input_tokens: 3, output_tokens: 4 } };
  room.model.play(json(answer), json({ type: 'error', error: { type: 'invalid_request_error', message: 'no' } }));
  const run = await room.ended(await room.post('@copilot one'));
  assert.deepEqual([run.state, run.finishReason, run.error], ['complete', 'length', null]);
  assert.deepEqual(run.usage, { inputTokens: 3, outputTokens: 4 });
  assert.equal((await room.answer(run)).body, 'all is well');
  assert.equal((await room.ended(await room.post('@copilot two'))).error?.code, 'provider_failed');
});

test('copilot: a server that refuses a parameter is called without it from then on', async (t) => {
  const room = await openCopilotRoom(t, { copilot: { temperature: 1 } });
  const no = (message: string) => ({ status: 400, body: JSON.stringify({ error: { message } }) });
  room.model.play(
    no("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."),
    no('unknown field: stream_options'),
    no("'temperature' does not support 1"),
    WHOLE,
  );
  assert.equal((await room.ended(await room.post('@copilot one'))).state, 'complete');
  assert.equal((await room.ended(await room.post('@copilot two'))).state, 'complete');
  assert.equal(room.model.requests.length, 5);
  for (const { body } of room.model.requests.slice(3)) {
    assert.equal(body.max_completion_tokens, 1024);
    assert.ok(!('max_tokens' in body) && !('stream_options' in body) && !('temperature' in body));
  }
  assert.equal(room.model.requests[0]?.body.max_tokens, 1024);
});

test('copilot: a server that does not stream is understood', async (t) => {
  const room = await openCopilotRoom(t);
  const answer = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'all at once' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 5, completion_tokens: 3 },
  };
  room.model.play({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) });
  const run = await room.ended(await room.post('@copilot go'));
  assert.deepEqual([run.state, run.usage], ['complete', { inputTokens: 5, outputTokens: 3 }]);
  assert.equal((await room.answer(run)).body, 'all at once');
});

test('copilot: a name that resolves to a forbidden address at the time of the call is not called', async (t) => {
  let asked = 0;
  const resolve: Resolve = (_name, done) => {
    asked++;
    done(null, [{ address: '169.254.169.254', family: 4 }]);
  };
  const open = (connectTimeoutMs: number) => new OutboundGuard({ connectTimeoutMs, resolve });
  const connections = new ModelConnections(open);
  t.after(() => connections.close());
  const baseUrl = 'http://models.example.com/v1';
  const target = { kind: 'openai', baseUrl, model: 'm', allowPrivate: true, apiKey: 'k', name: 'n' } as const;
  const words = { system: '', turns: [], question: '', maxOutputTokens: 16, temperature: null, connectMs: 1_000 };
  const parts = new OpenAiProvider(connections).stream({ ...words, target }, new AbortController().signal);
  await assert.rejects(parts.next(), { code: 'forbidden_address' });
  assert.equal(asked, 1);
});

test('copilot: an answer as long as a message may be is cut between two code points', async (t) => {
  const room = await openCopilotRoom(t, { options: { maxBodyBytes: 1_024 } });
  room.model.play({ stream: openAiStream(['x', '\u{1f600}'.repeat(300)]) });
  const run = await room.ended(await room.post('@copilot long'));
  assert.equal(run.state, 'complete');
  assert.equal(run.finishReason, 'length');
  assert.equal((await room.answer(run)).body, `x${'\u{1f600}'.repeat(255)}`);
});
