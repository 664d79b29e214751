import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLog } from '../../../kernel/log.ts';
import { StorageAwayError } from '../../../kernel/postgres/storage-error.ts';
import { FakeClock } from '../../../testing/fake/clock.ts';
import { StatementError, StorageFullError } from '../store.ts';
import { guardQueries } from './queries.ts';

const sqlError = (code: string) => Object.assign(new Error(`error ${code}`), { code, severity: 'ERROR' });

test('an error of a statement says whether PostgreSQL is away or full, and is logged otherwise', async () => {
  const lines: string[] = [];
  const log = createLog({
    level: 'error',
    format: 'logfmt',
    clock: new FakeClock(),
    write: (line) => void lines.push(line),
  });
  const fail = (error: Error) => {
    const { query } = guardQueries({ isUp: true, query: () => Promise.reject(error) }, log);
    return query('SELECT');
  };
  await assert.rejects(fail(sqlError('53100')), StorageFullError);
  await assert.rejects(fail(new StorageAwayError('no answer', { isUncertain: true })), StorageAwayError);
  assert.deepEqual(lines, []);
  await assert.rejects(fail(sqlError('22P02')), StatementError);
  assert.match(lines.join(), /error 22P02/);
});
