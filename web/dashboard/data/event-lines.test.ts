import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BadLines, readEventLines } from './event-lines.ts';

const ignore = () => {};

/** The text's bytes in pieces of that size. */
function streamOf(text: string, size: number, onCancel = () => {}): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
    cancel: onCancel,
  });
}

const ABOUT = { user: 'info', totalUsageEventsCount: 3 };
const EVENTS = [{ model: 'größer, "4"' }, { model: 'a\nb' }, { timestamp: '1780402687672' }];
const TEXT = `${[ABOUT, ...EVENTS].map((line) => JSON.stringify(line)).join('\n')}\n`;

test('law: events are the same for every cut of the answer, within letters as well', async () => {
  for (let size = 1; size <= TEXT.length + 1; size++) {
    const events: unknown[] = [];
    const { about, count } = await readEventLines(
      streamOf(TEXT, size),
      (some) => events.push(...some),
      () => {},
    );
    assert.equal(count, events.length);
    assert.deepEqual({ about, events }, { about: ABOUT, events: EVENTS }, `pieces of ${size} bytes`);
  }
});

test('progress grows by events up to the last one', async () => {
  const reported: number[] = [];
  await readEventLines(streamOf(TEXT, 8), ignore, (done, about) => {
    assert.deepEqual(about, ABOUT);
    reported.push(done);
  });
  assert.deepEqual(reported, [...reported].sort());
  assert.deepEqual([reported[0], reported.at(-1)], [0, 3]);
});

test('an answer without events is valid, with and without a last line feed', async () => {
  for (const text of [JSON.stringify(ABOUT), `${JSON.stringify(ABOUT)}\n`]) {
    assert.deepEqual(await readEventLines(streamOf(text, 5), ignore, ignore), { about: ABOUT, count: 0 });
  }
});

test('any other answer is refused, and never read as "no events"', async () => {
  for (const text of ['', '[]\n', 'null\n', '<!doctype html>\n<p>Sign in</p>\n', `${TEXT}{"model":`]) {
    await assert.rejects(readEventLines(streamOf(text, 16), ignore, ignore), BadLines, JSON.stringify(text));
  }
});

test('an aborted read ends the stream', async () => {
  let isCancelled = false;
  const stream = streamOf(TEXT.repeat(100), 8, () => {
    isCancelled = true;
  });
  const giveUp = () => {
    throw new Error('given up');
  };
  await assert.rejects(readEventLines(stream, ignore, giveUp), /given up/);
  assert.equal(isCancelled, true);
});
