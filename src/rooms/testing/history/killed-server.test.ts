import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLongRound } from '../../../testing/long-round.ts';
import { KilledServer } from './killed-server.ts';
import { reportOn } from './report.ts';

test('the history of a server that is killed again and again has no violations', { only: isLongRound }, async (t) => {
  const durationMs = isLongRound ? 10_000 : 2_500;
  const options = {
    rooms: 8,
    writers: 16,
    readers: 8,
    rate: isLongRound ? 200 : 100,
    durationMs,
    minAcknowledged: 60,
    isRough: true,
  };
  const { facts, violations } = await reportOn(new KilledServer(t, 1_000), options);
  assert.deepEqual(violations, []);
  assert.ok(facts.kills >= 1, `${facts.kills} kills`);
  assert.ok(facts.acknowledged > 50 && facts.kept >= facts.acknowledged, JSON.stringify(facts));
});
