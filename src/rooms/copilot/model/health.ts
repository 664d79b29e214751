import { type Circuit, CLOSED_CIRCUIT, circuitAfter, openForMs } from '../../domain/copilot/circuit-breaker.ts';
import type { CopilotHealth } from '../../domain/copilot/copilot.ts';
import type { RunError } from '../../domain/run/run.ts';

/** Errors of the configuration, not of the provider. */
const OWN_FAULTS: ReadonlySet<string> = new Set(['configuration', 'forbidden_address', 'internal', 'interrupted']);

/** The health of copilots and their providers, in memory. */
export class ModelHealth {
  readonly #rooms = new Map<string, CopilotHealth>();
  readonly #circuits = new Map<string, Circuit>();

  /** `error`: why it failed; `null`: it answered. `target` as in ModelTarget.name. */
  report(roomId: string, target: string, error: RunError | null, now: number): void {
    const { lastOkAt } = this.of(roomId);
    this.#rooms.set(
      roomId,
      error ? { state: 'error', lastError: error.message, lastOkAt } : { state: 'ok', lastError: null, lastOkAt: now },
    );
    if (error && OWN_FAULTS.has(error.code)) return;
    const circuit = circuitAfter(this.#circuits.get(target) ?? CLOSED_CIRCUIT, error ? 'failed' : 'ok', now);
    if (circuit === CLOSED_CIRCUIT) this.#circuits.delete(target);
    else this.#circuits.set(target, circuit);
  }

  of(roomId: string): CopilotHealth {
    return this.#rooms.get(roomId) ?? { state: 'unknown', lastError: null, lastOkAt: null };
  }

  /** How long the provider's circuit stays open, in milliseconds; 0: it may be asked. */
  closedForMs(target: string, now: number): number {
    const circuit = this.#circuits.get(target);
    return circuit ? openForMs(circuit, now) : 0;
  }

  forget(roomId: string): void {
    this.#rooms.delete(roomId);
    this.#circuits.delete(`room ${roomId}`);
  }
}
