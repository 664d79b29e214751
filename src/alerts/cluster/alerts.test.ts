import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Postgres } from '../../kernel/postgres/postgres.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { needsPostgres } from '../../testing/postgres.ts';
import { Random } from '../../testing/random.ts';
import { type Alert, joinVersions } from '../domain/alert.ts';
import { encodeContent } from '../store/storage.ts';
import { openAlertDatabase, strictLog } from '../testing/alert-database.ts';
import { alertOf, MINUTE, START, slotOf } from '../testing/parts.ts';
import { ClusterAlerts, saysMore } from './alerts.ts';

const PAIRS = 5_000;

interface Version {
  readonly alert: Alert;
  readonly isSettled: boolean;
}

const ANNOTATIONS = ['{}', '{"a":"b"}', '{"a":"bc"}', '{"a":"\\\\"}', '{"a":"\uffff"}', '{"a":"\u{1f4a9}"}'];
const URLS = ['', 'http://p/g', 'http://p/g!', 'http://p/g"'];

/** From few instants, so that versions often overlap, touch, or have the same times. */
function randomVersion(random: Random): Version {
  const startsAt = random.int(0, 8);
  const alert = {
    ...alertOf({ alertname: 'DiskFull' }),
    annotationsJson: random.pick(ANNOTATIONS),
    generatorURL: random.pick(URLS),
    startsAt,
    endsAt: startsAt + random.int(0, 6),
    updatedAt: random.int(0, 6),
    timeout: random.chance(0.5),
  };
  return { alert, isSettled: random.chance(0.3) };
}

/** The same three times, so that only the rest can decide which version is newer. */
function withTimesOf(version: Version, { alert: { startsAt, endsAt, updatedAt } }: Version): Version {
  return { ...version, alert: { ...version.alert, startsAt, endsAt, updatedAt } };
}

const rowOf = ({ alert, isSettled }: Version) => ({
  fingerprint: alert.fingerprint,
  content: encodeContent(alert),
  starts_at: alert.startsAt,
  ends_at: alert.endsAt,
  updated_at: alert.updatedAt,
  timeout: alert.timeout,
  settled: isSettled,
});

/** Of the newer version; of either, if they are equally new. */
function isJoinSettled(a: Version, b: Version): boolean {
  if (a.alert.updatedAt === b.alert.updatedAt) return a.isSettled || b.isSettled;
  return a.alert.updatedAt > b.alert.updatedAt ? a.isSettled : b.isSettled;
}

/** What PostgreSQL makes of each pair of versions; `as` is an expression over both. */
async function compute(postgres: Postgres, pairs: readonly (readonly [Version, Version])[], as: string) {
  const sql = `
    SELECT to_json(${as}) AS result FROM json_array_elements($1::json) WITH ORDINALITY AS pairs (pair, place),
      json_populate_record(NULL::opsdeck.alert, pair->0) AS a, json_populate_record(NULL::opsdeck.alert, pair->1) AS b
    ORDER BY place`;
  const rows = await postgres.query(sql, [JSON.stringify(pairs.map(([a, b]) => [rowOf(a), rowOf(b)]))]);
  return rows.map(({ result }) => result);
}

/** Shows the first difference alone. */
function assertSame(actual: readonly unknown[], expected: readonly unknown[]): void {
  assert.equal(actual.length, expected.length);
  for (const [index, one] of expected.entries()) assert.deepEqual(actual[index], one);
}

test('PostgreSQL and a node decide alike', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openAlertDatabase(t);
  const random = new Random(17);
  const pairs = Array.from({ length: PAIRS }, () => {
    const [a, b] = [randomVersion(random), randomVersion(random)];
    return [a, random.chance(0.3) ? withTimesOf(b, a) : b] as const;
  });

  await t.test('how two versions of an alert are joined, in either order', async () => {
    const expected = pairs.map(([a, b]) =>
      rowOf({ alert: joinVersions(a.alert, b.alert), isSettled: isJoinSettled(a, b) }),
    );
    assertSame(await compute(postgres, pairs, 'opsdeck.join_alerts(a, b)'), expected);
    assertSame(await compute(postgres, pairs, 'opsdeck.join_alerts(b, a)'), expected);
    for (const [a, b] of pairs) assert.deepEqual(joinVersions(b.alert, a.alert), joinVersions(a.alert, b.alert));
  });

  await t.test('whether a version says more than the stored one', async () => {
    const expected = pairs.map(([stored, now]) => saysMore(now, stored));
    assertSame(await compute(postgres, pairs, 'opsdeck.says_more(a, b)'), expected);
    assert.deepEqual(new Set(expected), new Set([true, false]));
  });
});

test('alerts in PostgreSQL', async (t) => {
  if (!needsPostgres(t)) return;
  const postgres = await openAlertDatabase(t);
  const createNode = () => new ClusterAlerts(postgres, new FakeClock(), strictLog);
  const [a, b] = [createNode(), createNode()];
  const stored = async ({ alert }: Version) =>
    (await createNode().load()).find((one) => one.alert.fingerprint === alert.fingerprint);
  const countLogged = async () =>
    (await postgres.query("SELECT count(*)::int AS count FROM opsdeck.change WHERE kind = 'alert'"))[0]
      ?.count as number;

  await t.test('an alert is stored as it is', async () => {
    const slot = slotOf({ alertname: 'Odd', text: 'a\0b \\ 😀' }, { annotationsJson: '{"a":"\\u0000\\n"}' });
    a.change(slot);
    await a.flush();
    assert.deepEqual((await stored(slot))?.alert, slot.alert);
  });

  await t.test('versions of two nodes become one, whichever is written first', async () => {
    const old = { startsAt: START - MINUTE, updatedAt: START - 1, endsAt: START + MINUTE };
    for (const [alertname, nodes] of Object.entries({ AB: [a, b], BA: [b, a] })) {
      const [newer, older] = [slotOf({ alertname }), slotOf({ alertname }, old)];
      a.change(newer);
      b.change(older);
      for (const node of nodes) await node.flush();
      assert.deepEqual((await stored(newer))?.alert, joinVersions(newer.alert, older.alert));
    }
  });

  await t.test('a repeat that says nothing more is not written, from whichever node', async () => {
    const slot = slotOf({ alertname: 'Repeated' });
    a.change(slot);
    await a.flush();
    const before = await countLogged();
    const again = slotOf({ alertname: 'Repeated' }, { updatedAt: START + 1_000, endsAt: slot.alert.endsAt + 1_000 });
    for (const node of [a, b]) {
      node.change(again);
      await node.flush();
    }
    assert.equal(await countLogged(), before);
    assert.deepEqual((await stored(slot))?.alert, slot.alert);
    const later = slotOf({ alertname: 'Repeated' }, { endsAt: slot.alert.endsAt + 4 * MINUTE });
    b.change(later);
    await b.flush();
    assert.equal(await countLogged(), before + 1);
  });

  await t.test('only a settled alert is deleted', async () => {
    const firing = slotOf({ alertname: 'Firing' });
    const settled = { ...slotOf({ alertname: 'Settled' }), isSettled: true };
    for (const slot of [firing, settled]) a.change(slot);
    await a.flush();
    for (const slot of [firing, settled]) a.remove(slot);
    await a.flush();
    assert.ok(await stored(firing));
    assert.equal(await stored(settled), undefined);
  });
});
