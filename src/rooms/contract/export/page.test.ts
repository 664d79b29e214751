import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../domain/message/message.ts';
import { markdownPage } from './page.ts';

test('the longest message of only backticks is exported', () => {
  const body = '` '.repeat(2 ** 19);
  const message = {
    author: { name: 'Ana' },
    body,
    format: 'plain',
    card: null,
    attachments: [],
    reactions: [],
    createdAt: 0,
    threadId: null,
    replyTo: null,
  } as unknown as Message;
  assert.ok(markdownPage.message(message).includes(`\`\`\`\n${body}\n\`\`\``));
});
