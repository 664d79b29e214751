import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import type { Run } from '../../domain/run/run.ts';
import { strictLog } from '../../testing/nodes.ts';
import { newRun } from '../../testing/store/parts.ts';
import { RunAudience } from './audience.ts';
import { RemoteRuns } from './remote-runs.ts';

const running = newRun({ messageId: 'answer', text: null });
const turn = () => new Promise<void>((done) => setImmediate(done));

function open() {
  const clock = new FakeClock();
  const sent: string[] = [];
  const announcer = {
    announce: ({ type, data }: { type: string; data: string }) => void sent.push(`${type} ${JSON.parse(data).text}`),
  };
  const stored = { run: running };
  const store = { run: async () => stored.run };
  const audience = new RunAudience(announcer);
  const remote = new RemoteRuns({ store, audience, clock, log: strictLog, isOwn: (id) => id === 'own' });
  const hear = (offset: number, text: string, attempt = 1, runId = running.id) =>
    remote.hear({ runId, attempt, seq: 7, offset, text });
  return { clock, sent, remote, hear, stored, text: () => remote.get(running.id)?.text };
}

test('pieces are joined and passed on', () => {
  const { remote, hear, sent, text } = open();
  remote.see(running);
  hear(0, 'one ');
  hear(4, 'two');
  hear(4, 'two');
  assert.equal(text(), 'one two');
  assert.equal(sent[0], 'message.delta one ');
  hear(0, 'x', 1, 'own');
  assert.equal(remote.get('own'), undefined);
});

test('a gap is closed by the stored text, as soon as that is long enough', async () => {
  const { remote, hear, sent, text, stored, clock } = open();
  remote.see(running);
  hear(0, 'one ');
  hear(8, 'three ');
  await turn();
  assert.equal(text(), 'one ');
  stored.run = { ...running, text: 'one two th' };
  hear(14, 'four ');
  await turn();
  assert.equal(text(), 'one ');
  clock.advance(1_000);
  hear(19, 'five');
  await turn();
  assert.equal(text(), 'one two three four five');
  assert.equal(sent.at(-1), 'message.snapshot one two three four five');
});

test('a run that this node has not heard of is read', async () => {
  const { hear, text, stored } = open();
  stored.run = { ...running, text: 'one ' };
  hear(4, 'two');
  await turn();
  assert.equal(text(), 'one ');
  hear(4, 'two');
  assert.equal(text(), 'one two');
});

test('a run that begins anew has a new text, to which the node that lost it adds nothing', () => {
  const { remote, hear, sent, text } = open();
  remote.see(running);
  hear(0, 'old words');
  hear(0, '', 2);
  assert.equal(sent.at(-1), 'message.snapshot ');
  hear(0, 'new', 2);
  hear(9, ' and more');
  assert.equal(text(), 'new');
});

test('the end of a run answers those who wait, with its whole text', async () => {
  const { remote, hear } = open();
  remote.see(running);
  hear(0, 'one');
  const ended = remote.ended(running.id);
  const finished: Run = { ...running, state: 'complete' };
  remote.follow([{ pos: 1, data: '', event: { type: 'run.finished', roomId: running.roomId, run: finished } }], false);
  assert.equal((await ended).state, 'complete');
  assert.equal(remote.get(running.id), undefined);
});
