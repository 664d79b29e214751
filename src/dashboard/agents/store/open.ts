import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { agentLogs } from '../logs/index.ts';
import { costCents, readPrices } from '../prices/prices.ts';
import type { Price } from '../prices/table.ts';
import { AgentStore } from './agent-store.ts';
import type { Pricing } from './event-text.ts';
import { openUsageDatabase } from './open-database.ts';
import type { AgentStoreOptions } from './thread.ts';

/** Opens the usage read so far, and goes on reading. A CommandError names the fault of the prices. */
export async function openAgentStore(options: AgentStoreOptions, clock: Clock, log: Log): Promise<AgentStore> {
  const { env, home, dataDir, prices, isSuspect } = options;
  const pricing = readPricing(prices);
  const agents = options.agents.map((id) => {
    const logs = agentLogs(id);
    return { logs, folders: logs.folders(env, home) };
  });
  const database = await openUsageDatabase(dataDir, clock, log, isSuspect);
  return AgentStore.open({ agents, database, pricing, clock, log });
}

function readPricing(file: string | undefined): Pricing {
  const prices = readPrices(file);
  const known = new Map<string, Price | undefined>();
  const priceOf = (model: string) => {
    if (!known.has(model)) known.set(model, prices.priceOf(model));
    return known.get(model);
  };
  return {
    asOf: prices.date,
    centsOf(event) {
      const price = priceOf(event.model);
      return price && costCents(event, price);
    },
    hasPrice: (model) => priceOf(model) !== undefined,
  };
}
