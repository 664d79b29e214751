import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bundleScript, startChild } from '../testing/child-script.ts';

const MEGABYTE = 2 ** 20;

/** Makes objects of which many survive, turn by turn as requests do; prints the largest size of their space. */
const script = await bundleScript(`
  import { getHeapSpaceStatistics } from 'node:v8';
  import { keepHeapSmall } from './memory.ts';
  keepHeapSmall('bursts');
  let kept = [];
  let most = 0;
  for (let turn = 0; turn < 300; turn++) {
    for (let n = 0; n < 10_000; n++) kept.push({ n, text: 'x' + n });
    if (kept.length > 400_000) kept = kept.slice(200_000);
    most = Math.max(most, getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size);
    await new Promise((done) => setImmediate(done));
  }
  console.log(most);
`);

test('the space of young objects grows in a busy time, but not without limit', async (t) => {
  const child = startChild(t, script);
  const megabytes = Number(await child.readLine()) / MEGABYTE;
  assert.equal((await child.end).code, 0);
  assert.ok(megabytes >= 4 && megabytes <= 32, `${megabytes} MB`);
});
