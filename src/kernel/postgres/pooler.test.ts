import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../testing/eventually.ts';
import { openForTest } from '../../testing/opened-postgres.ts';
import { startPgBouncer } from '../../testing/pgbouncer.ts';
import { needsPostgres, openTestDatabase } from '../../testing/postgres.ts';
import { needsReal } from '../../testing/processes.ts';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { ChangeFeed } from './change-feed.ts';
import { Members } from './members.ts';
import { migrate } from './migrations.ts';
import { KERNEL_STEPS } from './schema.ts';

test('everything works behind PgBouncer in transaction mode, where changes are found by polling', async (t) => {
  if (!needsPostgres(t) || !needsReal(t, 'pgbouncer', 'pgbouncer')) return;
  const pooler = await startPgBouncer(t, await openTestDatabase());
  const nodes = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => {
      const { postgres, lines } = await openForTest(t, pooler.url, { name });
      const keys: string[] = [];
      const feed = new ChangeFeed({
        postgres,
        clock: systemClock,
        log: createLog({ level: 'info', format: 'logfmt', clock: systemClock, write: (line) => void keys.push(line) }),
        apply: (changes) => void keys.push(...changes.map(({ key }) => key)),
        reload: async () => {},
      });
      t.after(() => feed.close());
      return { name, postgres, lines, keys, feed };
    }),
  );
  await Promise.all(nodes.map(({ postgres }) => migrate(postgres, 'kernel', KERNEL_STEPS)));
  await Promise.all(nodes.map(({ feed }) => feed.start()));
  await Promise.all(
    nodes.flatMap(({ name, postgres }) =>
      Array.from({ length: 20 }, (_, count) =>
        postgres.query('SELECT opsdeck.log_changes(ARRAY[$1], ARRAY[$2], ARRAY[NULL])', ['item', `${name}${count}`]),
      ),
    ),
  );
  for (const { keys, lines } of nodes) {
    await eventually('all changes', () => keys.length >= 60);
    assert.equal(new Set(keys).size, 60);
    assert.deepEqual(keys, nodes[0]?.keys);
    assert.deepEqual(lines, []);
  }
  const common = { clock: systemClock, component: 'alerts', version: '1', configHash: 'h' };
  const members = nodes.map(({ name, postgres }) => new Members({ ...common, postgres, name, address: name }));
  await Promise.all(members.map((member) => member.start()));
  for (const member of members) await eventually('three nodes', () => member.list().length === 3);
  await Promise.all(members.map((member) => member.leave()));
});
