import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import type { StreamClient } from '../../kernel/sse/client.ts';
import type { Fanout } from '../../kernel/sse/fanout.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { PingStream } from './ping.ts';

/** A stream whose clients note when they were pinged, in milliseconds since the start; the ping at the beginning is left out. */
function openClients(count: number, pingJitterMs: number, randoms: readonly number[] = []) {
  const clock = new FakeClock(0);
  const left = [...randoms];
  const clients: StreamClient[] = [];
  const leave: (() => void)[] = [];
  const pings: number[][] = [];
  const fanout: Pick<Fanout, 'open' | 'send'> = {
    open() {
      const own: number[] = [];
      pings.push(own);
      const client = {
        lastEventId: '',
        isOpen: true,
        send: () => void own.push(clock.now()),
        waitingBytes: 0,
        end: () => {},
        whenRead: () => {},
        whenOver: (gone) => void leave.push(gone),
      } satisfies StreamClient;
      clients.push(client);
      return client;
    },
    send: (frame) => {
      for (const client of clients) client.send(frame);
    },
  };
  const stream = new PingStream(fanout, { clock, pingJitterMs, random: () => left.shift() ?? 0 });
  for (let opened = 0; opened < count; opened++) stream.open({} as ServerResponse, {});
  return { clock, stream, pings, leave };
}

describe('pings', () => {
  test('without jitter are sent at once, one for each change', () => {
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

  test('are sent once for all changes until then, and again for later changes', () => {
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

  test('are not sent to clients that have disconnected meanwhile', () => {
    const { clock, stream, pings, leave } = openClients(2, 1000);
    stream.changed();
    leave[0]?.();
    clock.advance(1000);
    stream.changed();
    clock.advance(1000);
    assert.deepEqual(pings, [[], [500, 1500]]);
  });
});
