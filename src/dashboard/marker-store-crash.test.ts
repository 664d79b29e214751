import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { bundleScript, startChild } from '../testing/child-script.ts';
import { temporaryFolder } from '../testing/processes.ts';
import { Random } from '../testing/random.ts';
import { MarkerStore } from './marker-store.ts';

const silent = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: () => {} });
const WRITES = 1000;
const ROUNDS = 24;

/** Writes a document with one marker after the other, and says which is on disk. */
const SCRIPT = `
import { MarkerStore } from './marker-store.ts';
import { readMarkerDocument } from './contract/markers.ts';
import { systemClock } from './clock.ts';
import { createLog } from './log.ts';
const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: (line) => void process.stderr.write(line) });
const store = await MarkerStore.open({ path: process.argv.at(-1), clock: systemClock, log });
const padding = 'x'.repeat(2000000);
for (let i = 1; i <= ${WRITES}; i++) {
  const markers = [{ id: String(i), user: 'info', start: '2026-05-04T09:00:00Z', note: padding }];
  const document = readMarkerDocument({ version: 1, markers }, 0);
  await store.replace(document.value);
  process.stdout.write(i + '\\n');
}
`;

function readId(path: string): number {
  const { markers } = JSON.parse(readFileSync(path, 'utf8')) as { markers: { id: string; note: string }[] };
  assert.equal(markers[0]?.note.length, 2_000_000);
  return Number(markers[0]?.id);
}

test('must show 5: killed in the middle of 1,000 writes the file is whole, and the last acknowledged write is in it', async (t) => {
  const script = await bundleScript(SCRIPT);
  const random = new Random(20_260_504);
  for (let round = 0; round < ROUNDS; round++) {
    const path = join(temporaryFolder(t), 'data', 'project-markers.json');
    const child = startChild(t, script, { args: [path] });
    const killAfter = random.int(1, 15);
    let acknowledged = 0;
    for (let line = await child.readLine(); line !== undefined; line = await child.readLine()) {
      acknowledged = Number(line);
      // At some moment of the writes that follow: most of a write's time is spent before its first byte.
      if (acknowledged === killAfter) setTimeout(() => child.kill('SIGKILL'), random.int(0, 60));
    }
    const { stderr, signal } = await child.end;
    assert.deepEqual([stderr, signal], ['', 'SIGKILL']);
    assert.ok(acknowledged >= killAfter && acknowledged < WRITES);
    const found = readId(path);
    // One more may be on disk than could be said.
    assert.ok(
      found === acknowledged || found === acknowledged + 1,
      `${found} in the file, ${acknowledged} acknowledged`,
    );
    // What the dead one held is taken over.
    const store = await MarkerStore.open({ path, clock: systemClock, log: silent });
    await store.update((document) => ({ ...document, isTakenOver: true }));
    assert.equal(readId(path), found);
    if (existsSync(`${path}.bak`)) assert.ok(readId(`${path}.bak`) >= found - 1);
  }
});
