import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentId } from '../event.ts';
import type { WrittenLogs } from './conversation.ts';

/** Day and model: input, output, cache writes, cache reads. */
export type DailyTokens = Readonly<Record<string, readonly number[]>>;

type CcusageAgent = Exclude<AgentId, 'gemini'>;

/** What ccusage reads from the logs of Claude Code or Codex below `home`. */
export function readWithCcusage(id: CcusageAgent, home: string, zone: string): DailyTokens {
  const { daily } = runCcusage(id, home, zone);
  const tokens: Record<string, readonly number[]> = {};
  for (const { date, modelBreakdowns, models } of daily) {
    const named: readonly Counts[] = modelBreakdowns ?? [];
    for (const counts of named) addTokens(tokens, `${date} ${counts.modelName}`, countsOf(counts));
    for (const [name, counts] of Object.entries<Counts>(models ?? {}))
      addTokens(tokens, `${date} ${name}`, countsOf(counts));
  }
  return tokens;
}

/** US dollars per million tokens: input, output, cache writes, cache reads. */
export type FlatPrices = Readonly<Record<string, readonly [number, number, number, number]>>;

/** The dollars of each day at these prices; cache writes that stay for an hour cost twice as much as input. */
export function costsWithCcusage(
  id: CcusageAgent,
  home: string,
  zone: string,
  prices: FlatPrices,
): Readonly<Record<string, number>> {
  const overrides = Object.entries(prices).map(([model, [input, output, cacheWrite, cacheRead]]) => [
    model,
    {
      inputCostPerToken: input / 1e6,
      outputCostPerToken: output / 1e6,
      cacheCreationInputTokenCost: cacheWrite / 1e6,
      cacheReadInputTokenCost: cacheRead / 1e6,
    },
  ]);
  const config = join(home, 'ccusage.json');
  writeFileSync(config, JSON.stringify({ defaults: { pricingOverrides: Object.fromEntries(overrides) } }));
  const { daily } = runCcusage(id, home, zone, '--config', config);
  return Object.fromEntries(
    daily.map(({ date, totalCost, costUSD }: Record<string, unknown>) => [date, totalCost ?? costUSD]),
  );
}

function runCcusage(id: CcusageAgent, home: string, zone: string, ...more: readonly string[]) {
  const args = ['node_modules/ccusage/src/cli.js', id, 'daily', '--json', '--offline', '--timezone', zone, ...more];
  const env = { PATH: process.env.PATH, HOME: home };
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: 'utf8' }));
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
