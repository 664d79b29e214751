import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { CompiledFlag } from './compile.ts';
import type { Context } from './context/context.ts';
import { evaluateFlag } from './evaluation/evaluate.ts';
import type { CompiledSegment } from './segment-match.ts';
import recorded from './testdata/go-evaluations.yml';
import { contextFrom, flagOf, lookupOf, segmentOf } from './testdata/lookup.ts';

interface RecordedWorld {
  readonly name: string;
  readonly flags: CompiledFlag[];
  readonly segments: CompiledSegment[];
  readonly contexts: { readonly context: Context; readonly fullyQualifiedKey: string }[];
  /** By flag and context: [variation, reason, prerequisites, whether it counts in an experiment]. */
  readonly results: { readonly key: string; readonly of: readonly unknown[] }[];
}

function readWorlds(text: string): readonly RecordedWorld[] {
  const worlds: RecordedWorld[] = [];
  for (const line of text.split('\n').filter((line) => line.startsWith('- '))) {
    const item = JSON.parse(line.slice(2));
    if (item.world) worlds.push({ name: item.world, flags: [], segments: [], contexts: [], results: [] });
    const world = worlds.at(-1);
    assert.ok(world);
    if (item.flag) world.flags.push(flagOf(item.flag));
    if (item.segment) world.segments.push(segmentOf(item.segment));
    if (item.context) world.contexts.push({ ...item, context: contextFrom(item.context) });
    if (item.results) world.results.push({ key: item.results, of: item.of });
  }
  return worlds;
}

const worlds = readWorlds(recorded);

test('every result equals that of the Go evaluator: variation, reason, prerequisites, experiment', () => {
  let compared = 0;
  for (const { name, flags, segments, contexts, results } of worlds) {
    const lookup = lookupOf(flags, segments);
    for (const { key, of } of results) {
      const flag = flags.find((compiled) => compiled.flag.key === key);
      assert.ok(flag);
      for (const [index, { context }] of contexts.entries()) {
        const { variation, value, reason, prerequisites, isExperiment } = evaluateFlag(flag, context, lookup);
        const where = `${name}, ${key}, context ${index}`;
        assert.deepEqual([variation, reason, prerequisites, isExperiment], of[index], where);
        assert.deepEqual(value, variation === null ? null : flag.flag.variations[variation], where);
        compared++;
      }
    }
  }
  assert.ok(compared >= 1500, `only ${compared} compared`);
});

test('every context has the fully qualified key that it has in Go', () => {
  for (const { contexts } of worlds) {
    for (const { context, fullyQualifiedKey } of contexts) assert.equal(context.fullyQualifiedKey, fullyQualifiedKey);
  }
});

test('among the recorded are buckets just below a weight in double precision, and not below it in single', () => {
  const boundaries = worlds.find(({ name }) => name === 'boundaries');
  assert.ok(boundaries && boundaries.flags.length >= 10);
  for (const [index, { flag }] of boundaries.flags.entries()) {
    const key = boundaries.contexts[index]?.fullyQualifiedKey;
    const digest = createHash('sha1').update(`${flag.key}.${flag.salt}.${key}`).digest('hex');
    const weight = flag.fallthrough.rollout?.variations[0]?.weight ?? 0;
    assert.ok(Number.parseInt(digest.slice(0, 15), 16) / 2 ** 60 < weight / 100_000, flag.key);
    const result: unknown = boundaries.results.find((recordedResult) => recordedResult.key === flag.key)?.of[index];
    assert.equal((result as readonly unknown[])[0], 1, flag.key);
  }
});
