import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../testing/fake/clock.ts';
import { startHttpSink } from '../../testing/http/sink.ts';
import { openDeck } from './deck.ts';
import { type DeckServer, readDeck } from './report.ts';

const own: DeckServer = { name: 'rooms', title: 'Rooms', url: './', state: 'ready' };
const alerts: DeckServer = { name: 'alerts', title: 'Alerts', url: 'http://127.0.0.1:9093/', state: 'failing' };

test('a server without a hub lists only itself', async () => {
  assert.deepEqual(await openDeck(undefined, new FakeClock())(own), { hub: null, servers: [own] });
});

test("a server shows its hub's list with itself in it, asks again after ten seconds, and stands alone without an answer", async (t) => {
  let status = 200;
  const servers = [alerts, { ...own, url: 'http://127.0.0.1:8065/', state: 'failing' }];
  const hub = await startHttpSink(t, () => ({ status, body: JSON.stringify({ hub: './', servers }) }));
  const clock = new FakeClock();
  const deck = openDeck(hub.url, clock);
  const together = { hub: `${hub.url}/`, servers: [alerts, own] };
  assert.deepEqual(await deck(own), together);
  status = 500;
  assert.deepEqual(await deck(own), together);
  assert.equal(hub.requests.length, 1);
  clock.advance(10_000);
  assert.deepEqual(await deck(own), { hub: null, servers: [own] });
});

test("of another server's list only names, titles, web addresses and states are read", () => {
  const odd = [
    null,
    'x',
    { ...alerts, name: '<b>' },
    { ...alerts, url: 'javascript:alert(1)' },
    { ...alerts, url: 'http://ada:secret@127.0.0.1/' },
  ];
  const reported = { ...alerts, title: 'A'.repeat(80), url: 'http://0.0.0.0:9093/', state: 'fine', secret: 's' };
  const text = JSON.stringify({ hub: 'javascript:alert(1)', servers: [...odd, reported] });
  assert.deepEqual(readDeck(text, 'http://ops.example:8075/deck.json'), {
    hub: null,
    servers: [{ name: 'alerts', title: 'A'.repeat(40), url: 'http://ops.example:9093/', state: 'unknown' }],
  });
  for (const invalid of ['', 'null', '[]', '{}']) assert.equal(readDeck(invalid, 'http://ops.example/'), undefined);
});
