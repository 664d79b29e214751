import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../testing/random.ts';
import { type AlertmanagerConfig, readConfig } from './alertmanager-config.ts';
import { printConfig } from './print-config.ts';

test('a configuration is written with its defaults filled in', () => {
  const read = readConfig('route: {receiver: a}\nreceivers: [{name: a}, {name: b}]\n', false);
  assert.ok(read.ok);
  assert.equal(
    printConfig(read.value),
    `global:
  resolve_timeout: 5m
route:
  receiver: a
  continue: false
  group_wait: 30s
  group_interval: 5m
  repeat_interval: 4h
receivers:
  - name: a
  - name: b
`,
  );
});

const NAMES = [
  'a',
  'team-a/pager',
  '2',
  '0x10',
  '1e3',
  'yes',
  'no',
  'null',
  '~',
  'true',
  '-',
  '- a',
  '#a',
  'a #b',
  'a: b',
  ' a ',
  '\ta\n',
  '"',
  "'",
  '*a',
  '&a',
  '!a',
  '{a}',
  '[a]',
  '<<',
  '2026-01-01',
  'été 😀',
  '\u0085\u2028',
  'long '.repeat(40),
];

function randomConfig(random: Random): AlertmanagerConfig {
  const receivers = [...new Set([random.pick(NAMES), ...random.some(NAMES, 6)])];
  const groupBy = random.chance(0.2) ? ['...'] : random.some(NAMES, 4);
  const duration = () => random.pick([1, 999, 1_000, 90_000, 3_600_001, 86_400_000, 7 * 86_400_000, 366 * 86_400_000]);
  return {
    resolveTimeoutMs: random.chance(0.1) ? 0 : duration(),
    route: {
      receiver: random.pick(receivers),
      groupBy: groupBy.length > 0 ? groupBy : undefined,
      groupWaitMs: random.chance(0.2) ? 0 : duration(),
      groupIntervalMs: duration(),
      repeatIntervalMs: duration(),
    },
    receivers,
  };
}

test('what is written is read back as it was, whatever the names are', () => {
  const random = new Random(8);
  for (let round = 0; round < 300; round++) {
    const config = randomConfig(random);
    const printed = printConfig(config);
    assert.deepEqual(readConfig(printed, false), { ok: true, value: config }, printed);
  }
});
