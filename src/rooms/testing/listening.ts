// Rooms on a port, for tests of the wire.
import { systemClock } from '../../kernel/clock.ts';
import { listen } from '../../kernel/http/server.ts';
import { RawConnection } from '../../testing/http/raw-connection.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { openTestRooms, type TestRooms, type TestRoomsOptions } from './app.ts';

export interface ListeningRooms extends TestRooms {
  readonly url: string;
  /** Sends a head and a body unchanged; returns the answer with its body. */
  raw(
    head: string,
    body?: string | Buffer,
  ): Promise<{ readonly status: number; readonly head: string; readonly body: string }>;
}

export async function openListeningRooms(t: Cleanup, options: TestRoomsOptions = {}): Promise<ListeningRooms> {
  const rooms = await openTestRooms(t, options);
  const { app, endStreams } = rooms.rooms;
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: app.fetch, addresses, clock: systemClock, endStreams });
  t.after(() => listener.close(0));
  const { url } = listener;
  return {
    ...rooms,
    url,
    async raw(head, body = '') {
      const connection = await RawConnection.open(url, { keepBodies: true });
      const bytes = Buffer.from(body);
      const [method = ''] = head.split(' ', 1);
      const length = bytes.length > 0 ? `Content-Length: ${bytes.length}\r\n` : '';
      const whole = Buffer.concat([
        Buffer.from(`${head.trim().replace(/\n/g, '\r\n')}\r\n${length}\r\n`, 'latin1'),
        bytes,
      ]);
      const answer = await connection.exchange(method, whole);
      connection.close();
      return { ...answer, body: answer.body.toString() };
    },
  };
}
