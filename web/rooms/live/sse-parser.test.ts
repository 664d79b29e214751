import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SseParser, type StreamEvent } from './sse-parser.ts';

const STREAM =
  'retry: 2000\nevent: hello\ndata: {"pos":1}\n\n: hb\n\nid: e-2\nevent: message.created\ndata: a\ndata: b\n\nevent: typing\ndata:x\n\n';
const EVENTS: readonly StreamEvent[] = [
  { event: 'hello', data: '{"pos":1}', id: '' },
  { event: 'message.created', data: 'a\nb', id: 'e-2' },
  { event: 'typing', data: 'x', id: '' },
];

for (const [name, end] of [
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
] as const) {
  test(`a stream with ${name} is read the same for every cut`, () => {
    const text = `${STREAM.replaceAll('\n', end)}:end\n`;
    for (let cut = 0; cut <= text.length; cut++) {
      const parser = new SseParser();
      assert.deepEqual([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))], EVENTS, `cut at ${cut}`);
      assert.equal(parser.retryMs, 2000);
    }
  });
}

test('an event without an id has none: it cannot move the resume position', () => {
  const parser = new SseParser();
  const events = parser.push('id: e-1\ndata: a\n\ndata: b\n\n');
  assert.deepEqual(
    events.map(({ id }) => id),
    ['e-1', ''],
  );
});

test('an event that is cut off is dropped', () => {
  assert.deepEqual(new SseParser().push('data: half'), []);
});
