import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init, type LDContext } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import { Random } from '../../testing/random.ts';
import { compileFlag } from './compile.ts';
import { readContext } from './context/json.ts';
import { type Evaluation, evaluateFlag } from './evaluation/evaluate.ts';
import { readFlag } from './flag.ts';
import { readSegment } from './segment.ts';
import { compileSegment } from './segment-match.ts';
import { makeWorld, type World } from './testdata/generator.ts';
import { accept, lookupOf } from './testdata/lookup.ts';
import { EXAMPLES } from './testdata/sdk-difference-examples.ts';
import { DIFFERENCES, isEndless, reachOf } from './testdata/sdk-differences.ts';

// The SDK gets its data from memory and sends nothing: no request leaves the process.

const WORLDS = 26;
const CONTEXTS = 15;

const silent = { error() {}, warn() {}, info() {}, debug() {} };

async function startSdk({ flags, segments }: World) {
  const data = new TestData();
  for (const flag of flags) await data.usePreconfiguredFlag(flag);
  for (const segment of segments) await data.usePreconfiguredSegment(segment);
  const client = init('sdk-key', {
    updateProcessor: data.getFactory(),
    sendEvents: false,
    diagnosticOptOut: true,
    logger: silent,
  });
  await client.waitForInitialization();
  return client;
}

/** A result as both have it: the SDK writes an empty rule id as an absent one or none. */
function comparable(variation: number | null, value: unknown, reason: object): string {
  const { kind, ruleIndex, ruleId, inExperiment, prerequisiteKey, errorKind, bigSegmentsStatus } =
    reason as Evaluation['reason'];
  const details = { kind, ruleIndex, ruleId, inExperiment, prerequisiteKey, errorKind, bigSegmentsStatus };
  return JSON.stringify({ variation, value, details });
}

interface Tally {
  same: number;
  /** Evaluations skipped because the SDK would never end. */
  unasked: number;
  readonly explained: Map<string, number>;
  readonly unexplained: string[];
  readonly kinds: Map<string, number>;
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

async function compareWorld(world: World, tally: Tally): Promise<void> {
  const client = await startSdk(world);
  const flags = new Map(world.flags.map((json) => [json.key, accept(readFlag(json))]));
  const segments = new Map(world.segments.map((json) => [json.key, accept(readSegment(json))]));
  const lookup = lookupOf([...flags.values()].map(compileFlag), [...segments.values()].map(compileSegment));
  for (const flag of flags.values()) {
    const compiled = lookup.flag(flag.key);
    const reach = reachOf(flag, flags, segments);
    if (isEndless(reach)) tally.unasked += world.contexts.length;
    if (!compiled || isEndless(reach)) continue;
    for (const json of world.contexts) {
      const context = accept(readContext(json));
      const { variation, value, reason } = evaluateFlag(compiled, context, lookup);
      const theirs = await client.variationDetail(flag.key, json as unknown as LDContext, null);
      const ours = comparable(variation, value, reason);
      count(tally.kinds, reason.kind);
      if (ours === comparable(theirs.variationIndex ?? null, theirs.value, theirs.reason)) {
        tally.same++;
        continue;
      }
      const why = DIFFERENCES.find((difference) => difference.applies(reach, context, json, reason))?.why;
      if (why) count(tally.explained, why);
      else tally.unexplained.push(`${flag.key} for ${JSON.stringify(json)}: ${ours}, SDK ${JSON.stringify(theirs)}`);
    }
  }
  client.close();
}

const newTally = (): Tally => ({ same: 0, unasked: 0, explained: new Map(), unexplained: [], kinds: new Map() });

test('each known difference between SDK and relay exists', async () => {
  for (const { why } of DIFFERENCES) {
    const [, world] = Object.entries(EXAMPLES).find(([words]) => why.startsWith(words)) ?? [];
    assert.ok(world, `no example of ${why}`);
    const tally = newTally();
    await compareWorld(world, tally);
    assert.deepEqual(tally.unexplained, []);
    assert.ok(tally.explained.has(why), `${why}: ${JSON.stringify([...tally.explained])}`);
  }
});

test('10,000 flags and contexts have the variation, value and reason of the Node SDK, or a known difference', async () => {
  const tally = newTally();
  for (let seed = 1; seed <= WORLDS; seed++) await compareWorld(makeWorld(new Random(seed), CONTEXTS), tally);
  const explained = [...tally.explained.values()].reduce((sum, n) => sum + n, 0);
  assert.deepEqual(tally.unexplained.slice(0, 3), []);
  assert.ok(tally.same + explained >= 10_000, `only ${tally.same + explained} compared`);
  assert.ok(explained < tally.same / 20, `${explained} differ: ${JSON.stringify([...tally.explained])}`);
  assert.ok(tally.unasked < tally.same / 20, `${tally.unasked} not asked`);
  for (const kind of ['OFF', 'FALLTHROUGH', 'TARGET_MATCH', 'RULE_MATCH', 'PREREQUISITE_FAILED', 'ERROR']) {
    assert.ok((tally.kinds.get(kind) ?? 0) >= 100, `${kind} came ${tally.kinds.get(kind)} times`);
  }
});
