import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startOpsdeck, temporaryFolder } from '../../testing/processes.ts';

test('files of the notification process of 0.1.0 are removed', async (t) => {
  const data = join(temporaryFolder(t), 'data');
  mkdirSync(join(data, 'sender'), { recursive: true, mode: 0o700 });
  writeFileSync(join(data, 'sender', 'pid'), '4711');
  for (const name of ['notifications.sent', 'notifications.sent.new']) {
    writeFileSync(join(data, name), 'sent 0123456789abcdef0123456789abcdef 0123456789abcdef 1767225600000\n');
  }
  const server = await startOpsdeck(t, ['--storage.path', data]);
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  assert.deepEqual(readdirSync(data), ['alerts.db']);
});
