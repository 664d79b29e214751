import type { AgentId } from '../event.ts';
import { claudeLogs } from './claude.ts';
import { codexLogs } from './codex.ts';
import { geminiLogs } from './gemini.ts';
import type { AgentLogs } from './log.ts';

const LOGS: Readonly<Record<AgentId, AgentLogs>> = { claude: claudeLogs, codex: codexLogs, gemini: geminiLogs };

/** Where an agent keeps its logs, and how they are read. */
export function agentLogs(id: AgentId): AgentLogs {
  return LOGS[id];
}
