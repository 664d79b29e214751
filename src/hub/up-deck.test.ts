import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertsSummary, FlagsSummary } from './contract.ts';
import { stateOf, UpDeck } from './up-deck.ts';

const quiet: AlertsSummary = { kind: 'alerts', severities: {}, suppressed: 0, failing: [] };
const failing: AlertsSummary = {
  ...quiet,
  failing: [{ receiver: 'pager', groups: 24, since: '2026-01-01T00:00:00.000Z' }],
};
const flags = (...states: FlagsSummary['sources'][number]['state'][]): FlagsSummary => ({
  ...{ kind: 'relay', flags: 5, on: 4 },
  sources: states.map((state) => ({ environment: 'local', state })),
});

test('a server with failing notifications or a source that is off fails; an interrupted source degrades it', () => {
  assert.equal(stateOf(quiet), 'ready');
  assert.equal(stateOf(failing), 'failing');
  assert.equal(stateOf(flags('VALID', 'VALID')), 'ready');
  assert.equal(stateOf(flags('VALID', 'INTERRUPTED')), 'degraded');
  assert.equal(stateOf(flags('INITIALIZING')), 'degraded');
  assert.equal(stateOf(flags('INTERRUPTED', 'OFF')), 'failing');
});

test('a summary that fails is unknown, and never zero', async () => {
  const server = (name: string, summary: () => AlertsSummary) => ({
    ...{ name, title: name, url: `http://127.0.0.1/${name}`, summary },
    example: () => 'opsdeck',
  });
  const broken = () => {
    throw new Error('no storage');
  };
  const deck = new UpDeck(() => [server('alerts', () => failing), server('rooms', broken)]);
  deck.hubUrl = 'http://127.0.0.1:8075/';
  const [alerts, rooms] = await deck.entries();
  assert.deepEqual([alerts?.state, alerts?.summary], ['failing', failing]);
  assert.deepEqual([rooms?.state, rooms?.summary], ['unknown', null]);
  const own = { name: 'alerts', title: 'Alerts', url: './', state: 'ready' } as const;
  const report = await deck.read(own);
  assert.equal(report.hub, deck.hubUrl);
  assert.deepEqual(report.servers[0], { ...own, state: 'failing' });
  assert.deepEqual(Object.keys(report.servers[1] ?? {}), ['name', 'title', 'url', 'state']);
});
