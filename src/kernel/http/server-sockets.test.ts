import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { bundleScript } from '../../testing/child-script.ts';
import { takeInheritedSockets } from './server-sockets.ts';

describe('sockets of systemd', () => {
  const cases: readonly (readonly [NodeJS.ProcessEnv, readonly number[]])[] = [
    [{ LISTEN_PID: '7', LISTEN_FDS: '2', LISTEN_FDNAMES: 'a:b' }, [3, 4]],
    [{ LISTEN_PID: '7', LISTEN_FDS: '0' }, []],
    [{ LISTEN_PID: '8', LISTEN_FDS: '1' }, []],
    [{ LISTEN_PID: '7', LISTEN_FDS: '-1' }, []],
    [{ LISTEN_PID: '7' }, []],
    [{ LISTEN_FDS: '1' }, []],
    [{}, []],
  ];
  for (const [env, expected] of cases) {
    test(`${JSON.stringify(env)} are ${JSON.stringify(expected)} for process 7, and no child inherits them`, () => {
      const given = { ...env, OTHER: 'x' };
      assert.deepEqual(takeInheritedSockets(given, 7), expected);
      assert.deepEqual(given, { OTHER: 'x' });
    });
  }

  test('are listened on by the process that inherits them', async (t) => {
    const script = await bundleScript(`
      import { systemClock } from './clock.ts';
      import { listen } from './http/server.ts';
      import { takeInheritedSockets } from './http/server-sockets.ts';
      const sockets = takeInheritedSockets({ LISTEN_PID: String(process.pid), LISTEN_FDS: '1' }, process.pid);
      const listener = await listen({ fetch: () => new Response('inherited'), addresses: [], sockets, clock: systemClock });
      console.log(listener.url + ' ' + listener.addresses);
    `);
    const opened = createServer();
    await new Promise<void>((done) => opened.listen(0, '127.0.0.1', done));
    const { port } = opened.address() as { port: number };
    // Node exposes the descriptor of a listening socket nowhere else.
    const { fd } = (opened as unknown as { _handle: { fd: number } })._handle;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'pipe', fd],
    });
    const exited = once(child, 'exit');
    t.after(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const errors = text(child.stderr as Readable);
    opened.close();
    const { value: line } = await createInterface(child.stdout as Readable)
      [Symbol.asyncIterator]()
      .next();
    assert.equal(line, `http://127.0.0.1:${port} 127.0.0.1:${port}`, line === undefined ? await errors : '');
    assert.equal(await (await fetch(`http://127.0.0.1:${port}`)).text(), 'inherited');
  });
});
