import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireCopilot } from '../../../src/rooms/contract/copilot.ts';
import type { WireMe } from '../../../src/rooms/contract/member.ts';
import type { WireMessage } from '../../../src/rooms/contract/message.ts';
import type { WireRoom } from '../../../src/rooms/contract/room.ts';
import { newId } from '../new-id.ts';
import { parsePath } from '../route.ts';
import { wantsNotification } from '../shell/notification-rule.ts';
import { makeMessage, me } from '../testdata.ts';
import { RoomEntry } from './entry.ts';

const room: WireRoom = {
  id: 'r1',
  slug: 'ops',
  name: 'Ops',
  topic: '',
  description: '',
  visibility: 'public',
  readOnly: false,
  archived: false,
  historyVisibility: 'all',
  labels: {},
  retention: { days: null, maxMessages: null },
  slowModeSeconds: 0,
  pinned: [],
  copilot: null,
  createdBy: 'ana',
  createdAt: '2030-01-01T12:00:00.000Z',
  updatedAt: '2030-01-01T12:00:00.000Z',
  version: 1,
  lastSeq: 0,
  firstSeq: 0,
  lastMessageAt: null,
  memberCount: 2,
  me,
};

test('pieces of a text are joined by their offsets', () => {
  const entry = new RoomEntry(room);
  assert.equal(entry.addDelta('m1', 'run', 0, 'Check '), true);
  assert.equal(entry.addDelta('m1', 'run', 6, 'the'), true);
  assert.equal(entry.addDelta('m1', 'run', 6, 'the'), true, 'twice');
  assert.equal(entry.addDelta('m1', 'run', 3, 'ck'), true, 'late');
  assert.equal(entry.streaming.get('m1')?.text, 'Check the');
});

test('a piece before which others are missing is refused', () => {
  const entry = new RoomEntry(room);
  entry.addDelta('m1', 'run', 0, 'Check ');
  assert.equal(entry.addDelta('m1', 'run', 9, ' pool'), false);
  assert.equal(entry.streaming.get('m1')?.text, 'Check ');
});

test('a new run of the same message begins anew', () => {
  const entry = new RoomEntry(room);
  entry.addDelta('m1', 'first', 0, 'old words');
  assert.equal(entry.addDelta('m1', 'second', 0, 'new'), true);
  assert.equal(entry.streaming.get('m1')?.text, 'new');
});

test('an older version of the room is ignored, and the membership of the reader stays', () => {
  const entry = new RoomEntry({ ...room, version: 5 });
  const { me: _, ...sent } = room;
  assert.equal(entry.updateRoom({ ...sent, version: 4, name: 'Old' }), false);
  assert.equal(entry.updateRoom({ ...sent, version: 6, name: 'New' }), true);
  assert.equal(entry.room.name, 'New');
  assert.equal(entry.me?.involvement, 'mentions');
});

test('the number of firing alerts changes without a new version of the room', () => {
  const entry = new RoomEntry({ ...room, version: 5, firingAlerts: 0 });
  assert.equal(entry.updateRoom({ ...room, version: 5, firingAlerts: 2 }), true);
  assert.equal(entry.room.firingAlerts, 2);
});

test('an answer requested before the reader has read does not take it back', () => {
  const entry = new RoomEntry({ ...room, me: { ...me, version: 2, lastReadSeq: 7 } });
  assert.equal(entry.updateMe({ ...me, version: 1, unread: 3 }), false);
  assert.equal(entry.me?.lastReadSeq, 7);
  assert.equal(entry.updateMe({ ...me, version: 2, unread: 0 }), true);
});

test('a copilot known from an answer is not removed by a stream that is behind', () => {
  const entry = new RoomEntry(room);
  const copilot = (version: number) => ({ enabled: true, name: `of ${version}`, version }) as WireCopilot;
  const shown = () => entry.room.copilot?.name;
  entry.updateCopilot(copilot(2));
  entry.updateCopilot(copilot(1));
  assert.equal(shown(), 'of 2');
  entry.updateCopilot(null);
  assert.equal(shown(), undefined);
  entry.updateCopilot(copilot(1));
  assert.equal(shown(), 'of 1');
});

test('what others write is unread, unless it is silent, deleted or read already', () => {
  const entry = new RoomEntry({ ...room, me: { ...me, lastReadSeq: 2 } });
  const messages = [
    makeMessage(2),
    makeMessage(3),
    makeMessage(4, { silent: true }),
    makeMessage(5, { deleted: true }),
    makeMessage(6, { mentions: { users: ['ana'], room: false, copilot: false } }),
  ];
  for (const message of [...messages, makeMessage(7, { author: { id: 'ana', name: 'Ana', kind: 'human' } })])
    entry.countMessage(message, 'ana');
  assert.deepEqual([entry.unread, entry.mentions], [2, 1]);
});

const called: Partial<WireMessage> = { mentions: { users: ['ana'], room: false, copilot: false } };
const rules: readonly (readonly [
  rule: string,
  me: Partial<WireMe> | null,
  message: Partial<WireMessage>,
  wanted: boolean,
])[] = [
  ['everything is everything', { involvement: 'everything' }, {}, true],
  ['mentions are not everything', { involvement: 'mentions' }, {}, false],
  ['a mention is one', { involvement: 'mentions' }, called, true],
  ['nothing is nothing', { involvement: 'nothing' }, called, false],
  ['a muted room is silent', { involvement: 'everything', mutedUntil: '2030-01-01T13:00:00.000Z' }, {}, false],
  ['until the time has come', { involvement: 'everything', mutedUntil: '2030-01-01T11:00:00.000Z' }, {}, true],
  ['a silent message notifies no member', { involvement: 'everything' }, { silent: true }, false],
  ['an unfinished text does not notify yet', { involvement: 'everything' }, { status: 'streaming' }, false],
  ['a reader outside the room hears nothing', null, called, false],
];
for (const [rule, change, message, wanted] of rules) {
  test(`notifications: ${rule}`, () => {
    const reader = change === null ? undefined : { ...me, ...change };
    assert.equal(
      wantsNotification({ me: reader, room }, makeMessage(1, message), 'ana', Date.UTC(2030, 0, 1, 12)),
      wanted,
    );
  });
}

test('ids are UUIDs of version 7 that sort by their time', () => {
  const fill = (bytes: Uint8Array) => void bytes.fill(0xff);
  const early = newId(Date.UTC(2030, 0, 1), fill);
  assert.match(early, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(early < newId(Date.UTC(2030, 0, 1) + 1, fill), true);
  assert.equal(Number.parseInt(early.replaceAll('-', '').slice(0, 12), 16), Date.UTC(2030, 0, 1));
});

const addresses: readonly (readonly [
  path: string,
  room: string | undefined,
  message: string | undefined,
  invite: string | undefined,
])[] = [
  ['/', undefined, undefined, undefined],
  ['/r/ops', 'ops', undefined, undefined],
  ['/r/ops/m/m1', 'ops', 'm1', undefined],
  ['/r/a%20b', 'a b', undefined, undefined],
  ['/r/%zz', '%zz', undefined, undefined],
  ['/i/abc', undefined, undefined, 'abc'],
  ['/elsewhere', undefined, undefined, undefined],
];
for (const [path, wantedRoom, message, invite] of addresses) {
  test(`the address ${path} is read`, () => {
    assert.deepEqual(parsePath(path), { room: wantedRoom, message, invite });
  });
}
