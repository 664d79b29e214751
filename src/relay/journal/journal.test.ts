import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../kernel/log.ts';
import { FlagStore } from '../flag-store.ts';
import { ChangeLog } from './change-log.ts';
import { EvaluationCounts } from './evaluation-counts.ts';
import { ProblemLog } from './problem-log.ts';
import { SdkLog } from './sdk-log.ts';

const NOW = Date.UTC(2026, 4, 1);
const now = () => NOW;
const flag = (version: number, on = true) => ({ key: 'a', version, on });

test('the first data are no change; later ones are, whether they come alone or all at once', () => {
  const store = new FlagStore();
  const log = new ChangeLog(store, now);
  store.replace({ flags: { a: flag(1), b: { key: 'b', version: 1 } }, segments: {} });
  assert.deepEqual([log.changes.length, log.changedAt('a')], [0, undefined]);
  store.upsert('flags', 'a', flag(2, false));
  store.upsert('flags', 'a', flag(1));
  store.replace({
    flags: { a: flag(2, false), c: { key: 'c', version: 1 } },
    segments: { s: { key: 's', version: 1 } },
  });
  const shown = log.changes.map(({ kind, key, before, after }) => [
    kind,
    key,
    before !== undefined,
    after !== undefined,
  ]);
  assert.deepEqual(shown, [
    ['flags', 'a', true, true],
    ['flags', 'c', false, true],
    ['flags', 'b', true, false],
    ['segments', 's', false, true],
  ]);
  assert.equal(log.changedAt('a'), NOW);
});

test('a comment belongs to the next change of its flag alone', () => {
  const store = new FlagStore();
  const log = new ChangeLog(store, now);
  store.replace({ flags: { a: flag(1) }, segments: {} });
  log.comment('a', 'incident 41');
  log.comment('b', 'taken back')();
  store.upsert('flags', 'b', { key: 'b', version: 1 });
  store.upsert('flags', 'a', flag(2));
  store.upsert('flags', 'a', flag(3));
  assert.deepEqual(
    log.changes.map(({ comment }) => comment),
    [undefined, 'incident 41', undefined],
  );
});

test('the history is bounded by number and by size, and the newest change stays', () => {
  const store = new FlagStore();
  const log = new ChangeLog(store, now);
  store.replace({ flags: { a: flag(0) }, segments: {} });
  for (let version = 1; version <= 1000; version++) store.upsert('flags', 'a', flag(version));
  assert.equal(log.changes.length, 300);
  assert.equal(log.changes.at(-1)?.id, 1000);
  store.upsert('flags', 'a', { ...flag(1001), description: 'x'.repeat(2 ** 21) });
  assert.deepEqual(
    log.changes.map(({ id }) => id),
    [1001],
  );
});

test('evaluations are counted from summaries, and from single events of SDKs without summaries', () => {
  const counts = new EvaluationCounts(now);
  const summary = {
    kind: 'summary',
    features: { a: { counters: [{ variation: 1, count: 5 }, { count: 2 }, { variation: 0, count: -1 }, null] }, b: 1 },
  };
  const feature = { kind: 'feature', key: 'a', variation: 1 };
  const summarized = { schema: 4, isUnsummarized: false };
  counts.addEvents([summary, feature, null, { kind: 'summary' }], summarized);
  assert.deepEqual(
    [...(counts.flags.get('a')?.variations ?? [])],
    [
      [1, 5],
      [-1, 2],
    ],
  );
  counts.addEvents([feature, { kind: 'feature', key: 7 }], { schema: 2, isUnsummarized: false });
  counts.addEvents([feature], { schema: 4, isUnsummarized: true });
  assert.equal(counts.flags.get('a')?.variations.get(1), 7);
  assert.deepEqual([counts.total, counts.flags.size, counts.flags.get('a')?.lastAt], [9, 1, NOW]);
});

test('clients cannot make the counts grow without limit', () => {
  const counts = new EvaluationCounts(now);
  for (let n = 0; n < 30_000; n++) counts.add(`flag-${n}`, 0);
  for (let n = 0; n < 1000; n++) counts.add('flag-0', n);
  assert.equal(counts.flags.size, 20_000);
  assert.equal(counts.flags.get('flag-0')?.variations.size, 100);
  const sdks = new SdkLog(now);
  for (let n = 0; n < 1000; n++) sdks.request('server', `sdk-${n}`);
  assert.equal(sdks.sdks.length, 51);
  assert.deepEqual(sdks.sdks.at(-1), { sdkKind: 'server', name: 'other', streams: 0, requests: 950, lastAt: NOW });
});

test('an SDK has the streams that it opened and has not ended', () => {
  const sdks = new SdkLog(now);
  const end = sdks.stream('mobile', 'iOS/9');
  sdks.stream('mobile', 'iOS/9');
  end();
  end();
  assert.deepEqual(sdks.sdks, [{ sdkKind: 'mobile', name: 'iOS/9', streams: 1, requests: 0, lastAt: 0 }]);
});

test('warnings and errors are kept, the last thirty, and passed on', () => {
  const passed: string[] = [];
  const note = (message: string) => void passed.push(message);
  const log: Log = { debug: note, info: note, warn: note, error: note, debugging: false };
  const problems = new ProblemLog(now);
  const recorded = problems.record(log);
  recorded.info('started');
  recorded.error('failed', { file: 'flags.yml' });
  assert.deepEqual(problems.problems, [{ at: NOW, level: 'error', message: 'failed', fields: { file: 'flags.yml' } }]);
  for (let n = 0; n < 100; n++) recorded.warn(`warning ${n}`);
  assert.deepEqual([problems.problems.length, problems.problems.at(-1)?.message], [30, 'warning 99']);
  assert.equal(passed.length, 102);
});
