import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import type { StateView } from '../domain/change.ts';
import { Presence } from '../feed/presence.ts';
import { SharedPresence } from './shared-presence.ts';
import type { Signal, SignalListener } from './signals.ts';

const SECOND_MS = 1_000;
const state = {
  roomIdsOf: () => ['room'],
  memberCount: () => 3,
} as unknown as StateView;

/** Nodes on one clock, which hear each other unless cut off. */
function openNodes(count: number) {
  const clock = new FakeClock();
  const listeners = new Map<string, SignalListener>();
  const sent: Signal[] = [];
  const cut = new Set<string>();
  const nodes = Array.from({ length: count }, (_, index) => {
    const name = `node-${index}`;
    const now = () => clock.now();
    const presence = new Presence(state, now);
    const signals = {
      listen: (listener: SignalListener) => void listeners.set(name, listener),
      send(signal: Signal) {
        sent.push(signal);
        if (cut.has(name)) return;
        for (const [other, hear] of listeners) if (other !== name) hear(signal, name);
      },
    };
    const shared = new SharedPresence(presence, signals, now);
    clock.every(SECOND_MS, () => shared.tick(clock.now()));
    return { name, shared, online: () => presence.online('room').map(({ userId }) => userId) };
  });
  return { clock, nodes, sent, cut: (name: string) => void cut.add(name), hear: listeners };
}

test('a user with a stream at one node is online on all within a second, and for a minute afterwards', () => {
  const { clock, nodes } = openNodes(2);
  const [a, b] = nodes;
  a?.shared.opened('ana');
  a?.shared.opened('ana');
  clock.advance(SECOND_MS);
  assert.deepEqual(b?.online(), ['ana']);
  a?.shared.closed('ana');
  clock.advance(70 * SECOND_MS);
  assert.deepEqual(b?.online(), ['ana']);
  a?.shared.closed('ana');
  clock.advance(50 * SECOND_MS);
  assert.deepEqual([a?.online(), b?.online()], [['ana'], ['ana']]);
  clock.advance(12 * SECOND_MS);
  assert.deepEqual([a?.online(), b?.online()], [[], []]);
});

test('a user with streams at two nodes is online until both are closed', () => {
  const { clock, nodes } = openNodes(3);
  const [a, b, c] = nodes;
  a?.shared.opened('ana');
  b?.shared.opened('ana');
  clock.advance(SECOND_MS);
  a?.shared.closed('ana');
  clock.advance(100 * SECOND_MS);
  for (const { online } of nodes) assert.deepEqual(online(), ['ana']);
  b?.shared.closed('ana');
  clock.advance(62 * SECOND_MS);
  assert.deepEqual(c?.online(), []);
});

test('the users of a silent node are forgotten', () => {
  const { clock, nodes, cut } = openNodes(2);
  const [a, b] = nodes;
  a?.shared.opened('ana');
  clock.advance(SECOND_MS);
  cut('node-0');
  clock.advance(39 * SECOND_MS);
  assert.deepEqual(b?.online(), ['ana']);
  clock.advance(63 * SECOND_MS);
  assert.deepEqual(b?.online(), []);
});

test('a node announces changes once, and everything after 15 s or when another node starts', () => {
  const { clock, nodes, sent, hear } = openNodes(2);
  const [a] = nodes;
  for (let number = 0; number < 120; number++) a?.shared.opened(`user-${number}`);
  const count = () => sent.splice(0).reduce((sum, signal) => sum + ('users' in signal ? signal.users.length : 0), 0);
  clock.advance(SECOND_MS);
  assert.equal(count(), 120);
  clock.advance(13 * SECOND_MS);
  assert.equal(count(), 0);
  clock.advance(SECOND_MS);
  assert.equal(count(), 120);
  hear.get('node-0')?.({ type: 'hello' }, 'node-2');
  clock.advance(SECOND_MS);
  assert.equal(count(), 120);
});
