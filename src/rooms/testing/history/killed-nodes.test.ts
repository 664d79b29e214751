import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRound } from '../../../testing/long-round.ts';
import { needsPostgres, startPostgres } from '../../../testing/postgres.ts';
import { KilledNodes } from './killed-nodes.ts';
import { reportOn } from './report.ts';

test('the history of three nodes over PostgreSQL, all killed at random, has no violations', {
  only: isLongRound,
}, async (t) => {
  if (!needsPostgres(t)) return;
  const server = await startPostgres(t);
  const url = await server.createDatabase('rooms');
  const nodes = new KilledNodes(t, { url, size: 3, everyMs: 1_000, postgres: { server, everyKills: 2 } });
  const durationMs = isLongRound ? 20_000 : 3_500;
  const options = {
    rooms: 4,
    writers: 16,
    readers: 8,
    rate: isLongRound ? 200 : 100,
    durationMs,
    minAcknowledged: 60,
    isRough: true,
  };
  const { facts, violations } = await reportOn(nodes, options);
  assert.deepEqual(violations, []);
  assert.ok(facts.kills >= 1, `${facts.kills} kills`);
  assert.ok(facts.acknowledged > 50 && facts.kept >= facts.acknowledged, JSON.stringify(facts));
});
