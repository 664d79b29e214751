// A room with a scripted model as its copilot, and all its commits and events.
import assert from 'node:assert/strict';
import { systemClock } from '../../../kernel/clock.ts';
import { listen } from '../../../kernel/http/server.ts';
import { openSse, type SseStream } from '../../../testing/http/sse-client.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import type { Committed, RoomEvent, RunChanged } from '../../domain/event.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Run } from '../../domain/run/run.ts';
import type { EphemeralEvent } from '../../feed/live.ts';
import { openTestRooms, type TestRooms, type TestRoomsOptions } from '../app.ts';
import { type FakeModel, startFakeModel } from './fake-model.ts';

export const MODEL_KEY = 'sk-test-4f5b8c0d9e1a2b3c4d5e6f70';

export interface CopilotRoom {
  readonly rooms: TestRooms;
  readonly model: FakeModel;
  /** All commits since the room was made. */
  readonly events: readonly RoomEvent[];
  /** All ephemeral events. */
  readonly published: readonly EphemeralEvent[];
  /** Posts into the room as ana; returns the message. */
  post(body: string, more?: object): Promise<Message>;
  /** The first event, past or future, that passes the test. */
  event(test: (event: RoomEvent) => boolean): Promise<RoomEvent>;
  /** The run of the first event of that type that passes the test. */
  run(type: RunChanged['type'], test?: (run: Run) => boolean): Promise<Run>;
  /** The end of the run that a message has started. */
  ended(trigger: Pick<Message, 'id'>): Promise<Run>;
  /** The current message of a run. */
  answer(run: Pick<Run, 'messageId'>): Promise<Message>;
}

/** The room is `ops`; ana owns it. `copilot`: beside provider `fake` and model `test-1`. */
export async function openCopilotRoom(
  t: Cleanup & { after(end: () => Promise<void>): void },
  {
    copilot = {},
    kind = 'openai',
    ...options
  }: TestRoomsOptions & { readonly copilot?: object; readonly kind?: 'openai' | 'anthropic' | 'echo' } = {},
): Promise<CopilotRoom> {
  const model = await startFakeModel(t);
  return makeCopilotRoom(await openTestRooms(t, options), model, { copilot, kind });
}

/** Makes that room. */
export async function makeCopilotRoom(
  rooms: TestRooms,
  model: FakeModel,
  {
    copilot = {},
    kind = 'openai',
  }: { readonly copilot?: object; readonly kind?: 'openai' | 'anthropic' | 'echo' } = {},
): Promise<CopilotRoom> {
  const provider = { name: 'fake', kind, baseUrl: model.url, model: 'test-1', apiKey: MODEL_KEY, allowPrivate: true };
  const made = await rooms.send('POST', '/api/provider', { as: 'ana', body: provider });
  assert.equal(made.status, 201, made.text);
  const room = await rooms.send('POST', '/api/room', {
    as: 'ana',
    body: { name: 'Ops', copilot: { provider: 'fake', ...copilot } },
  });
  assert.equal(room.status, 201, room.text);
  return follow(rooms, model);
}

/** Lets the room listen on a port; opens streams of it as ana. */
export async function openWire(
  t: { after(end: () => Promise<void>): void },
  { rooms: { rooms } }: CopilotRoom,
): Promise<(path: string) => Promise<SseStream>> {
  const { app, endStreams } = rooms;
  const addresses = [{ host: '127.0.0.1', port: 0 }];
  const listener = await listen({ fetch: app.fetch, addresses, clock: systemClock, endStreams });
  t.after(() => listener.close(1_000));
  const { port } = new URL(listener.url);
  return (path) => openSse(`http://127.0.0.1:${port}${path}`, { headers: { 'x-opsdeck-user': 'ana' } });
}

/** The same room again, after a restart. */
export function follow(rooms: TestRooms, model: FakeModel): CopilotRoom {
  const events: RoomEvent[] = [];
  const published: EphemeralEvent[] = [];
  const waiting = new Set<() => void>();
  rooms.core.writer.onCommit((committed: readonly Committed[]) => {
    events.push(...committed.map(({ event }) => event));
    for (const look of [...waiting]) look();
  });
  const { feed } = rooms.core;
  const announce = feed.announce.bind(feed);
  feed.announce = (event) => {
    published.push(event);
    announce(event);
  };
  const event = <T>(find: (event: RoomEvent) => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = () => {
        for (const one of events) {
          const found = find(one);
          if (found === undefined) continue;
          waiting.delete(look);
          return resolve(found);
        }
      };
      waiting.add(look);
      look();
    });
  const run: CopilotRoom['run'] = (type, test = () => true) =>
    event((one) => ('run' in one && one.type === type && test(one.run) ? one.run : undefined));
  return {
    rooms,
    model,
    events,
    published,
    event: (test) => event((one) => (test(one) ? one : undefined)),
    run,
    async post(body, more = {}) {
      const posted = await rooms.send('POST', '/api/room/ops/message', { as: 'ana', body: { body, ...more } });
      assert.equal(posted.status, 201, posted.text);
      return posted.json;
    },
    ended: ({ id }) => run('run.finished', ({ triggerId }) => triggerId === id),
    async answer({ messageId }) {
      const found = await rooms.send('GET', `/api/message/${messageId}`, { as: 'ana' });
      assert.equal(found.status, 200, found.text);
      return found.json;
    },
  };
}
