import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Clock } from '../../kernel/clock.ts';
import { RecordingLog } from '../../testing/fake-launchdarkly-parts.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import { untilSenderEnded } from './sender-process.ts';

const NEEDS_ROOT = process.geteuid?.() === 0 ? {} : { skip: 'only root can act as another user' };
const NOBODY = 65_534;

/** For which ten seconds are over in some turns. */
const IMPATIENT: Clock = {
  now: () => 0,
  monotonic: () => 0,
  every: () => () => {},
  after(_, action) {
    const immediate = setImmediate(action);
    return () => clearImmediate(immediate);
  },
};

test(
  'another user cannot name a process that the server kills as a sender that stands still',
  NEEDS_ROOT,
  async (t) => {
    const folder = temporaryFolder(t);
    chmodSync(folder, 0o1777);
    const victim = spawn('sleep', ['600']);
    const planted = join(folder, 'sender');
    mkdirSync(planted);
    writeFileSync(join(planted, 'pid'), String(victim.pid));
    const server = createServer((connection) => connection.destroy()).listen(join(planted, 'owner.sock'));
    await once(server, 'listening');
    for (const path of [planted, join(planted, 'pid'), join(planted, 'owner.sock')]) chownSync(path, NOBODY, NOBODY);
    const log = new RecordingLog();
    const stopping = new AbortController();
    victim.once('exit', () => stopping.abort());
    await untilSenderEnded(folder, { clock: IMPATIENT, log, stopped: stopping.signal });
    server.close();
    const ended = once(victim, 'exit');
    victim.kill('SIGTERM');
    assert.equal((await ended)[1], 'SIGTERM');
  },
);
