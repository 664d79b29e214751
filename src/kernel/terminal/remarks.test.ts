import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeRemarks } from './remarks.ts';

test('unread output is bounded, and missing lines are counted in their place', async () => {
  let text = '';
  let read = () => {};
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      text += chunk;
      read = done;
    },
  });
  const write = writeRemarks(stream, 30);
  for (let line = 0; line < 100; line++) write('ten bytes\n');
  assert.equal(stream.writableLength, 30);
  for (let turn = 0; turn < 4; turn++) {
    read();
    await nextTurn();
  }
  write('the next\n');
  read();
  await nextTurn();
  const missing = 'opsdeck: 97 lines are missing here: nobody read them in time\n';
  assert.equal(text, `${'ten bytes\n'.repeat(3)}${missing}the next\n`);
});

test('a lost reader ends nothing', async () => {
  const stream = new Writable({ autoDestroy: false, write: (_chunk, _, done) => done(new Error('write EPIPE')) });
  const write = writeRemarks(stream);
  write('a line\n');
  await nextTurn();
  write('another\n');
  await nextTurn();
});
