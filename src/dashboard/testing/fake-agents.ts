import type { AgentId } from '../agents/event.ts';
import type { AgentRange, AgentSource } from '../agents/source.ts';
import type { AgentReading, AgentStatus } from '../contract/agents.ts';

/** A request as an assistant's log records it, for tests. */
export interface FakeRequest {
  readonly agent: AgentId;
  readonly at: number;
  readonly model?: string;
  readonly project?: string;
  readonly input?: number;
  /** Undefined: the model has no price. */
  readonly cents?: number | undefined;
}

/** Assistants without logs: the test says what was read. */
export class FakeAgents implements AgentSource {
  reading: AgentReading | undefined;
  version = 1000;
  readonly #listeners = new Set<(version: number) => void>();
  #requests: readonly (FakeRequest & { readonly version: number })[] = [];

  add(...requests: readonly FakeRequest[]): void {
    this.version += 1;
    this.#requests = [...this.#requests, ...requests.map((one) => ({ ...one, version: this.version }))];
    this.changed();
  }

  changed(): void {
    for (const listener of this.#listeners) listener(this.version);
  }

  async *events(agent: AgentId, range: AgentRange): AsyncIterable<readonly string[]> {
    for (const request of this.#within(agent, range)) yield [JSON.stringify(liveForm(request))];
  }

  async count(agent: AgentId, range: AgentRange) {
    return this.#within(agent, range).length;
  }

  async changedFrom(agent: AgentId, version: number) {
    return this.#within(agent, {})
      .filter((one) => one.version > version)
      .at(-1)?.at;
  }

  async summary(agent: AgentId) {
    const all = this.#within(agent, {});
    const used = all.reduce((sum, { cents = 0 }) => sum + cents, 0);
    const cycle = { billingCycleStart: '2026-06-01T00:00:00Z', billingCycleEnd: '2026-07-01T00:00:00Z' };
    return { ...cycle, individualUsage: { overall: { used, limit: null } } };
  }

  status(): AgentStatus {
    const agents = (['claude', 'codex', 'gemini'] as const).map((agent) => {
      const events = this.#within(agent, {}).length;
      const files = Math.min(1, events);
      const folders = [{ path: `/home/kim/.${agent}/projects`, files }];
      return { agent, files, bytes: events * 300, events, skipped: {}, folders };
    });
    const unpriced = this.#requests.filter(({ cents }) => cents === undefined).map(({ model = 'model-1' }) => model);
    const { version, reading } = this;
    return { version, reading, agents, unknownModels: [...new Set(unpriced)], prices: { asOf: '2026-11-01' } };
  }

  onChange(listener: (version: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async firstReading(): Promise<void> {}

  async close(): Promise<void> {}

  #within(agent: AgentId, { startAt = 0, endAt = Infinity }: AgentRange) {
    return this.#requests
      .filter((one) => one.agent === agent && one.at >= startAt && one.at <= endAt)
      .sort((a, b) => b.at - a.at);
  }
}

function liveForm({ at, model = 'model-1', project = '', input = 100, cents }: FakeRequest) {
  return {
    timestamp: `${at}`,
    model,
    project,
    kind: 'ESTIMATED',
    isEstimated: true,
    tokenUsage: { inputTokens: input, outputTokens: 10, cacheWriteTokens: 0, cacheReadTokens: 0 },
    ...(cents === undefined ? {} : { chargedCents: cents }),
  };
}
