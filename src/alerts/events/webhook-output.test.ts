import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { eventually } from '../../testing/eventually.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { type SinkAnswer, startHttpSink } from '../../testing/http/sink.ts';
import { openTestClient } from '../testing/notifier-parts.ts';
import { type WebhookConfig, WebhookOutput } from './webhook-output.ts';

async function openOutput(
  t: TestContext,
  config: Partial<WebhookConfig>,
  answer: (index: number) => SinkAnswer = () => ({}),
) {
  const sink = await startHttpSink(t, (_, index) => answer(index));
  const clock = new FakeClock();
  const lines: string[] = [];
  const drops: number[] = [];
  const url = new URL(`${sink.url}/s3cr3t?token=t0ken`).href;
  const output = new WebhookOutput(
    { ...NONE, url, ...config },
    {
      openHttp: () => openTestClient(t),
      dropped: (_, count) => drops.push(count),
      clock,
      log: createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => lines.push(line) }),
    },
  );
  const bodies = () => sink.requests.map(({ body }) => body);
  return { sink, clock, output, lines, drops, bodies };
}

const NONE: Omit<WebhookConfig, 'url'> = {
  httpConfig: undefined,
  timeout: undefined,
  workers: undefined,
  maxRetries: undefined,
  retryBackoff: undefined,
  batch: false,
  batchMaxEvents: undefined,
  batchMaxBytes: undefined,
  batchFlushInterval: undefined,
};

test('each event is a request of its own, and closing sends the last', async (t) => {
  const { output, sink, bodies } = await openOutput(t, {});
  await output.send(['{"a":1}', '{"a":2}']);
  await output.close();
  assert.deepEqual(bodies().sort(), ['{"a":1}', '{"a":2}']);
  assert.deepEqual(
    [sink.requests[0]?.path, sink.requests[0]?.headers['content-type']],
    ['/s3cr3t?token=t0ken', 'application/json'],
  );
  assert.equal(output.name, `webhook:${sink.url}`);
});

test('a batch is an array, sent when it is full or when its first event has waited', async (t) => {
  const { output, clock, bodies } = await openOutput(t, { batch: true, batchMaxEvents: 2, workers: 1 });
  await output.send(['1', '2', '3']);
  await eventually('the full batch', async () => bodies().length === 1);
  await eventually('the rest', async () => {
    clock.advance(100);
    return bodies().length === 2;
  });
  await output.send(['4']);
  await output.close();
  assert.deepEqual(bodies(), ['[1,2]', '[3]', '[4]']);
});

test('a batch has a maximum size, which a single event may exceed', async (t) => {
  const { output, bodies } = await openOutput(t, { batch: true, batchMaxBytes: 10, workers: 1 });
  await output.send(['"aaa"', '"bbbbbbbbbbbbbbbb"', '1', '2']);
  await output.close();
  assert.deepEqual(bodies(), ['["aaa"]', '["bbbbbbbbbbbbbbbb"]', '[1,2]']);
});

test('a request is repeated twice, later each time, and then dropped; its URL is in no line', async (t) => {
  const { output, clock, lines, bodies } = await openOutput(t, { workers: 1 }, (index) => ({
    status: index < 3 ? 500 : 200,
  }));
  await output.send(['1', '2']);
  await eventually('the first attempt has failed', async () => lines.length === 1);
  clock.advance(499);
  assert.equal(bodies().length, 1);
  clock.advance(1);
  await eventually('the second attempt has failed', async () => lines.length === 2);
  clock.advance(1_000);
  await eventually('the next event', async () => bodies().length === 4);
  await output.close();
  assert.deepEqual(bodies(), ['1', '1', '1', '2']);
  assert.match(lines.at(-1) ?? '', /level=ERROR msg="events are dropped, as the webhook does not take them"/);
  assert.doesNotMatch(lines.join(''), /s3cr3t|t0ken/);
});

test('while the webhook hangs, 1024 events wait, later ones are dropped, and closing gives up in time', async (t) => {
  const { output, clock, sink, drops, lines } = await openOutput(t, {}, () => 'hang');
  await output.send(Array.from({ length: 1024 }, (_, index) => String(index)));
  await eventually('its workers are busy', async () => sink.requests.length === 4);
  await output.send(['a', 'b', 'c', 'd', 'e', 'f']);
  assert.deepEqual(drops, [2]);
  const closing = output.close();
  clock.advance(5_000);
  await closing;
  assert.equal(sink.requests.length, 4);
  assert.deepEqual(drops, [2, 1024]);
  assert.match(
    lines[1] ?? '',
    /msg="events are dropped, as the webhook is too slow for the stop" output=\S+ events=1024/,
  );
  assert.ok(lines.length < 20, lines.join(''));
});
