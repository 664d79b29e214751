import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertsSummary, HubEntry, RoomsSummary } from './contract.ts';
import { createHubApp } from './server.ts';
import { type DescribedServer, UpDeck } from './up-deck.ts';

const quiet: AlertsSummary = { kind: 'alerts', severities: {}, suppressed: 0, failing: [], faults: [] };
const failing: AlertsSummary = {
  ...quiet,
  failing: [{ receiver: 'pager', groups: 24, since: '2026-01-01T00:00:00.000Z' }],
};

const server = (name: string, summary: DescribedServer['summary']): DescribedServer => ({
  ...{ name, title: name, url: `http://127.0.0.1/${name}`, summary },
  state: () => (name === 'alerts' ? 'failing' : 'ready'),
  example: () => 'opsdeck',
});

test('a summary that fails is unknown, and never zero', async () => {
  const broken = () => {
    throw new Error('no storage');
  };
  const deck = new UpDeck(() => [server('alerts', () => failing), server('rooms', broken)]);
  const [alerts, rooms] = await deck.entries(undefined);
  assert.deepEqual([alerts?.state, alerts?.summary], ['failing', failing]);
  assert.deepEqual([rooms?.state, rooms?.summary], ['ready', null]);
});

test('the header of a server has the states of all, its own as it reports it, and no numbers', async () => {
  const deck = new UpDeck(() => [server('alerts', () => failing), server('rooms', () => failing)]);
  deck.hubUrl = 'http://127.0.0.1:8075/';
  const own = { name: 'rooms', title: 'Rooms', url: './', state: 'degraded' } as const;
  const url = 'http://127.0.0.1/alerts';
  assert.deepEqual(await deck.read(own), {
    hub: deck.hubUrl,
    servers: [{ name: 'alerts', title: 'alerts', url, state: 'failing' }, own],
  });
});

test('the cookies of the page reach the rooms, which know its user; the answer is for this site alone', async () => {
  const rooms = (cookies: string | undefined): RoomsSummary => ({
    ...{ kind: 'rooms', rooms: 1, firing: 0 },
    mentions: cookies === 'opsdeck_user=ana' ? 3 : null,
  });
  const app = createHubApp(new UpDeck(() => [server('rooms', rooms)]));
  const mentions = async (headers: Record<string, string>) => {
    const answer = await app.request('/servers.json', { headers });
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.headers.get('cross-origin-resource-policy'), 'same-origin');
    const entries = (await answer.json()) as readonly [HubEntry];
    return (entries[0].summary as RoomsSummary).mentions;
  };
  assert.equal(await mentions({ cookie: 'opsdeck_user=ana' }), 3);
  assert.equal(await mentions({}), null);
});
