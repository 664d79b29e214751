import { createLog, type Log } from '../../kernel/log.ts';
import { migrate } from '../../kernel/postgres/migrations.ts';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { KERNEL_STEPS } from '../../kernel/postgres/schema.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { openForTest } from '../../testing/opened-postgres.ts';
import { openTestDatabase } from '../../testing/postgres.ts';
import type { Cleanup } from '../../testing/processes.ts';
import { ALERT_STEPS } from '../cluster/schema.ts';

/** A database with the tables of the alert servers, opened as a node does; closed after the test. */
export async function openAlertDatabase(t: Cleanup): Promise<Postgres> {
  const { url } = await openTestDatabase();
  const { postgres } = await openForTest(t, url);
  await migrate(postgres, 'kernel', KERNEL_STEPS);
  await migrate(postgres, 'alerts', ALERT_STEPS);
  return postgres;
}

/** Fails at the first error that is logged. */
export const strictLog: Log = createLog({
  level: 'error',
  format: 'logfmt',
  clock: new FakeClock(),
  write: (line) => {
    throw new Error(line);
  },
});
