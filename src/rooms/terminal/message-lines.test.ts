import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chalk } from 'chalk';
import { HANG_MS } from '../../testing/eventually.ts';
import { assertLinear } from '../../testing/linear-time.ts';
import type { WireMessage } from '../contract/message.ts';
import { messageLines } from './message-lines.ts';

const colors = new Chalk({ level: 0 });

const messageOf = (body: string, name = 'Ana') =>
  ({
    id: 'message-1',
    roomId: 'ops',
    seq: 1,
    author: { id: 'ana', name, kind: 'human' },
    type: 'text',
    body,
    threadId: null,
    alsoInRoom: false,
    attachments: [{ id: 'file\u009b1', name: 'a\x1b[2Jb.txt', size: 3 }],
    card: null,
    status: 'complete',
    deleted: false,
    createdAt: '2030-01-02T03:04:05Z',
  }) as unknown as WireMessage;

test('no message takes long to be printed', { timeout: HANG_MS }, () => {
  for (const piece of ['\n', ' ', '\x1b', '\r', 'a\n'])
    assertLinear(
      JSON.stringify(piece),
      (length) => `a${piece.repeat(length / piece.length)}a`,
      (body) => messageLines(messageOf(body), { colors }),
    );
});

test('nothing in a message commands the terminal', () => {
  const hostile = '\x1b]0;owned\x07 \x1b[2J \u009b2J \u202e \u2066 \u200b \ufeff\r\n\x1b[1A';
  const text = messageLines(messageOf(hostile, 'A\u200bna\x1b[31m'), { colors });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/);
  assert.match(text, /owned/);
});
