import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, ExitCode, messageOf } from '../../kernel/errors.ts';
import { createLog } from '../../kernel/log.ts';
import { keepHeapSmall } from '../../kernel/memory.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import type { AgentId } from '../agents/event.ts';
import type { AgentSource } from '../agents/source.ts';
import { AgentUsage } from '../agents/usage.ts';
import type { AgentReading } from '../contract/agents.ts';
import type { LiveImport, UsageData } from '../domain/usage-data.ts';

interface AgentWork {
  readonly agents: readonly AgentId[];
  readonly prices: string | undefined;
  /** Its `data/` keeps what was read, if it is there. */
  readonly project: string;
  readonly now: number;
}

/** Adds the requests in the logs of assistants, with progress on a terminal; says what was left out, and what has no price. */
export async function addAgents(data: UsageData, work: AgentWork, terminal: Terminal): Promise<void> {
  const { agents, prices, project, now } = work;
  const { env, clock } = terminal;
  const log = createLog({ level: 'error', format: 'logfmt', clock, write: terminal.err });
  const folder = join(project, 'data');
  const dataDir = existsSync(folder) ? folder : undefined;
  const home = env.HOME ?? env.USERPROFILE ?? '';
  const isShown = terminal.isLogSeen;
  const onProgress = (reading: AgentReading) => isShown && terminal.err(progressLine(reading));
  // Saves 45 MB of 260 for 520,000 requests in 61,000 files.
  keepHeapSmall('long');
  const usage = await AgentUsage.open({ agents, prices, env, home, dataDir, log, clock, onProgress });
  try {
    await usage.firstReading();
    await usage.stopReading();
    if (isShown) terminal.err(CLEAR_LINE);
    // The most events come first, with room for the others, so that they are not copied.
    const found = usage.status().agents.toSorted((a, b) => b.events - a.events);
    let room = found.reduce((sum, { events }) => sum + events, 0);
    for (const { agent, events } of found) {
      await addAgent(usage, agent, data.openLive(agent, now, room));
      room -= events;
    }
    for (const remark of remarksOn(usage)) terminal.err(`opsdeck: ${printable(remark)}\n`);
  } catch (error) {
    throw new CommandError(`cannot read the logs of assistants: ${messageOf(error)}`, ExitCode.failed);
  } finally {
    await usage.close();
  }
}

const CLEAR_LINE = '\r\x1b[K';

function progressLine({ bytes, totalBytes, files }: AgentReading): string {
  const percent = totalBytes > 0 ? Math.floor((bytes / totalBytes) * 100) : 0;
  return `${CLEAR_LINE}reading the logs of assistants: ${percent} %, ${files} files`;
}

async function addAgent(usage: AgentSource, agent: AgentId, live: LiveImport): Promise<void> {
  for await (const part of usage.events(agent, {})) live.push(JSON.parse(`[${part.join()}]`) as unknown[]);
  live.finish();
}

const REASONS: Readonly<Record<string, string>> = {
  lines: 'lines that were not understood',
  longLines: 'lines that are too long',
  links: 'links out of their folder',
  unreadable: 'unreadable files or folders',
};

function remarksOn(usage: AgentSource): readonly string[] {
  const { agents, unknownModels, prices } = usage.status();
  const skipped = agents.flatMap(({ agent, skipped }) =>
    Object.entries(skipped)
      .filter(([, count]) => count > 0)
      .map(([reason, count]) => `${agent}: left out: ${count} ${REASONS[reason] ?? reason}`),
  );
  const empty = agents
    .filter(({ events }) => events === 0)
    .map(({ agent, folders }) => `${agent}: no requests in ${folders.map(({ path }) => path).join(', ')}`);
  const asOf = prices.asOf === null ? 'your price table' : `list prices of ${prices.asOf}`;
  const hasEvents = agents.some(({ events }) => events > 0);
  const estimate = hasEvents
    ? [`costs of assistants are estimated from ${asOf}; with a subscription, the API equivalent`]
    : [];
  const unknown = unknownModels.length > 0 ? [`no price, and so no cost: ${unknownModels.join(', ')}`] : [];
  return [...empty, ...skipped, ...estimate, ...unknown];
}
