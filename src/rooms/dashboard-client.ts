import * as v from 'valibot';
import type { Clock } from '../kernel/clock.ts';
import type { Outcome } from './domain/refusal.ts';
import { JsonServer } from './json-server.ts';

/** The dashboard asks an upstream site, page by page. */
const TIMEOUT_MS = 20_000;

const users = v.object({ users: v.array(v.object({ id: v.string(), hasToken: v.boolean() })) });
const amount = v.nullish(v.union([v.number(), v.string()]));
const event = v.object({
  model: v.nullish(v.string()),
  chargedCents: amount,
  tokenUsage: v.nullish(
    v.object({
      inputTokens: amount,
      outputTokens: amount,
      cacheWriteTokens: amount,
      cacheReadTokens: amount,
      totalCents: amount,
    }),
  ),
});
const events = v.object({ events: v.array(event) });

export type UsageEvent = v.InferOutput<typeof event>;

export interface DashboardUser {
  readonly id: string;
  /** Without one the dashboard knows no live usage of the user. */
  readonly hasToken: boolean;
}

/** A client of the usage dashboard. */
export class DashboardClient {
  readonly #server: JsonServer;

  constructor(url: string, clock: Clock, variables: Readonly<Record<string, string | undefined>>) {
    const base = url.replace(/\/+$/, '');
    this.#server = new JsonServer({ name: 'the dashboard', url: base, timeoutMs: TIMEOUT_MS, clock, variables });
  }

  async users(): Promise<Outcome<readonly DashboardUser[]>> {
    const found = await this.#server.ask('GET', '/api/users', users);
    return found.ok ? { ok: true, value: found.value.users } : found;
  }

  /** The calls of a user in `[startAt, endAt]`, in epoch milliseconds. */
  async events(user: string, startAt: number, endAt: number): Promise<Outcome<readonly UsageEvent[]>> {
    const query = new URLSearchParams({ user, startDate: String(startAt), endDate: String(endAt) });
    const found = await this.#server.ask('GET', `/api/events?${query}`, events);
    return found.ok ? { ok: true, value: found.value.events } : found;
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
