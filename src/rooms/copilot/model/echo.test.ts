import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../../kernel/clock.ts';
import { EchoProvider, readEchoOptions } from './echo.ts';
import { ModelError } from './model.ts';

const PLAIN = { delayMs: 0, tokens: null, failAfter: null, script: null };

test('the options of the echo follow its name; invalid ones are ignored', () => {
  assert.deepEqual(readEchoOptions('echo'), PLAIN);
  assert.deepEqual(readEchoOptions('echo?delayMs=20&tokens=7&failAfter=3&script=a%20b'), {
    delayMs: 20,
    tokens: 7,
    failAfter: 3,
    script: 'a b',
  });
  assert.deepEqual(readEchoOptions('echo?delayMs=-1&tokens=many&failAfter='), PLAIN);
  assert.equal(readEchoOptions('echo?delayMs=999999999').delayMs, 10_000);
});

function stream(model: string, question: string, maxOutputTokens = 100, signal = new AbortController().signal) {
  const target = { kind: 'echo', baseUrl: '', model, allowPrivate: false, apiKey: undefined, name: 'n' } as const;
  const request = { target, question, maxOutputTokens, system: '', turns: [], temperature: null, connectMs: 1 };
  return new EchoProvider(systemClock).stream(request, signal);
}

async function read(parts: ReturnType<typeof stream>) {
  let text = '';
  let finish: string | undefined;
  for await (const part of parts) {
    if (part.kind === 'text') text += part.text;
    if (part.kind === 'finish') finish = part.reason;
  }
  return [text, finish];
}

test('the echo answers the words of the question, or its script, for the given time', async () => {
  assert.deepEqual(await read(stream('echo', ' one\n two ')), ['echo: one two', 'stop']);
  assert.deepEqual(await read(stream('echo', '')), ['echo:', 'stop']);
  assert.deepEqual(await read(stream('echo?script=all+is+well', 'x')), ['all is well', 'stop']);
  assert.deepEqual(await read(stream('echo?tokens=5', 'x')), ['echo: x echo: x echo:', 'stop']);
  assert.deepEqual(await read(stream('echo', 'a b c d', 3)), ['echo: a b', 'length']);
});

test('the echo fails on request', async () => {
  await assert.rejects(read(stream('echo?failAfter=2', 'a b c')), ModelError);
});

test('an echo that is cut off ends at once, and frees its turn', async () => {
  const slow = new AbortController();
  const waiting = read(stream('echo?delayMs=10000', 'a', 100, slow.signal));
  slow.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  const long = new AbortController();
  setImmediate(() => long.abort(new Error('enough')));
  await assert.rejects(read(stream('echo?tokens=100000', 'a', 100_000, long.signal)), /enough/);
});
