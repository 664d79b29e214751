import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accepted } from '../../../kernel/outcome.ts';
import { contextOf } from '../context/context.ts';
import type { Json } from '../json.ts';
import { readEventContext } from './context.ts';
import { completeEvent, type FeatureEvent, readSdkEvent, type StoredFlag } from './event.ts';
import { Summary } from './summary.ts';

const ROOMY = { entries: 100, chars: 10_000 };

function featureOf(fields: Readonly<Record<string, Json>> = {}): FeatureEvent {
  const read = readSdkEvent({
    kind: 'feature',
    creationDate: 1000,
    key: 'f',
    user: { key: 'u' },
    version: 1,
    ...fields,
  });
  assert.ok(read.ok && read.value.kind === 'feature');
  return read.value;
}

describe('a summary', () => {
  test('counts by flag, variation and version', () => {
    const summary = new Summary(ROOMY);
    const events: readonly Readonly<Record<string, Json>>[] = [
      { creationDate: 2000, variation: 0, value: 'a', default: 'd' },
      { creationDate: 1500, variation: 0, value: 'a', default: 'another' },
      { creationDate: 3000, variation: 1, value: 'b', context: { kind: 'org', key: 'o' } },
      { variation: 0, version: 2, value: 'a' },
      { variation: null, value: 'd' },
      { key: 'gone', version: null, value: [1] },
    ];
    for (const event of events) assert.ok(summary.add(featureOf({ creationDate: 2500, ...event })));
    assert.deepEqual(JSON.parse(summary.print()), {
      kind: 'summary',
      startDate: 1500,
      endDate: 3000,
      features: {
        f: {
          default: 'd',
          contextKinds: ['user', 'org'],
          counters: [
            { variation: 0, version: 1, value: 'a', count: 2 },
            { variation: 1, version: 1, value: 'b', count: 1 },
            { variation: 0, version: 2, value: 'a', count: 1 },
            { version: 1, value: 'd', count: 1 },
          ],
        },
        gone: { default: null, contextKinds: ['user'], counters: [{ unknown: true, value: [1], count: 1 }] },
      },
    });
  });

  test('names flags as they are, whatever their keys', () => {
    const summary = new Summary(ROOMY);
    for (const key of ['__proto__', '"', 'constructor']) summary.add(featureOf({ key }));
    assert.deepEqual(Object.keys(JSON.parse(summary.print()).features), ['__proto__', '"', 'constructor']);
  });

  test('at its limit counts known entries, and refuses new ones', () => {
    // A flag, its counter and its kind.
    const summary = new Summary({ entries: 3, chars: 10_000 });
    assert.ok(summary.add(featureOf()));
    assert.ok(summary.add(featureOf()));
    assert.equal(summary.add(featureOf({ variation: 1 })), false);
    assert.equal(summary.add(featureOf({ key: 'g' })), false);
    assert.equal(summary.add(featureOf({ context: { kind: 'org', key: 'o' } })), false);
    assert.equal(JSON.parse(summary.print()).features.f.counters[0].count, 2);
  });

  test('is full by its length too', () => {
    const summary = new Summary({ entries: 100, chars: 50 });
    assert.ok(summary.add(featureOf({ value: 'x'.repeat(60) })));
    assert.ok(summary.add(featureOf()));
    assert.equal(summary.add(featureOf({ key: 'g' })), false);
  });

  test('is as before when a value cannot be written', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Json;
    const summary = new Summary(ROOMY);
    assert.throws(() => summary.add(featureOf({ value: deep })), RangeError);
    assert.throws(() => summary.add(featureOf({ default: deep })), RangeError);
    assert.ok(summary.isEmpty);
  });
});

const FLAG: StoredFlag = { variations: ['a', { x: [1, null] }, 'a'], trackEvents: true, debugEventsUntilDate: 5000 };
/** [properties of the event, its schema, the flag, expected: variation, trackEvents, debugEventsUntilDate]. */
const COMPLETIONS: readonly [string, Readonly<Record<string, Json>>, number, boolean, readonly unknown[]][] = [
  ['takes missing fields from the flag', { value: 'b', variation: 3 }, 2, true, [3, true, 5000]],
  ['keeps its trackEvents', { trackEvents: false, variation: 1 }, 2, true, [1, false, 0]],
  ['keeps its debugEventsUntilDate', { debugEventsUntilDate: 9, variation: 1 }, 2, true, [1, undefined, 9]],
  ['takes null for unknown', { trackEvents: null, debugEventsUntilDate: null }, 2, true, [undefined, true, 5000]],
  ['infers the first variation of that value', { value: 'a' }, 1, true, [0, true, 5000]],
  ['infers a variation that is an object', { value: { x: [1, null] } }, 1, true, [1, true, 5000]],
  ['does not infer from another order in an array', { value: { x: [null, 1] } }, 1, true, [undefined, true, 5000]],
  ['does not infer from a part', { value: { x: [1] } }, 1, true, [undefined, true, 5000]],
  ['does not infer from more', { value: { x: [1, null], y: 1 } }, 1, true, [undefined, true, 5000]],
  ['does not infer a given variation', { value: 'a', variation: 2 }, 1, true, [2, true, 5000]],
  ['does not infer in schema 2', { value: 'a' }, 2, true, [undefined, true, 5000]],
  ['has no flag to infer from', { value: 'a' }, 1, false, [undefined, undefined, 0]],
  ['has no data of a flag that did not exist', { version: null, trackEvents: true }, 1, true, [undefined, false, 0]],
];
for (const [what, fields, schema, isKnown, expected] of COMPLETIONS) {
  test(`an event of schema ${schema} ${what}`, () => {
    const event = completeEvent(featureOf(fields), schema, isKnown ? FLAG : undefined);
    assert.deepEqual([event.variation, event.trackEvents, event.debugEventsUntilDate], expected);
  });
}

const REFUSED: readonly [string, Json][] = [
  ['no object', 7],
  ['an array', []],
  ['no kind', {}],
  ['a kind other than a text', { kind: false }],
  ['an empty kind', { kind: '' }],
  ['no context', { kind: 'custom', key: 'k' }],
  ['a date other than a number', { kind: 'custom', creationDate: 'now', key: 'k', user: { key: 'u' } }],
  ['a metric other than a number', { kind: 'custom', key: 'k', user: { key: 'u' }, metricValue: 'much' }],
  ['trackEvents other than a boolean', { kind: 'feature', key: 'k', user: { key: 'u' }, trackEvents: 1 }],
];
for (const [what, json] of REFUSED) {
  test(`an event with ${what} is refused`, () => assert.equal(readSdkEvent(json).ok, false));
}

test('an event of another kind is left as it is', () => {
  const json = { kind: 'alias', key: 7 };
  assert.deepEqual(readSdkEvent(json), accepted({ kind: 'other', json }));
});

const KEYS: readonly [Json, string | undefined][] = [
  [{ key: 'u' }, 'u'],
  [{ key: '' }, ''],
  [{ kind: 'user', key: 'u' }, 'u'],
  [{ kind: 'org', key: 'a:b%' }, 'org:a%3Ab%25'],
  [{ kind: 'multi', user: { key: 'u' }, org: { key: 'o' } }, 'org:o:user:u'],
  [{ kind: 'multi', org: { key: 'o' } }, 'org:o'],
  [{ kind: 'org', key: '' }, undefined],
  [{ kind: 'multi' }, undefined],
  [{ kind: 'multi', multi: { key: 'x' } }, undefined],
  [{ kind: 'kind', key: 'x' }, undefined],
  [{ kind: 'a b', key: 'x' }, undefined],
  [{ kind: '', key: 'x' }, undefined],
  [{ kind: null, key: 'x' }, undefined],
  [{ key: 7 }, undefined],
  [{}, undefined],
  ['u', undefined],
  [null, undefined],
];
for (const [json, key] of KEYS) {
  test(`${JSON.stringify(json)} ${key === undefined ? 'is not a context' : `is ${key}`}`, () => {
    const read = readEventContext(json);
    assert.equal(read.ok ? read.value.context.fullyQualifiedKey : undefined, key);
    if (read.ok) assert.equal(read.value.json, json);
  });
}

test('the attributes of a context are not read', () => {
  const read = readEventContext({ kind: 'user', key: 'u', name: 7, _meta: 'x' });
  const bare = contextOf([{ kind: 'user', key: 'u', attributes: new Map(), secondary: undefined }]);
  assert.deepEqual(read.ok && read.value.context, bare);
});
