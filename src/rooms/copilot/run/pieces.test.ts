import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { newRun } from '../../testing/store/parts.ts';
import { type RunPiece, RunPieces } from './pieces.ts';

function open() {
  const clock = new FakeClock();
  const sent: RunPiece[] = [];
  return { clock, sent, pieces: new RunPieces((piece) => void sent.push(piece), clock) };
}

const run = newRun();

test('the words of 50 ms are one piece, which begins where the last one ended', () => {
  const { clock, sent, pieces } = open();
  pieces.add(run, 7, 0, 'one ');
  pieces.add(run, 7, 4, 'two ');
  clock.advance(50);
  pieces.add(run, 7, 8, 'three');
  clock.advance(1_000);
  const common = { runId: run.id, attempt: 1, seq: 7 };
  assert.deepEqual(sent, [
    { ...common, offset: 0, text: 'one two ' },
    { ...common, offset: 8, text: 'three' },
  ]);
});

test('a long text is sent in pieces that a notification can hold, at most 20 a second, and is whole', () => {
  const { clock, sent, pieces } = open();
  const text = `${'x'.repeat(9_000)}${'\u0001'.repeat(3_000)}${'😀'.repeat(3_000)}`;
  pieces.add(run, 7, 0, text);
  for (let before = -1; before < sent.length; ) {
    before = sent.length;
    clock.advance(1_000);
    assert.ok(sent.length - before <= 20);
  }
  let heard = '';
  for (const { offset, text: part } of sent) {
    assert.equal(offset, heard.length);
    assert.ok(Buffer.byteLength(JSON.stringify(part)) <= 7_000);
    heard += part;
  }
  assert.equal(heard, text);
});

test('a run that begins anew is a piece of its own, and one that has ended sends nothing more', () => {
  const { clock, sent, pieces } = open();
  pieces.add(run, 7, 0, 'old');
  pieces.add({ ...run, attempt: 2 }, 7, 0, '');
  pieces.add({ ...run, attempt: 2 }, 7, 0, 'new');
  clock.advance(50);
  assert.deepEqual(
    sent.map(({ attempt, text }) => [attempt, text]),
    [[2, 'new']],
  );
  pieces.add(run, 7, 3, 'rest');
  pieces.end(run.id);
  clock.advance(50);
  assert.equal(sent.length, 1);
});
