import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AgentId } from '../event.ts';
import type { WrittenLogs } from './conversation.ts';

/** Day and model: input, output, cache writes, cache reads. */
export type DailyTokens = Readonly<Record<string, readonly number[]>>;

/** What ccusage reads from the logs of Claude Code or Codex below `home`. */
export function readWithCcusage(id: Exclude<AgentId, 'gemini'>, home: string, zone: string): DailyTokens {
  const args = ['node_modules/ccusage/src/cli.js', id, 'daily', '--json', '--offline', '--timezone', zone];
  const env = { PATH: process.env.PATH, HOME: home };
  const { daily } = JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }));
  const tokens: Record<string, readonly number[]> = {};
  for (const { date, modelBreakdowns, models } of daily) {
    const named: readonly Counts[] = modelBreakdowns ?? [];
    for (const counts of named) addTokens(tokens, `${date} ${counts.modelName}`, countsOf(counts));
    for (const [name, counts] of Object.entries<Counts>(models ?? {}))
      addTokens(tokens, `${date} ${name}`, countsOf(counts));
  }
  return tokens;
}

interface Counts extends Record<'inputTokens' | 'outputTokens' | 'cacheCreationTokens' | 'cacheReadTokens', number> {
  readonly modelName?: string;
}

function countsOf(model: Counts): readonly number[] {
  return [model.inputTokens, model.outputTokens, model.cacheCreationTokens, model.cacheReadTokens];
}

export function addTokens(tokens: Record<string, readonly number[]>, key: string, counts: readonly number[]): void {
  tokens[key] = counts.map((count, index) => count + (tokens[key]?.[index] ?? 0));
}

/** ccusage drops an answer whose text has half a character. */
export function makeWellFormed({ files }: WrittenLogs): void {
  for (const path of files) writeFileSync(path, readFileSync(path, 'utf8').replace(/\\ud[89a-f][0-9a-f]{2}/g, '?'));
}
