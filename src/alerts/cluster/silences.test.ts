import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { followAlerts } from '../domain/acknowledgement.ts';
import type { Silence } from '../domain/silence.ts';
import { SilenceStore } from '../silences/store.ts';
import { openAlertDatabase } from '../testing/alert-database.ts';
import { HOUR, MINUTE, matcherOf, START, silenceOf } from '../testing/parts.ts';
import { ClusterSilences } from './silences.ts';

const RULES = { retentionMs: HOUR, maxSilences: 0, maxSilenceSizeBytes: 0, classicNames: false };
const SUCCESSOR_ID = '22222222-2222-4222-8222-222222222222';

/** Two nodes over one database; the first has stored a silence, the second has loaded it. */
async function createNodes(postgres: Postgres) {
  await postgres.query('DELETE FROM opsdeck.silence');
  const [a, b] = [new ClusterSilences(postgres), new ClusterSilences(postgres)];
  // Functions of matchers compare as different.
  const first = silenceOf({ matchers: [] });
  assert.equal((await a.write([{ before: undefined, after: first }])).isWritten, true);
  await b.load();
  const stored = async () => new Map((await new ClusterSilences(postgres).load()).map((one) => [one.id, one]));
  return { a, b, first, stored };
}

const commented = (silence: Silence, comment: string): Silence => ({ ...silence, comment });

test('silences in PostgreSQL', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openAlertDatabase(t);

  await t.test('a silence is stored as it is, texts with U+0000 and lone surrogates included', async () => {
    const { a, first, stored } = await createNodes(postgres);
    const odd = commented(first, 'a\0b \\ \ud800 😀');
    await a.write([{ before: first, after: odd }]);
    assert.deepEqual((await stored()).get(first.id), odd);
  });

  await t.test('an update of a revision that is no longer the newest is refused with the newest', async () => {
    const { a, b, first, stored } = await createNodes(postgres);
    const newest = commented(first, 'by a');
    await a.write([{ before: first, after: newest }]);
    const refused = await b.write([{ before: first, after: commented(first, 'by b') }]);
    assert.deepEqual(refused, { isWritten: false, changes: [{ before: first, after: newest }] });
    assert.deepEqual((await stored()).get(first.id), newest);

    const again = commented(newest, 'by b after a');
    assert.equal((await b.write([{ before: newest, after: again }])).isWritten, true);
    assert.deepEqual((await stored()).get(first.id), again);
  });

  await t.test('of two updates of one revision at the same moment only one is written', async () => {
    const { a, first, stored } = await createNodes(postgres);
    const updates = ['one', 'other'].map((comment) => commented(first, comment));
    const results = await Promise.all(updates.map((after) => a.write([{ before: first, after }])));
    const written = updates.filter((_, index) => results[index]?.isWritten);
    assert.deepEqual(written, [(await stored()).get(first.id)]);
  });

  await t.test('what a look-up finds is known from then on, also if an earlier change arrives meanwhile', async () => {
    const { a, first } = await createNodes(postgres);
    const late = new ClusterSilences(postgres);
    const expired = { ...first, endsAt: START, updatedAt: START };
    await a.write([{ before: first, after: expired }]);
    const found: unknown[] = [];
    const looking = late.find(first.id, (silence, isNews) => found.push([silence.endsAt, isNews]));
    const logged = await postgres.query<{ body: string }>(
      "SELECT body FROM opsdeck.change WHERE kind = 'silence' AND key = $1 ORDER BY seq",
      [first.id],
    );
    const [creation, expiry] = logged.slice(-2).map(({ body }) => late.receive(first.id, body)?.endsAt);
    assert.equal(await looking, true);
    // In either order the expiry is given once, as the last.
    const given = [creation, expiry, ...found.flatMap((one) => ((one as [number, boolean])[1] ? [START] : []))];
    assert.deepEqual(
      given.filter((endsAt) => endsAt === START),
      [START],
    );
    assert.equal(await late.find('unknown', () => assert.fail('it does not exist')), false);
  });

  await t.test('a successor is written only together with the end of its predecessor', async () => {
    const { a, b, first, stored } = await createNodes(postgres);
    const replace = (silence: Silence) => [
      { before: silence, after: { ...silence, endsAt: START } },
      { before: undefined, after: { ...silence, id: SUCCESSOR_ID, endsAt: START + 2 * HOUR } },
    ];
    const newest = commented(first, 'by a');
    await a.write([{ before: first, after: newest }]);
    assert.equal((await b.write(replace(first))).isWritten, false);
    assert.deepEqual([...(await stored()).values()], [newest]);

    assert.equal((await b.write(replace(newest))).isWritten, true);
    const ends = [...(await stored()).values()].map(({ id, endsAt }) => [id, endsAt]);
    assert.deepEqual(
      new Map(ends as [string, number][]),
      new Map([
        [first.id, START],
        [SUCCESSOR_ID, START + 2 * HOUR],
      ]),
    );
  });

  await t.test('a change is news once, whether its answer or the feed brings it first', async () => {
    const { a, b, first } = await createNodes(postgres);
    const after = commented(first, 'by a');
    const { changes } = await a.write([{ before: first, after }]);
    assert.deepEqual(changes, [{ before: first, after }]);
    const [logged] = await postgres.query('SELECT key, body FROM opsdeck.change ORDER BY seq DESC LIMIT 1');
    const [key, body] = [String(logged?.key), String(logged?.body)];
    assert.equal(a.receive(key, body), undefined);
    assert.deepEqual(b.receive(key, body), after);
    assert.equal(b.receive(key, body), undefined);
  });

  await t.test('a look-up after a refused change is no news once the feed has brought a later change', async () => {
    const { a, first } = await createNodes(postgres);
    const [second, third] = [commented(first, 'second'), commented(first, 'third')];
    const overtaken: Pick<Postgres, 'query'> = {
      async query<R>(...[sql, values, options]: Parameters<Postgres['query']>) {
        const rows = await postgres.query<R>(sql, values, options);
        if (sql.startsWith('SELECT') && values?.length === 1) {
          await a.write([{ before: second, after: third }]);
          const [logged] = await postgres.query('SELECT key, body FROM opsdeck.change ORDER BY seq DESC LIMIT 1');
          assert.deepEqual(b.receive(String(logged?.key), String(logged?.body)), third);
        }
        return rows;
      },
    };
    const b = new ClusterSilences(overtaken as Postgres);
    await b.load();
    await a.write([{ before: first, after: second }]);
    const refused = await b.write([{ before: first, after: commented(first, 'refused') }]);
    assert.deepEqual(refused, { isWritten: false, changes: [] });
  });

  await t.test('a silence that PostgreSQL has lost is stored again, and can be changed', async () => {
    const { a, b, first, stored } = await createNodes(postgres);
    const newest = commented(first, 'by a');
    await a.write([{ before: first, after: newest }]);
    await postgres.query('DELETE FROM opsdeck.silence');
    for (const node of [a, b]) await node.load();
    await Promise.all([a.restore([newest]), b.restore([newest])]);
    assert.deepEqual((await stored()).get(first.id), newest);
    const later = commented(newest, 'after the failover');
    assert.equal((await b.write([{ before: newest, after: later }])).isWritten, true);
    assert.deepEqual((await stored()).get(first.id), later);
  });

  await t.test('one node renews an acknowledgement, and none revives it once another has expired it', async () => {
    const { a, b, first } = await createNodes(postgres);
    const annotations = { acknowledged_until: new Date(START + HOUR).toISOString() };
    const matchers = [matcherOf('a', '=', 'b')];
    await a.write([{ before: first, after: { ...first, matchers, annotations, endsAt: START + 15 * MINUTE } }]);
    const nodes = [a, b].map((storage) => new SilenceStore(storage, RULES, () => SUCCESSOR_ID));
    for (const node of nodes) await node.load();
    const firing = [{ startsAt: START, endsAt: START + HOUR }];
    const renewAt = (at: number) => (silence: Silence) => followAlerts(silence, firing, at);
    const stored = () => postgres.query("SELECT revision, body::json->>'endsAt' AS end FROM opsdeck.silence");

    await Promise.all(nodes.map((node) => node.change(first.id, renewAt(START + 6 * MINUTE))));
    assert.deepEqual(await stored(), [{ revision: 3, end: String(START + 21 * MINUTE) }]);
    await nodes[0]?.expire(first.id, START + 7 * MINUTE);
    await nodes[1]?.change(first.id, renewAt(START + 12 * MINUTE));
    assert.deepEqual(await stored(), [{ revision: 4, end: String(START + 7 * MINUTE) }]);
  });

  await t.test('a silence that another node has changed is not deleted', async () => {
    const { a, b, first, stored } = await createNodes(postgres);
    const longer = { ...first, endsAt: START + 9 * HOUR };
    await a.write([{ before: first, after: longer }]);
    await b.delete([first]);
    assert.deepEqual((await stored()).get(first.id), longer);
    await a.delete([longer]);
    assert.equal((await stored()).size, 0);
  });
});
