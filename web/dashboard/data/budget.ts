import type { Budget } from '../../../src/dashboard/contract/budget.ts';
import type { Settings } from './settings.ts';

export interface ProjectBudgetParts {
  readonly settings: Settings;
  readonly server: {
    /** Rejects when it does not answer. */
    fetch(): Promise<Budget>;
    /** Why it was not stored; undefined: it was. */
    put(budget: Budget): Promise<string | undefined>;
  };
  show(dollars: number): void;
  /** The server did not keep it, for this reason. */
  failed(reason: string): void;
}

/** The monthly budget, in US dollars. The server keeps it; the browser shows the last one known until it answers. */
export class ProjectBudget {
  readonly #parts: ProjectBudgetParts;

  constructor(parts: ProjectBudgetParts) {
    this.#parts = parts;
  }

  /** Takes over the server's budget. A server without one gets that of the browser. */
  async sync(): Promise<void> {
    const { settings, server, show } = this.#parts;
    const kept = await server.fetch().catch(() => undefined);
    if (!kept) return;
    if (kept.monthlyUsd !== null) {
      settings.budget = kept.monthlyUsd;
      show(kept.monthlyUsd);
    } else if (settings.chosenBudget !== undefined) await this.set(settings.chosenBudget);
  }

  async set(dollars: number): Promise<void> {
    const { settings, server, failed } = this.#parts;
    settings.budget = dollars;
    const reason = await server.put({ monthlyUsd: dollars });
    if (reason !== undefined) failed(reason);
  }
}
