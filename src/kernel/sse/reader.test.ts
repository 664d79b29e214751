import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { type SseEvent, type SseItem, SseReader, type SseReaderOptions } from './reader.ts';

function read(stream: string | Uint8Array, options?: SseReaderOptions): SseItem[] {
  return new SseReader(options).push(Buffer.from(stream));
}

function event(data: string, { event = 'message', id = '' } = {}): SseEvent {
  return { kind: 'event', event, data, id };
}

function comment(text: string): SseItem {
  return { kind: 'comment', text };
}

const BOM = '\uFEFF';

const GRAMMAR: Record<string, [stream: string, items: SseItem[]]> = {
  'an event without a name is a message': ['data: 1\n\n', [event('1')]],
  'an event has the name that it is given': ['event: put\ndata: 1\n\n', [event('1', { event: 'put' })]],
  'an empty name is a message': ['event: put\nevent:\ndata: 1\n\n', [event('1')]],
  'a name counts for one event': ['event: put\ndata: 1\n\ndata: 2\n\n', [event('1', { event: 'put' }), event('2')]],
  'a name alone is not an event, and is dropped': ['event: put\n\ndata: 1\n\n', [event('1')]],
  'data lines are joined by line feeds': ['data: a\ndata:\ndata: b\n\n', [event('a\n\nb')]],
  'an empty data line is an event with empty data': ['data\n\ndata:\n\n', [event(''), event('')]],
  'one space after the colon goes, the second stays': [
    'data:a\n\ndata: b\n\ndata:  c\n\n',
    [event('a'), event('b'), event(' c')],
  ],
  'a value may contain colons': ['data: {"a":1}\n\n', [event('{"a":1}')]],
  'a space before the colon makes another field': ['data : 1\n\ndata: 2\n\n', [event('2')]],
  'field names are case-sensitive, unknown ones ignored': ['Data: 1\nfoo: 2\nfoo\ndata: 3\n\n', [event('3')]],
  'lines end with CR, LF or CRLF': [
    'data: 1\rdata: 2\r\rdata: 3\r\n\r\ndata: 4\n\n',
    [event('1\n2'), event('3'), event('4')],
  ],
  'LF after LF and CR after CR are blank lines': ['data: 1\n\rdata: 2\n\r\n', [event('1'), event('2')]],
  'a byte order mark goes, at the start only': [`${BOM}data: 1\n\n${BOM}data: 2\n\n`, [event('1')]],
  'a second byte order mark belongs to the field': [`${BOM}${BOM}data: 1\n\n`, []],
  'a line of a byte order mark alone is blank': [`${BOM}\ndata: 1\n\n`, [event('1')]],
  'comments are reported, also within an event': [':\n\ndata: 1\n: hb\n\n', [comment(''), comment(' hb'), event('1')]],
  'an event cut off by the end is dropped': ['data: 1\n\ndata: 2\n', [event('1')]],
  'an id stays until another comes': [
    'id: 7\ndata: 1\n\ndata: 2\n\nid\ndata: 3\n\n',
    [event('1', { id: '7' }), event('2', { id: '7' }), event('3')],
  ],
  'an id with NUL is ignored': [
    'id: 7\ndata: 1\n\nid: 8\0\ndata: 2\n\n',
    [event('1', { id: '7' }), event('2', { id: '7' })],
  ],
  'a retry of digits is reported': ['retry: 2500\n\n', [{ kind: 'retry', retryMs: 2500 }]],
  'a retry of anything else is ignored': [
    'retry: 2.5\nretry: -1\nretry: 1e3\nretry:\nretry:  1\nretry: ٣\ndata: 1\n\n',
    [event('1')],
  ],
  'text may be of any script': ['data: Grüße, 東京 🚨\n\n', [event('Grüße, 東京 🚨')]],
};

describe('the grammar of an event stream', () => {
  for (const [rule, [stream, items]] of Object.entries(GRAMMAR)) {
    test(rule, () => assert.deepEqual(read(stream), items));
  }

  test('invalid UTF-8 becomes replacement characters', () => {
    const stream = Buffer.concat([Buffer.from('data: a'), Buffer.from([0xff, 0xe6, 0x9d]), Buffer.from('b\n\n')]);
    assert.deepEqual(read(stream), [event('a\uFFFD\uFFFDb')]);
  });
});

describe('the last event id', () => {
  test('moves on when the event is whole, not before', () => {
    const reader = new SseReader();
    reader.push(Buffer.from('id: 1\ndata: x\n\nid: 2\ndata: y\n'));
    assert.equal(reader.lastEventId, '1');
    reader.push(Buffer.from('\n'));
    assert.equal(reader.lastEventId, '2');
  });

  test('changes with an id without data', () => {
    const reader = new SseReader();
    assert.deepEqual(reader.push(Buffer.from('id: 1\n\n')), []);
    assert.equal(reader.lastEventId, '1');
  });

  test('continues from an earlier connection', () => {
    const reader = new SseReader({ lastEventId: '41' });
    assert.equal(reader.lastEventId, '41');
    assert.deepEqual(reader.push(Buffer.from('data: x\n\n')), [event('x', { id: '41' })]);
  });
});

describe('the limit of an event', () => {
  const tooBig: Record<string, string> = {
    'one line that does not end': `data: ${'x'.repeat(100)}`,
    'one whole line': `data: ${'x'.repeat(100)}\n\n`,
    'many lines': `${'data: x\n'.repeat(20)}\n`,
    'a comment': `:${'x'.repeat(100)}\n`,
    'lines of no known field': `${'foo: x\n'.repeat(20)}\n`,
  };
  for (const [what, stream] of Object.entries(tooBig)) {
    test(`${what}: above it the stream is refused, and all that follows`, () => {
      const reader = new SseReader({ maxEventBytes: 100 });
      const refusal = { name: 'OversizedEventError', message: 'an event of the stream is bigger than 100 bytes' };
      assert.throws(() => reader.push(Buffer.from(stream)), refusal);
      assert.throws(() => reader.push(Buffer.from('\n\ndata: 1\n\n')), refusal);
    });
  }

  test('applies to each event, not for the stream', () => {
    const stream = `data: ${'x'.repeat(90)}\n\n: heartbeat\n\n`.repeat(10);
    assert.equal(read(stream, { maxEventBytes: 100 }).length, 20);
  });
});

/** Lines of fields, comments and nonsense with line ends of each kind, and now and then invalid UTF-8. */
function randomStream(random: Random): Buffer {
  const openings = ['data: ', 'data: ', 'data:', 'event: ', 'id: ', 'retry: ', ':', 'data', 'foo: ', BOM, ''];
  const words = ['a', ' ', '17', 'ü', '東', '🚨', ':', '\0', BOM, Buffer.from([0xe6, 0x9d]), Buffer.from([0xff])];
  const ends = ['\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n'];
  const parts: (string | Buffer)[] = [];
  for (let lines = random.int(1, 20); lines > 0; lines--) {
    parts.push(random.pick(openings), ...random.some(words, 4), random.pick(ends));
  }
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function cutAnywhere(stream: Buffer, random: Random): Buffer[] {
  const longest = random.pick([1, 2, 7, 40]);
  const chunks: Buffer[] = [];
  for (let start = 0; start < stream.length; ) {
    const end = start + random.int(0, longest);
    chunks.push(stream.subarray(start, end));
    start = end;
  }
  return chunks;
}

/** The events of a whole stream, found in the way that the standard's text goes. */
function interpret(stream: Buffer): { events: SseEvent[]; lastEventId: string } {
  const events: SseEvent[] = [];
  let [name, data, id, lastEventId] = ['', '', '', ''];
  const lines = new TextDecoder().decode(stream).split(/\r\n|\r|\n/);
  for (const line of lines.slice(0, -1)) {
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === '') {
      lastEventId = id;
      if (data !== '') events.push(event(data.slice(0, -1), { event: name || 'message', id }));
      [name, data] = ['', ''];
    } else if (field === 'event') name = value;
    else if (field === 'data') data += `${value}\n`;
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
  return { events, lastEventId };
}

describe('chunks', () => {
  test('a stream cut at any bytes has the events that the standard finds in the whole', () => {
    const random = new Random(20260);
    let found = 0;
    for (let round = 0; round < 3000; round++) {
      const stream = randomStream(random);
      const { events, lastEventId } = interpret(stream);
      const whole = new SseReader();
      const items = whole.push(stream);
      const cut = new SseReader();
      const cutItems = cutAnywhere(stream, random).flatMap((chunk) => cut.push(chunk));
      const shown = JSON.stringify(stream.toString('latin1'));
      assert.deepEqual(
        items.filter(({ kind }) => kind === 'event'),
        events,
        shown,
      );
      assert.deepEqual(cutItems, items, shown);
      assert.deepEqual([whole.lastEventId, cut.lastEventId], [lastEventId, lastEventId], shown);
      found += events.length;
    }
    assert.ok(found > 3000, `only ${found} events: the generator makes streams of nothing`);
  });

  test('an event is reported at the CR that ends it, and the LF in the next chunk is not a blank line', () => {
    const reader = new SseReader();
    assert.deepEqual(reader.push(Buffer.from('data: 1\r\n\r')), [event('1')]);
    assert.deepEqual(reader.push(Buffer.from('\ndata: 2\r')), []);
    assert.deepEqual(reader.push(Buffer.from('')), []);
    assert.deepEqual(reader.push(Buffer.from('\n\n')), [event('2')]);
  });

  test('the bytes of a chunk may be reused after the call', () => {
    const reader = new SseReader();
    const chunk = Buffer.from('data: on');
    reader.push(chunk);
    chunk.fill('!');
    assert.deepEqual(reader.push(Buffer.from('e\n\n')), [event('one')]);
  });

  test('an event of 12 MB in 12,000 chunks is whole', () => {
    const data = '0123456789abcdef'.repeat(750_000);
    const stream = Buffer.from(`event: put\ndata: ${data}\n\n`);
    const reader = new SseReader();
    const items: SseItem[] = [];
    for (let start = 0; start < stream.length; start += 1000)
      items.push(...reader.push(stream.subarray(start, start + 1000)));
    assert.equal(items.length, 1);
    assert.ok((items[0] as SseEvent).data === data);
  });
});
