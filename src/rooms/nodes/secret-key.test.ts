import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { openRoomDatabase } from '../testing/store/postgres-room-store.ts';
import { agreeOnSecretKey } from './secret-key.ts';

function openLog() {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  return { lines, log: createLog({ level: 'debug', format: 'logfmt', clock: new FakeClock(), write }) };
}

test('without a key, nodes that start at once use the same one, and warn of backups', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openRoomDatabase(t);
  const { lines, log } = openLog();
  const [key, ...others] = await Promise.all([1, 2, 3].map(() => agreeOnSecretKey(postgres, undefined, log)));
  assert.match(key ?? '', /^[\w+/]{43}=$/);
  assert.deepEqual(others, [key, key]);
  assert.equal(lines.length, 3);
  for (const line of lines) {
    assert.match(line, /level=WARN .*in the database, and thus in its backups: .* OPSDECK_SECRET_KEY/);
    assert.ok(!line.includes(String(key)));
  }
});

test('a given key is not stored, and a node with another or without one is refused', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openRoomDatabase(t);
  const { lines, log } = openLog();
  assert.equal(await agreeOnSecretKey(postgres, 'the right one', log), 'the right one');
  assert.equal(await agreeOnSecretKey(postgres, 'the right one', log), 'the right one');
  const [row] = await postgres.query<{ key: null; proof: string }>('SELECT key, proof FROM opsdeck.room_key');
  assert.equal(row?.key, null);
  assert.ok(!row?.proof.includes('the right one'));
  await assert.rejects(agreeOnSecretKey(postgres, 'a wrong one', log), /OPSDECK_SECRET_KEY .* as on the other nodes/);
  await assert.rejects(agreeOnSecretKey(postgres, undefined, log), /OPSDECK_SECRET_KEY: set it as on the other nodes/);
  assert.deepEqual(lines, []);
});

test('the key of the database can be taken out of it', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openRoomDatabase(t);
  const { log } = openLog();
  const key = await agreeOnSecretKey(postgres, undefined, log);
  await assert.rejects(agreeOnSecretKey(postgres, 'another', log), /leave it out, or set it to what "SELECT key/);
  assert.equal(await agreeOnSecretKey(postgres, key, log), key);
  assert.deepEqual(await postgres.query('SELECT key FROM opsdeck.room_key'), [{ key: null }]);
  await assert.rejects(agreeOnSecretKey(postgres, undefined, log), /set it as on the other nodes/);
});
