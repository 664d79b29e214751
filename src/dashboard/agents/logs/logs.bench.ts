import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bench,
  describeMachine,
  isAsked,
  printNumber,
  printSpread,
  printTable,
  spreadOf,
} from '../../../testing/bench.ts';
import { AGENTS, type AgentId } from '../event.ts';
import { writeClaudeLogs } from '../testing/claude-logs.ts';
import { writeCodexLogs } from '../testing/codex-logs.ts';
import { writeGeminiLogs } from '../testing/gemini-logs.ts';
import { linesOf } from '../testing/read-logs.ts';
import { agentLogs } from './index.ts';

const BYTES = 100e6;
const ROUNDS = 5;
const WRITERS = { claude: writeClaudeLogs, codex: writeCodexLogs, gemini: writeGeminiLogs };

/** How many megabytes of logs in memory a reader reads in a second of processor time. `npm run bench agent-logs claude`. */
bench('agent-logs', async (filters) => {
  const rows = AGENTS.filter((id) => isAsked(id, filters)).map(measure);
  console.log(`${describeMachine()}\n\n${printTable(['agent', 'MB', 'events', 'MB/s'], rows)}`);
});

function measure(id: AgentId): readonly string[] {
  const home = mkdtempSync(join(tmpdir(), 'agent-logs-'));
  try {
    const { files, bytes } = WRITERS[id](home, { bytes: BYTES });
    const contents = files.map((path) => ({ path, content: readFileSync(path) }));
    let events = 0;
    const rates = Array.from({ length: ROUNDS }, () => {
      const start = process.cpuUsage();
      events = contents.reduce((sum, { path, content }) => sum + eventsOf(id, path, content), 0);
      const { user, system } = process.cpuUsage(start);
      return bytes / (user + system);
    });
    return [id, printNumber(bytes / 1e6), `${events}`, printSpread(spreadOf(rates))];
  } finally {
    rmSync(home, { recursive: true });
  }
}

function eventsOf(id: AgentId, path: string, content: Buffer): number {
  const logs = agentLogs(id);
  const reader = logs.open(path);
  let events = 0;
  for (const line of linesOf(content, logs.form)) events += reader.read(line)?.length ?? 0;
  return events;
}
