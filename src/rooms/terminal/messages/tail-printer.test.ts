import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTerminal } from '../../../testing/fake/terminal.ts';
import type { WireMessage } from '../../contract/message.ts';
import { TailPrinter } from './tail-printer.ts';

const AT = '2030-01-01T12:00:00.000Z';

function message(parts: Partial<WireMessage>): WireMessage {
  return {
    id: 'answer-1',
    roomId: 'r1',
    seq: 1,
    author: { id: 'copilot', name: 'copilot', kind: 'copilot' },
    type: 'text',
    body: '',
    format: 'markdown',
    thread: null,
    mentions: { users: [], room: false, copilot: false },
    run: null,
    threadId: null,
    replyTo: null,
    alsoInRoom: false,
    attachments: [],
    card: null,
    silent: false,
    reactions: [],
    status: 'complete',
    pinned: false,
    deleted: false,
    deletedAt: null,
    deletedBy: null,
    deleteReason: null,
    edited: null,
    version: 1,
    createdAt: AT,
    updatedAt: AT,
    ...parts,
  };
}

function openPrinter() {
  const terminal = new FakeTerminal();
  const printer = new TailPrinter(terminal, [], false);
  const show = (event: string, parts: Partial<WireMessage>) =>
    printer.message({ event, cursor: 'e-1', data: {}, message: message(parts) });
  return {
    printer,
    show,
    begin: () => show('message.created', { status: 'streaming' }),
    delta: (offset: number, text: string) =>
      printer.passing('message.delta', { messageId: 'answer-1', runId: 'run-1', offset, text }),
    snapshot: (text: string) =>
      printer.passing('message.snapshot', { messageId: 'answer-1', runId: 'run-1', offset: text.length, text }),
    /** Without the time, printed in the zone of the test machine. */
    printed: () => terminal.stdout.replace(/\d\d-\d\d \d\d:\d\d/g, 'T'),
  };
}

test('a streamed message grows on its line, and ends with it', () => {
  const { begin, delta, show, printed } = openPrinter();
  begin();
  delta(0, 'one ');
  delta(4, 'two');
  assert.equal(printed(), 'T copilot: one two');
  show('message.updated', { body: 'one two three', version: 2 });
  assert.equal(printed(), 'T copilot: one two three\n');
});

test('known text is not printed again, and missed text is printed by a snapshot', () => {
  const { begin, delta, snapshot, show, printed } = openPrinter();
  begin();
  delta(0, 'one ');
  delta(0, 'one ');
  delta(8, 'three');
  snapshot('one two three');
  delta(13, '!');
  show('message.updated', { body: 'one two three!', version: 2 });
  assert.equal(printed(), 'T copilot: one two three!\n');
});

test('a streamed message interrupted by others is printed whole at its end', () => {
  const { begin, delta, show, printed } = openPrinter();
  begin();
  delta(0, 'one ');
  show('message.created', { id: 'message-2', seq: 2, author: { id: 'ana', name: 'ana', kind: 'human' }, body: 'wait' });
  delta(4, 'two');
  show('message.updated', { body: 'one two', version: 2 });
  assert.equal(printed(), 'T copilot: one \nT ana: wait\nT copilot: one two\n');
});

test('a message that ends otherwise than it was streamed is printed anew', () => {
  const { begin, delta, show, printed } = openPrinter();
  begin();
  delta(0, 'half of');
  show('message.updated', { body: 'nothing', status: 'failed', version: 2 });
  assert.equal(printed(), 'T copilot: half of\nT copilot: nothing\n        (failed)\n');
});

test('streamed words cannot command the terminal', () => {
  const { begin, delta, printed } = openPrinter();
  begin();
  delta(0, 'a\u001b[2Jb\nc');
  assert.equal(printed(), 'T copilot: a\\u{1b}[2Jb\n        c');
});
