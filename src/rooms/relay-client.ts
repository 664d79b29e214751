import * as v from 'valibot';
import type { Clock } from '../kernel/clock.ts';
import { accepted, type Outcome, refuse } from './domain/refusal.ts';
import { JsonServer } from './json-server.ts';

const TIMEOUT_MS = 5_000;

const target = v.object({ values: v.optional(v.array(v.unknown()), []) });
const outcome = v.object({
  variation: v.nullish(v.number()),
  rollout: v.nullish(
    v.object({ variations: v.optional(v.array(v.object({ variation: v.number(), weight: v.number() })), []) }),
  ),
});
const flag = v.object({
  key: v.string(),
  version: v.optional(v.number(), 0),
  on: v.optional(v.boolean(), false),
  variations: v.optional(v.array(v.unknown()), []),
  offVariation: v.nullish(v.number()),
  fallthrough: v.nullish(outcome),
  targets: v.nullish(v.array(target), []),
  contextTargets: v.nullish(v.array(target), []),
  rules: v.nullish(v.array(v.unknown()), []),
});

/** A flag in LaunchDarkly's data model, as far as its state needs it. */
export type RelayFlag = v.InferOutput<typeof flag>;

/** A client of a LaunchDarkly Relay Proxy, with the SDK key of one environment. */
export class RelayClient {
  readonly #server: JsonServer;

  constructor(url: string, sdkKey: string, clock: Clock, variables: Readonly<Record<string, string | undefined>>) {
    const base = url.replace(/\/+$/, '');
    const headers = { authorization: sdkKey };
    this.#server = new JsonServer({ name: 'the relay', url: base, headers, timeoutMs: TIMEOUT_MS, clock, variables });
  }

  async flag(key: string): Promise<Outcome<RelayFlag>> {
    const found = await this.#server.ask('GET', `/sdk/flags/${encodeURIComponent(key)}`, flag);
    if (found.ok) return accepted(found.value);
    return found.code === 'not_found' ? refuse('not_found', `the relay knows no flag ${key}`) : found;
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
