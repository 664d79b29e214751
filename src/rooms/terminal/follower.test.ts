import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { RefusedError, type RoomsClient } from './client.ts';
import { type Followed, Follower } from './follower.ts';

/** Connections with the listed outcomes, one after the other; the last stays open. */
function following(outcomes: readonly (Error | 'open')[]) {
  const clock = new FakeClock();
  const over = new AbortController();
  let tries = 0;
  const client: Pick<RoomsClient, 'clock' | 'open' | 'read'> = {
    clock,
    async open() {
      const outcome = outcomes[tries++];
      if (outcome instanceof Error) throw outcome;
      return { status: 200, headers: new Headers(), body: Readable.from([]) };
    },
    async *read() {
      if (tries === outcomes.length && !over.signal.aborted)
        await new Promise((done) => over.signal.addEventListener('abort', done));
    },
  };
  const options = { rooms: 'ops', cursor: 'e-1', ephemeral: false, signal: over.signal };
  const events = new Follower(client as RoomsClient, options).events();
  const next = async (): Promise<Followed | undefined> => {
    const found = events.next();
    found.catch(() => {});
    for (let waits = 0; waits < 20; waits++) {
      await new Promise((done) => setImmediate(done));
      clock.advance(1_000);
    }
    return (await found).value;
  };
  return { next, tries: () => tries, stop: () => over.abort() };
}

const away = new CommandError('nobody answers', ExitCode.unreachable);

test('an absent server is waited for, at the first connection and later, and reported once', async () => {
  const { next, tries, stop } = following([away, away, 'open', away, 'open']);
  assert.deepEqual(await next(), { kind: 'lost', why: 'nobody answers' });
  assert.deepEqual(await next(), { kind: 'open' });
  assert.equal(tries(), 3);
  assert.deepEqual(await next(), { kind: 'lost', why: 'the server has ended the stream' });
  assert.deepEqual(await next(), { kind: 'open' });
  stop();
  assert.equal(await next(), undefined);
});

test('a connection that is refused for good ends it', async () => {
  const refused = new RefusedError('no such room', { status: 404, headers: new Headers() });
  const { next } = following([refused]);
  await assert.rejects(next, refused);
});
