import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import type { Fanout, StreamClient } from '../kernel/sse.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { PingStream } from './streams-ping.ts';

/** A stream whose clients note when they were pinged, in milliseconds since the start; the ping at the beginning is left out. */
function openClients(count: number, pingJitterMs: number, randoms: readonly number[] = []) {
  const clock = new FakeClock(0);
  const left = [...randoms];
  const clients: StreamClient[] = [];
  const pings: number[][] = [];
  const fanout: Pick<Fanout, 'open' | 'send'> = {
    open(outgoing) {
      const own: number[] = [];
      pings.push(own);
      const client = {
        outgoing,
        lastEventId: '',
        isOpen: true,
        send: () => void own.push(clock.now()),
        end: () => {},
      } satisfies StreamClient;
      clients.push(client);
      return client;
    },
    send: (frame) => {
      for (const client of clients) client.send(frame);
    },
  };
  const stream = new PingStream(fanout, { clock, pingJitterMs, random: () => left.shift() ?? 0 });
  const outgoings = Array.from({ length: count }, () => new EventEmitter() as ServerResponse);
  for (const outgoing of outgoings) stream.open(outgoing, {});
  return { clock, stream, pings, outgoings };
}

describe('pings', () => {
  test('without jitter come at once, one for each change', () => {
    const { stream, pings } = openClients(2, 0);
    stream.changed();
    stream.replaced();
    assert.deepEqual(pings, [
      [0, 0],
      [0, 0],
    ]);
  });

  test('with jitter come between half of it and the whole, each client at its own time', () => {
    const { clock, stream, pings } = openClients(3, 1000, [0, 0.5, 0.9999]);
    stream.changed();
    clock.advance(5000);
    assert.deepEqual(pings, [[500], [750], [1000]]);
  });

  test('come once for all that changes until they are sent, and again for what changes later', () => {
    const { clock, stream, pings } = openClients(1, 1000);
    stream.changed();
    clock.advance(499);
    stream.changed();
    stream.replaced();
    clock.advance(1);
    stream.changed();
    clock.advance(5000);
    assert.deepEqual(pings, [[500, 1000]]);
  });

  test('do not come to who has gone meanwhile', () => {
    const { clock, stream, pings, outgoings } = openClients(2, 1000);
    stream.changed();
    outgoings[0]?.emit('close');
    clock.advance(1000);
    stream.changed();
    clock.advance(1000);
    assert.deepEqual(pings, [[], [500, 1500]]);
  });
});
