import { init, type LDContext } from '@launchdarkly/node-server-sdk';
import { TestData } from '@launchdarkly/node-server-sdk/integrations';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../../testing/bench.ts';
import { contextFrom, flagOf, lookupOf, segmentOf } from '../testdata/lookup.ts';
import { printEvaluations } from './json.ts';

const ROUNDS = 15;
const ROUND_MS = 120;
const SEGMENT = {
  key: 'staff',
  version: 1,
  salt: 's',
  included: ['somebody'],
  rules: [{ clauses: [{ attribute: 'email', op: 'endsWith', values: ['@example.com'] }] }],
};

const email = { attribute: 'email', op: 'matches', values: ['^[a-z]+@example\\.org$'] };
const halves = [
  { variation: 0, weight: 50_000 },
  { variation: 1, weight: 50_000 },
];

/** Additional properties of each sort of flag. */
const SORTS: Readonly<Record<string, object>> = {
  fixed: {},
  targets: { targets: [{ values: Array.from({ length: 100 }, (_, index) => `user-${index}`), variation: 1 }] },
  rules: {
    rules: [
      { id: 'r1', clauses: [{ attribute: 'country', op: 'in', values: ['de', 'fr'] }, email], variation: 1 },
      { id: 'r2', clauses: [{ attribute: 'version', op: 'semVerLessThan', values: ['2.0.0'] }], variation: 0 },
    ],
  },
  rollout: { fallthrough: { rollout: { variations: halves } } },
  segment: { rules: [{ id: 'r', clauses: [{ attribute: '', op: 'segmentMatch', values: ['staff'] }], variation: 1 }] },
  prerequisite: { prerequisites: [{ key: 'flag-00000', variation: 1 }] },
};

function flagJson(index: number, sort: string) {
  return {
    key: `flag-${String(index).padStart(5, '0')}`,
    version: 7,
    on: true,
    salt: 'salt',
    variations: [false, true],
    offVariation: 0,
    fallthrough: { variation: 1 },
    prerequisites: [],
    targets: [],
    rules: [],
    ...SORTS[sort],
  };
}

function flagsOf(count: number, sort: string) {
  const sorts = sort === 'mixed' ? Object.keys(SORTS) : [sort];
  return Array.from({ length: count }, (_, index) => flagJson(index, sorts[index % sorts.length] ?? 'fixed'));
}

/** A new user each time, so that cached results are not measured. */
const contextJson = (number: number) => ({
  kind: 'user',
  key: `somebody-${number}`,
  email: 'somebody@example.org',
  country: 'nl',
  version: '2.1.0',
});

/** Microseconds per flag, one sample per round. */
async function measure(count: number, evaluateAll: (number: number) => unknown): Promise<readonly number[]> {
  let number = 0;
  const round = async (ms: number) => {
    const startedAt = performance.now();
    let runs = 0;
    for (; performance.now() - startedAt < ms; runs++) await evaluateAll(number++);
    return ((performance.now() - startedAt) * 1000) / (runs * count);
  };
  await round(ROUND_MS * 3);
  const samples: number[] = [];
  while (samples.length < ROUNDS) samples.push(await round(ROUND_MS));
  return samples;
}

async function measureOurs(count: number, sort: string): Promise<readonly number[]> {
  const flags = flagsOf(count, sort).map(flagOf);
  const lookup = lookupOf([flagOf(flagJson(0, 'fixed')), ...flags], [segmentOf(SEGMENT)]);
  return measure(count, (number) =>
    printEvaluations(flags, contextFrom(contextJson(number)), lookup, { withReasons: false }),
  );
}

async function measureSdk(count: number, sort: string): Promise<readonly number[]> {
  const data = new TestData();
  for (const flag of [flagJson(0, 'fixed'), ...flagsOf(count, sort)]) await data.usePreconfiguredFlag(flag);
  await data.usePreconfiguredSegment(SEGMENT);
  const logger = { error() {}, warn() {}, info() {}, debug() {} };
  const client = init('key', { updateProcessor: data.getFactory(), sendEvents: false, diagnosticOptOut: true, logger });
  await client.waitForInitialization({ timeout: 5 });
  const samples = await measure(count, async (number) =>
    JSON.stringify(await client.allFlagsState(contextJson(number) as LDContext)),
  );
  client.close();
  return samples;
}

bench('evaluate', async (filters) => {
  console.log('Evaluating all flags for one context into JSON, µs a flag: medians (least–most)');
  console.log(`${describeMachine()}\n`);
  const rows: string[][] = [];
  for (const sort of [...Object.keys(SORTS), 'mixed'].filter((name) => isAsked(name, filters))) {
    for (const count of [100, 1000]) {
      const ours = spreadOf(await measureOurs(count, sort));
      const sdk = spreadOf(await measureSdk(count, sort));
      rows.push([
        `${count} flags, ${sort}`,
        printSpread(ours),
        printSpread(sdk),
        `${printNumber(sdk.median / ours.median)}×`,
      ]);
    }
  }
  console.log(printTable(['', 'opsdeck', 'node-server-sdk allFlagsState', 'ratio'], rows));
});
