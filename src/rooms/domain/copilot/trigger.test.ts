import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copilotOf, messageOf, ROOM_ID, roomOf, viewOf } from '../../testing/copilot/parts.ts';
import { NO_MENTIONS } from '../message/mention.ts';
import type { Message } from '../message/message.ts';
import type { Room } from '../room/room.ts';
import type { CopilotSettings } from './copilot.ts';
import { autoRunId, decideTrigger, namesCopilot } from './trigger.ts';

const CALLED: Partial<Message> = { mentions: { ...NO_MENTIONS, copilot: true } };
const by = (kind: Message['author']['kind'], id = 'ana'): Partial<Message> => ({ author: { id, name: id, kind } });

interface Row {
  readonly what: string;
  readonly copilot?: Partial<CopilotSettings> | null;
  readonly room?: Partial<Room>;
  readonly message?: Partial<Message>;
  readonly body?: string;
  readonly when: 'never' | 'now' | 'soon' | 'ifAnswered';
}

const ROWS: readonly Row[] = [
  { what: 'a mention asks', message: CALLED, when: 'now' },
  { what: 'a message without one does not', when: 'never' },
  { what: 'without a copilot nothing asks', copilot: null, message: CALLED, when: 'never' },
  { what: 'a copilot that is off is not asked', copilot: { enabled: false }, message: CALLED, when: 'never' },
  { what: 'nor one whose trigger is off', copilot: { trigger: 'off' }, message: CALLED, when: 'never' },
  {
    what: 'one that is asked by hand alone is not asked by a mention',
    copilot: { trigger: 'manual' },
    message: CALLED,
    when: 'never',
  },
  { what: 'a keyword asks', copilot: { triggerKeywords: ['Disk Full'] }, body: 'the disk full again', when: 'now' },
  { what: 'a part of a word is no keyword', copilot: { triggerKeywords: ['disk'] }, body: 'diskette', when: 'never' },
  {
    what: 'a keyword may be an emoji within a word',
    copilot: { triggerKeywords: ['🔥'] },
    body: 'on🔥now',
    when: 'now',
  },
  { what: 'a reply in a thread may ask', message: { threadId: 'message-1' }, when: 'ifAnswered' },
  { what: 'always: every message of a person asks', copilot: { trigger: 'always' }, when: 'soon' },
  {
    what: 'always: no message of a bot',
    copilot: { trigger: 'always', allowBots: true },
    message: by('bot'),
    when: 'never',
  },
  {
    what: 'alert: a new card that fires asks',
    copilot: { trigger: 'alert' },
    message: { ...by('bridge', 'hook:1'), type: 'alert', card: { state: 'firing' } },
    when: 'now',
  },
  {
    what: 'alert: one that is resolved does not',
    copilot: { trigger: 'alert' },
    message: { ...by('bridge', 'hook:1'), type: 'alert', card: { state: 'resolved' } },
    when: 'never',
  },
  { what: 'alert: words do not', copilot: { trigger: 'alert' }, message: CALLED, when: 'never' },
  { what: 'an alert does not ask where words do', message: { ...CALLED, type: 'alert' }, when: 'never' },
  { what: 'a guest is not listened to', message: { ...CALLED, ...by('human', 'kim') }, when: 'never' },
  {
    what: 'a guest is, where guests are',
    copilot: { triggerRoles: ['guest'] },
    message: { ...CALLED, ...by('human', 'kim') },
    when: 'now',
  },
  { what: 'a bot is not listened to', message: { ...CALLED, ...by('bot') }, when: 'never' },
  { what: 'a bot is, where bots are', copilot: { allowBots: true }, message: { ...CALLED, ...by('bot') }, when: 'now' },
  {
    what: 'a bot that answers is not',
    copilot: { allowBots: true },
    message: { ...CALLED, ...by('bot'), threadId: 'message-1' },
    when: 'never',
  },
  {
    what: 'a bridge is not, even where bots are',
    copilot: { allowBots: true },
    message: { ...CALLED, ...by('bridge') },
    when: 'never',
  },
  {
    what: 'a copilot never asks',
    copilot: { allowBots: true },
    message: { ...CALLED, ...by('copilot') },
    when: 'never',
  },
  { what: 'the system never asks', message: { ...CALLED, type: 'system' }, when: 'never' },
  { what: 'a command is done, not answered', message: { ...CALLED, type: 'command' }, when: 'never' },
  { what: 'what is silent or imported asks nothing', message: { ...CALLED, silent: true }, when: 'never' },
  { what: 'what was deleted asks nothing', message: { ...CALLED, deleted: true }, when: 'never' },
  { what: 'an archived room is left alone', room: { archived: true }, message: CALLED, when: 'never' },
];

for (const { what, copilot = {}, room = {}, message = {}, body = 'hello', when } of ROWS) {
  test(`copilot trigger: ${what}`, () => {
    const there = roomOf({ ...room, copilot: copilot && copilotOf(copilot) });
    const view = viewOf(there, { ana: 'member', kim: 'guest' });
    const event = { type: 'message.created', roomId: ROOM_ID, message: messageOf(2, body, message) } as const;
    assert.equal(decideTrigger(view, event).when, when);
  });
}

test('copilot trigger: an edit triggers nothing', () => {
  const event = { type: 'message.updated', roomId: ROOM_ID, message: messageOf(2, 'hello', CALLED) } as const;
  assert.equal(decideTrigger(viewOf(roomOf()), event).when, 'never');
});

test('copilot trigger: a question has one run id in each room', () => {
  assert.equal(autoRunId('r1', 'm1'), autoRunId('r1', 'm1'));
  assert.notEqual(autoRunId('r1', 'm1'), autoRunId('r2', 'm1'));
  assert.notEqual(autoRunId('r1', 'm1'), autoRunId('r1', 'm2'));
});

test('copilot trigger: a thread names the copilot among its writers, or as that of its root', () => {
  const id = `copilot:${ROOM_ID}`;
  const thread = { replies: 1, lastReplyAt: 0, participants: [id] };
  assert.equal(namesCopilot(messageOf(1, 'x', { thread }), ROOM_ID), true);
  assert.equal(namesCopilot(messageOf(1, 'x', { author: { id, name: 'copilot', kind: 'copilot' } }), ROOM_ID), true);
  assert.equal(namesCopilot(messageOf(1, 'x'), ROOM_ID), false);
});
