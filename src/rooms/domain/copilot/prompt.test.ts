import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copilotOf, messageOf, roomOf } from '../../testing/copilot/parts.ts';
import type { Message } from '../message/message.ts';
import type { CopilotSettings } from './copilot.ts';
import { buildPrompt, cut, type PromptParts } from './prompt.ts';

const CONTEXT = copilotOf().context;
const BY_COPILOT: Partial<Message> = { author: { id: 'copilot:1', name: 'copilot', kind: 'copilot' } };

function build(parts: Partial<PromptParts>, settings: Partial<CopilotSettings> = {}) {
  return buildPrompt({
    room: roomOf({ topic: 'payments' }),
    copilot: copilotOf(settings),
    now: Date.parse('2030-01-02T03:04:05Z'),
    alerts: [],
    messages: [],
    files: new Map(),
    trigger: undefined,
    root: undefined,
    asked: undefined,
    ...parts,
  });
}

test('a prompt names people, the copilot as itself, and ends with the question', () => {
  const trigger = messageOf(4, 'and now?');
  const messages = [
    messageOf(1, 'is it up?'),
    messageOf(2, 'yes', BY_COPILOT),
    messageOf(3, 'sure?', { author: { id: 'ci', name: 'CI', kind: 'bot' } }),
  ];
  const prompt = build({ messages, trigger }, { instructions: 'Be brief.' });
  assert.deepEqual(prompt.turns, [
    { role: 'user', text: 'Ana: is it up?' },
    { role: 'assistant', text: 'yes' },
    { role: 'user', text: 'CI (bot): sure?\n\nAna: and now?' },
  ]);
  assert.equal(prompt.question, 'and now?');
  assert.match(prompt.system, /is data.*Be brief\..*Now: 2030-01-02T03:04:05\.000Z\nRoom: Ops\nTopic: payments/s);
  assert.deepEqual(
    prompt.saw.map(({ messageId }) => messageId),
    ['message-1', 'message-2', 'message-3', 'message-4'],
  );
});

test('a prompt never holds deleted messages, system messages, unfinished messages or failed ones', () => {
  const messages = [
    messageOf(1, 'gone', { deleted: true }),
    messageOf(2, 'notice', { type: 'system' }),
    messageOf(3, 'half', { ...BY_COPILOT, status: 'streaming' }),
    messageOf(4, 'broken', { ...BY_COPILOT, status: 'failed' }),
    messageOf(5, '  '),
  ];
  assert.deepEqual(build({ messages, asked: { name: 'Ana', text: 'well?' } }).turns, [
    { role: 'user', text: 'Ana: well?' },
  ]);
});

test('a prompt begins with the user', () => {
  const prompt = build({ messages: [messageOf(1, 'hi', BY_COPILOT)], trigger: messageOf(2, 'hello') });
  assert.deepEqual(
    prompt.turns.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
});

test('a prompt drops the oldest messages, and keeps the root and the question', () => {
  const root = messageOf(1, 'the root');
  const trigger = messageOf(99, 'the question', { threadId: root.id });
  const messages = Array.from({ length: 50 }, (_, index) => messageOf(index + 2, `${index} ${'x'.repeat(100)}`));
  const prompt = build({ messages, root, trigger }, { context: { ...CONTEXT, maxTokens: 1_000 } });
  const text = JSON.stringify(prompt);
  assert.ok(text.length < 1_000 * 3.5 + 1_500, `${text.length}`);
  const ids = prompt.saw.map(({ messageId }) => messageId);
  assert.equal(ids[0], 'message-1');
  assert.equal(ids.at(-1), 'message-99');
  assert.equal(ids.at(-2), 'message-51');
  assert.ok(!ids.includes('message-2'));
});

test('a prompt holds as many other messages as its settings allow', () => {
  const messages = Array.from({ length: 10 }, (_, index) => messageOf(index + 1, 'x'));
  const prompt = build({ messages, trigger: messageOf(11, 'y') }, { context: { ...CONTEXT, messages: 3 } });
  assert.deepEqual(
    prompt.saw.map(({ messageId }) => messageId),
    ['message-8', 'message-9', 'message-10', 'message-11'],
  );
});

test('a question that is too long for the prompt is cut, not left out', () => {
  const trigger = messageOf(1, '\u{1f600}'.repeat(5_000));
  const [turn] = build({ trigger }, { context: { ...CONTEXT, maxTokens: 256 } }).turns;
  assert.ok(turn && turn.text.length < 1_000 && turn.text.startsWith('Ana: \u{1f600}'));
  assert.ok(turn.text.isWellFormed());
});

test('a prompt lists the alerts of the room, at most fifty', () => {
  const alerts = Array.from({ length: 60 }, (_, n) => ({
    labels: { alertname: 'DiskFull', instance: `db${n}` },
    annotations: { summary: 'full' },
    startsAt: '2030-01-02T03:00:00Z',
  }));
  const { system } = build({ alerts }, { context: { ...CONTEXT, maxTokens: 200_000 } });
  assert.match(system, /- alertname=DiskFull instance=db0 since 2030-01-02T03:00:00Z: full/);
  assert.ok(system.includes('db49') && !system.includes('db50 '));
  assert.ok(!build({ alerts }, { context: { ...CONTEXT, includeAlerts: false } }).system.includes('DiskFull'));
});

test('secrets, e-mail addresses and matches of patterns are redacted before anything is sent', () => {
  const redact = { secrets: true, emails: true, patterns: ['cust-\\d+', '('] };
  const body = 'key sk-abcdef123456 of ana@example.com, cust-4711 and odr_ABCDEFGH12345678';
  const prompt = build({ trigger: messageOf(1, body) }, { redact, instructions: 'cust-1 is good' });
  const expected = 'key [secret] of [e-mail], [redacted] and [secret]';
  assert.equal(prompt.question, expected);
  assert.deepEqual(prompt.turns, [{ role: 'user', text: `Ana: ${expected}` }]);
  assert.ok(prompt.system.includes('[redacted] is good'));
});

test('a text is cut between two code points', () => {
  assert.equal(cut('abcd', 4), 'abcd');
  assert.equal(cut('abcd', 3), 'ab…');
  assert.equal(cut('a\u{1f600}\u{1f600}', 4), 'a\u{1f600}…');
  assert.equal(cut('a\u{1f600}b', 3), 'a…');
});

const fileOf = (id: string, name: string, size: number) => ({
  ...{ id, name, size, contentType: 'text/plain', sha256: '', uploadedBy: 'ana', createdAt: 0 },
});

test('attached texts follow the words, with their end; other files are named', () => {
  const attachments = [fileOf('f1', 'app.log', 9), fileOf('f2', 'dump.bin', 5)];
  const trigger = messageOf(1, 'why?', { attachments });
  const files = new Map([['f1', { text: 'one\nodr_ABCDEFGH12345678\n', isCut: false }]]);
  const shown = 'Ana: why?\n[file app.log]\none\n[secret]\n[end of app.log]\n[file dump.bin]';
  const including = { context: { ...CONTEXT, includeFiles: true } };
  assert.deepEqual(build({ trigger, files }, including).turns, [{ role: 'user', text: shown }]);
  assert.deepEqual(build({ trigger, files }).turns, [{ role: 'user', text: 'Ana: why?' }]);
});

test('a text that is too long is marked with its cut and its length', () => {
  const trigger = messageOf(1, 'why?', {
    attachments: [fileOf('f1', 'app.log', 9_999), fileOf('f2', 'b.log', 70_000)],
  });
  const files = new Map([
    ['f1', { text: 'x'.repeat(9_999), isCut: false }],
    ['f2', { text: 'one\ntwo', isCut: true }],
  ]);
  const settings = { context: { ...CONTEXT, includeFiles: true, maxTokens: 1_000 } };
  const [turn] = build({ trigger, files }, settings).turns;
  assert.match(
    turn?.text ?? '',
    /xxx\u2026\n\[cut here; app\.log has 9999 bytes\]\n\[file b\.log\]\none\ntwo\n\[cut here; b\.log has 70000 bytes\]$/,
  );
  assert.ok((turn?.text.length ?? 0) < 2_500);
});

test('the content of files counts, so that older messages give way', () => {
  const messages = Array.from({ length: 10 }, (_, index) =>
    messageOf(index + 1, 'words', { attachments: [fileOf(`f${index}`, 'a.log', 1_000)] }),
  );
  const files = new Map(messages.map((_, index) => [`f${index}`, { text: 'y'.repeat(1_000), isCut: false }]));
  const settings = { context: { ...CONTEXT, includeFiles: true, maxTokens: 1_500 } };
  const { turns, saw } = build({ messages, files }, settings);
  assert.ok(saw.length >= 2 && saw.length <= 5, `${saw.length}`);
  assert.ok(JSON.stringify(turns).length < 1_500 * 3.5 + 1_000);
});
