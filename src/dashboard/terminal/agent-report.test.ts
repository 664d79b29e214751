import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { executablePath, runProcess, temporaryFolder } from '../../testing/processes.ts';
import { type DailyTokens, makeWellFormed, readWithCcusage } from '../agents/testing/ccusage.ts';
import { writeClaudeLogs } from '../agents/testing/claude-logs.ts';
import { writeCodexLogs } from '../agents/testing/codex-logs.ts';

const ZONE = 'America/Los_Angeles';

/** All tokens, by a part of the key: 0 for the day, 1 for the model. */
function sumBy(part: 0 | 1, tokens: DailyTokens): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [key, counts] of Object.entries(tokens)) {
    const name = key.split(' ')[part] ?? '';
    sums[name] = counts.reduce((sum, count) => sum + count, sums[name] ?? 0);
  }
  return sums;
}

test("the built report has ccusage's tokens of each day and of each model", async (t) => {
  const home = temporaryFolder(t);
  for (const seed of [4, 5])
    for (const write of [writeClaudeLogs, writeCodexLogs]) makeWellFormed(write(home, { seed }));
  const report = async (agent: string, by: 'day' | 'model') => {
    const options = ['--by', by, '--format', 'json', '--zone', ZONE, '--project', home];
    const { code, stdout, stderr } = await runProcess(
      process.execPath,
      [executablePath(), 'dashboard', 'report', '--agents', agent, '--user', agent, ...options],
      { env: { HOME: home } },
    );
    assert.equal(code, 0, stderr);
    const { rows } = JSON.parse(stdout) as { rows: (Record<string, string> & { tokens: number })[] };
    return Object.fromEntries(rows.map((row) => [row[by], row.tokens]));
  };
  for (const agent of ['claude', 'codex'] as const) {
    const theirs = readWithCcusage(agent, home, ZONE);
    assert.deepEqual(await report(agent, 'day'), sumBy(0, theirs));
    assert.deepEqual(await report(agent, 'model'), sumBy(1, theirs));
  }
  assert.equal(existsSync(join(home, 'data')), false, 'a report makes no folder');
});
