import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StoredFlag } from '../domain/summary/event.ts';
import recorded from '../domain/testdata/go-summaries.yml';
import { EventArray } from './event-array.ts';
import { ByteBudget } from './queue.ts';
import { EventSummarizer } from './summarizer.ts';

interface Sent {
  readonly kind: string;
  readonly [name: string]: unknown;
}

class Bench {
  now = 10_000;
  serverTime = 0;
  readonly reasons: string[] = [];
  readonly summarizer: EventSummarizer;

  constructor(flags: Readonly<Record<string, StoredFlag>> = {}, events = 1000) {
    this.summarizer = new EventSummarizer({
      limits: { events, budget: new ByteBudget(1_000_000), onFull: () => {} },
      flag: (key) => flags[key],
      now: () => this.now,
      serverTime: () => this.serverTime,
      onUnreadable: (reason) => this.reasons.push(reason),
    });
  }

  /** Accepts the events; returns the number of dropped ones. */
  accept(events: readonly unknown[], schema = 2): number {
    const array = EventArray.read(Buffer.from(JSON.stringify(events)));
    assert.ok(array);
    return this.summarizer.accept(array, schema);
  }

  take(): readonly Sent[] {
    const batch = this.summarizer.take();
    const sent = batch ? (JSON.parse(batch.body.toString()) as readonly Sent[]) : [];
    assert.equal(batch?.count ?? 0, sent.length);
    return sent;
  }

  kinds(): string {
    return this.take()
      .map(({ kind }) => kind)
      .join();
  }
}

const feature = (fields: object = {}) => ({
  kind: 'feature',
  creationDate: 1000,
  key: 'f',
  user: { key: 'u' },
  version: 1,
  variation: 0,
  value: 'a',
  default: 'd',
  trackEvents: false,
  ...fields,
});

/** Counters and kinds have no order. */
function inOrder(event: Sent): Sent {
  if (event.kind !== 'summary') return event;
  for (const { contextKinds, counters } of Object.values(event.features as Record<string, Counted>)) {
    contextKinds.sort();
    counters.sort((a, b) => (a.variation ?? -1) - (b.variation ?? -1) || (a.version ?? -1) - (b.version ?? -1));
  }
  return event;
}

interface Counted {
  readonly contextKinds: string[];
  readonly counters: { readonly variation?: number; readonly version?: number }[];
}

test("the summary equals that of LaunchDarkly's own summariser", () => {
  const cases = recorded.split('\n').filter((line) => line.startsWith('- '));
  assert.ok(cases.length >= 100);
  for (const line of cases) {
    const [events, expected] = JSON.parse(line.slice(2)) as [readonly unknown[], readonly Sent[]];
    const bench = new Bench();
    // Far from the dates until which the events are debugged.
    bench.now = Date.parse('2026-01-01T00:00:00Z');
    bench.accept(events);
    assert.deepEqual(bench.take().map(inOrder), expected, line);
  }
});

describe('a context', () => {
  test('is sent once in five minutes', () => {
    const bench = new Bench();
    bench.accept([feature(), feature()]);
    assert.equal(bench.kinds(), 'index,summary');
    bench.now += 5 * 60_000 - 1;
    bench.accept([feature({ key: 'g' }), { kind: 'custom', key: 'c', user: { key: 'u' } }]);
    assert.equal(bench.kinds(), 'custom,summary');
    bench.now += 1;
    bench.accept([feature()]);
    assert.equal(bench.kinds(), 'index,summary');
  });

  test('is known after an identify event', () => {
    const bench = new Bench();
    bench.accept([{ kind: 'identify', creationDate: 1, user: { key: 'u' } }, feature()]);
    assert.equal(bench.kinds(), 'identify,summary');
  });

  test('is sent again after a thousand others', () => {
    const bench = new Bench({}, 5000);
    const others = Array.from({ length: 999 }, (_, index) => feature({ user: { key: `u${index}` } }));
    bench.accept([feature(), ...others]);
    bench.take();
    bench.accept([feature()]);
    assert.equal(bench.kinds(), 'summary');
    bench.accept([feature({ user: { key: 'one more' } }), feature({ user: { key: 'u0' } })]);
    assert.equal(bench.kinds(), 'index,index,summary');
  });
});

const UNTIL = { trackEvents: false, debugEventsUntilDate: 10_000 };
test('an evaluation is debugged until its date, and not at it', () => {
  const bench = new Bench();
  bench.now = 9_999;
  bench.accept([feature(UNTIL)]);
  assert.equal(bench.kinds(), 'index,debug,summary');
  bench.now = 10_000;
  bench.accept([feature(UNTIL)]);
  assert.equal(bench.kinds(), 'summary');
});

test("upstream's clock ends debugging too, and makes no context older", () => {
  const bench = new Bench();
  bench.now = 9_999;
  bench.accept([feature(UNTIL)]);
  bench.take();
  bench.serverTime = 10_000_000;
  bench.accept([feature(UNTIL)]);
  assert.equal(bench.kinds(), 'summary');
});

test('whether an evaluation by an old SDK is tracked and debugged depends on the flag', () => {
  const flags = { f: { variations: ['b', 'a'], trackEvents: true, debugEventsUntilDate: 10_001 } };
  const bench = new Bench(flags);
  bench.accept([feature({ trackEvents: undefined, variation: undefined })], 1);
  const [index, full, debug, summary] = bench.take();
  assert.deepEqual([index?.kind, full?.kind, debug?.kind, summary?.kind], ['index', 'feature', 'debug', 'summary']);
  assert.equal(full?.variation, 1);
  assert.equal((summary as unknown as { features: { f: Counted } }).features.f.counters[0]?.variation, 1);
});

test('unreadable events are dropped, counted and reported, and the rest is sent', () => {
  const bench = new Bench();
  assert.equal(bench.accept([7, { kind: 'custom', key: 'k' }, feature({ creationDate: 'secret' }), feature()]), 3);
  assert.equal(bench.reasons.length, 3);
  assert.doesNotMatch(bench.reasons.join(), /secret/);
  assert.equal(bench.kinds(), 'index,summary');
});

test('a full queue drops events, and the summary has room all the same', () => {
  const bench = new Bench({}, 2);
  assert.equal(bench.accept([feature({ trackEvents: true }), feature({ trackEvents: true }), feature()]), 1);
  assert.equal(bench.summarizer.pending, 3);
  const [, , summary] = bench.take();
  assert.equal(
    (summary as unknown as { features: { f: { counters: { count: number }[] } } }).features.f.counters[0]?.count,
    3,
  );
  assert.equal(bench.summarizer.pending, 0);
  assert.equal(bench.kinds(), '');
});
