import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, START } from '../../testing/alert-parts.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { FakeLines } from '../../testing/fake-lines.ts';
import { HandoverLog } from './handover-log.ts';

const HOOK = { receiver: 'team', integration: 'webhook', index: 0 };
const idOf = (n: number) => n.toString(16).padStart(32, '0');
const [FIRST, SECOND, THIRD] = [idOf(1), idOf(2), idOf(3)];

/** A log that can be opened again, as by the process that follows a kill. */
function createLogs({ mostBytes }: { readonly mostBytes?: number } = {}) {
  const clock = new FakeClock(START);
  const lines = new FakeLines();
  const errors: string[] = [];
  const log = { error: (message: string) => void errors.push(message) } as never;
  const open = () => {
    const handovers = new HandoverLog({ lines, clock, log, ...(mostBytes === undefined ? {} : { mostBytes }) });
    handovers.load();
    return { handovers, hook: handovers.recipient(HOOK) };
  };
  /** The same with a recipient that has answered. */
  const openTrusted = () => {
    const opened = open();
    opened.hook.succeeded();
    return opened;
  };
  return { clock, lines, errors, open, openTrusted };
}

test('what was handed over to a recipient that has answered before is known after a kill, with its time', () => {
  const { clock, open, openTrusted } = createLogs();
  const { hook } = openTrusted();
  hook.begin(FIRST).done();
  hook.begin(SECOND);
  clock.advance(1_999);
  const killed = open().hook;
  assert.deepEqual([killed.toldBefore(FIRST)?.at, killed.toldBefore(SECOND)?.at], [START, undefined]);
});

test('what is handed over to somebody who has never answered does not count', () => {
  const { open } = createLogs();
  open().hook.begin(FIRST).done();
  assert.equal(open().hook.toldBefore(FIRST)?.at, undefined);
});

test('trust outlives the process, and is that of one integration of one receiver', () => {
  const { open, openTrusted } = createLogs();
  openTrusted();
  const { handovers, hook } = open();
  hook.begin(FIRST).done();
  const others = [
    { ...HOOK, index: 1 },
    { ...HOOK, integration: 'slack' },
    { ...HOOK, receiver: 'other' },
  ];
  for (const other of others) handovers.recipient(other).begin(SECOND).done();
  const after = open();
  assert.equal(after.hook.toldBefore(FIRST)?.at, START);
  for (const other of others) assert.equal(after.handovers.recipient(other).toldBefore(SECOND)?.at, undefined);
});

test('after a failure nothing counts that is under way, nor what is sent in the hour after it', () => {
  const { clock, open, openTrusted } = createLogs();
  const { hook } = openTrusted();
  const [first, second] = [hook.begin(FIRST), hook.begin(SECOND)];
  first.done();
  second.done();
  second.undone();
  assert.equal(open().hook.toldBefore(FIRST)?.at, undefined);
  const restarted = open().hook;
  restarted.succeeded();
  clock.advance(HOUR - 1);
  restarted.succeeded();
  restarted.begin(THIRD).done();
  assert.equal(open().hook.toldBefore(THIRD)?.at, undefined);
  clock.advance(1);
  restarted.succeeded();
  restarted.begin(THIRD).done();
  assert.equal(open().hook.toldBefore(THIRD)?.at, START + HOUR);
});

test('a request after one that came to nothing is not noted', () => {
  const { open, openTrusted } = createLogs();
  const note = openTrusted().hook.begin(FIRST);
  note.undone();
  note.done();
  assert.equal(open().hook.toldBefore(FIRST)?.at, undefined);
});

test('what has ended before it was handed over is not noted', () => {
  const { open, openTrusted } = createLogs();
  const note = openTrusted().hook.begin(FIRST);
  note.end();
  note.done();
  assert.equal(open().hook.toldBefore(FIRST)?.at, undefined);
});

test('what a doubt has ended does not come back when the file is written anew', () => {
  const { clock, open, openTrusted } = createLogs({ mostBytes: 300 });
  const { hook } = openTrusted();
  hook.begin(FIRST).done();
  clock.advance(2_000);
  hook.succeeded();
  for (const id of [SECOND, THIRD, idOf(4), idOf(5)]) hook.begin(id).done();
  const killed = open().hook;
  assert.deepEqual([killed.toldBefore(FIRST)?.at, killed.toldBefore(SECOND)?.at], [undefined, START + 2_000]);
});

test('failures that go on put off the trust, and are written once a minute', () => {
  const { clock, lines, openTrusted } = createLogs();
  const { hook } = openTrusted();
  for (let second = 0; second < 120; second++) {
    hook.failed();
    clock.advance(1_000);
  }
  assert.equal(lines.all.filter((line) => line.startsWith('doubted')).length, 2);
  clock.advance(HOUR - 2 * MINUTE);
  hook.succeeded();
  assert.equal(lines.all.filter((line) => line.startsWith('trusted')).length, 1);
});

test('who has not answered for two seconds is not trusted until the next answer', () => {
  const { clock, open, openTrusted } = createLogs();
  const { hook } = openTrusted();
  const slow = hook.begin(FIRST);
  slow.done();
  clock.advance(1_500);
  hook.begin(SECOND).done();
  clock.advance(500);
  const killed = open().hook;
  assert.deepEqual([killed.toldBefore(FIRST)?.at, killed.toldBefore(SECOND)?.at], [undefined, undefined]);
  hook.begin(THIRD).done();
  assert.equal(open().hook.toldBefore(THIRD)?.at, undefined);
  hook.succeeded();
  slow.end();
  hook.begin(THIRD).done();
  assert.equal(open().hook.toldBefore(THIRD)?.at, START + 2_000);
});

test('what has been answered counts to its end, whatever the recipient does next and however often the file is written anew', () => {
  const { clock, open, openTrusted } = createLogs({ mostBytes: 1 });
  const { hook } = openTrusted();
  const [answered, unanswered] = [hook.begin(FIRST), hook.begin(SECOND)];
  answered.done();
  unanswered.done();
  answered.succeeded();
  hook.failed();
  const killed = () => [FIRST, SECOND].map((id) => open().hook.toldBefore(id)?.at);
  assert.deepEqual(killed(), [START, undefined]);
  clock.advance(HOUR);
  hook.begin(THIRD).succeeded();
  assert.deepEqual(killed(), [START, undefined]);
  answered.end();
  for (let n = 4; n < 12; n++) hook.begin(idOf(n)).done();
  assert.deepEqual(killed(), [undefined, undefined]);
});

test('a note stands from the handover to its end, but not for somebody who is not trusted, nor where the disk fails', () => {
  const { lines, openTrusted } = createLogs();
  const { handovers, hook } = openTrusted();
  const note = hook.begin(FIRST);
  assert.equal(note.stands, false);
  note.done();
  assert.equal(note.stands, true);
  note.succeeded();
  assert.equal(note.stands, true);
  note.end();
  assert.equal(note.stands, false);
  const stranger = handovers.recipient({ ...HOOK, receiver: 'other' }).begin(SECOND);
  stranger.done();
  assert.equal(stranger.stands, false);
  lines.failure = new Error('no space left on device');
  const unwritten = hook.begin(THIRD);
  unwritten.done();
  assert.equal(unwritten.stands, false);
});

test('an answer ends the wait for it', () => {
  const { clock, open, openTrusted } = createLogs();
  const { hook } = openTrusted();
  const answered = hook.begin(FIRST);
  answered.done();
  answered.end();
  clock.advance(5_000);
  hook.begin(SECOND).done();
  assert.equal(open().hook.toldBefore(SECOND)?.at, START + 5_000);
});

test('the file is written anew when it has grown, without what is over', () => {
  const { lines, open, openTrusted } = createLogs({ mostBytes: 1_000 });
  const { hook } = openTrusted();
  hook.begin(FIRST).done();
  for (let n = 100; n < 400; n++) {
    const note = hook.begin(idOf(n));
    note.done();
    note.end();
    assert.ok(lines.size < 1_100, `${lines.size} bytes`);
  }
  const { hook: killed } = open();
  assert.equal(killed.toldBefore(FIRST)?.at, START);
  killed.begin(SECOND).done();
  assert.equal(open().hook.toldBefore(SECOND)?.at, START, 'the trust is kept');
});

test('what the process before has handed over is forgotten once it has been counted', () => {
  const { lines, open, openTrusted } = createLogs();
  openTrusted().hook.begin(FIRST).done();
  const { handovers, hook } = open();
  handovers.forgetBefore();
  assert.equal(hook.toldBefore(FIRST)?.at, undefined);
  assert.deepEqual(
    lines.all.map((line) => line.split(' ')[0]),
    ['trusted'],
  );
});

test('lines that nobody can read are left out, and a time that is still to come is now', () => {
  const { lines, open } = createLogs();
  open().handovers.recipient(HOOK).succeeded();
  const trusted = lines.all[0] as string;
  const key = trusted.split(' ')[1];
  lines.all = ['', 'sent\n', trusted, `sent ${FIRST} ${key} ${START + HOUR}\n`, `sent ${SECOND} ${key}\n`, '\u0000'];
  const { hook } = open();
  assert.deepEqual([hook.toldBefore(FIRST)?.at, hook.toldBefore(SECOND)?.at], [START, undefined]);
});

test('a disk that fails is told of once, no note is left, and a minute later it is tried again', () => {
  const { clock, lines, errors, open, openTrusted } = createLogs();
  const { hook } = openTrusted();
  hook.begin(FIRST).done();
  lines.failure = new Error('disk full');
  hook.begin(SECOND).done();
  hook.begin(THIRD).done();
  assert.deepEqual(errors, ['notifications that are handed over cannot be noted; a kill may repeat those under way']);
  assert.deepEqual(lines.all, []);
  lines.failure = undefined;
  hook.begin(idOf(4)).done();
  assert.deepEqual(lines.all, []);
  clock.advance(MINUTE);
  hook.succeeded();
  hook.begin(idOf(5)).done();
  hook.begin(idOf(6)).done();
  const killed = open().hook;
  assert.deepEqual([killed.toldBefore(idOf(5))?.at, killed.toldBefore(idOf(6))?.at], [START + MINUTE, START + MINUTE]);
  assert.equal(errors.length, 1);
});

test('a file that cannot be read stops nothing', () => {
  const { lines, errors, open } = createLogs();
  lines.failure = new Error('not permitted');
  const { hook } = open();
  hook.succeeded();
  hook.begin(FIRST).done();
  assert.equal(errors.length, 1);
});
