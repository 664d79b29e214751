import type { EventCounts } from './counts.ts';
import { type DeliveryParts, deliver } from './delivery.ts';
import { DIAGNOSTIC_HEADERS, type EventPost } from './receiver.ts';
import type { EventTarget } from './target.ts';

/** Maximum concurrent deliveries. SDKs send diagnostics at their start and every 15 minutes. */
const MAX_CONCURRENT = 50;
const MAX_BYTES = 16 * 2 ** 20;

/** Forwards diagnostics of SDKs, immediately and unparsed. */
export class DiagnosticForwarder {
  readonly #delivery: DeliveryParts;
  readonly #counts: EventCounts;
  readonly #running = new Set<Promise<void>>();
  #bytes = 0;

  constructor(delivery: DeliveryParts, counts: EventCounts) {
    this.#delivery = delivery;
    this.#counts = counts;
  }

  send(target: EventTarget, bytes: Buffer, header: EventPost['header']): void {
    if (this.#running.size >= MAX_CONCURRENT || this.#bytes + bytes.length > MAX_BYTES) {
      this.#counts.diagnosticsDropped++;
      return;
    }
    this.#bytes += bytes.length;
    const running: Promise<void> = this.#deliver(target, bytes, header).finally(() => {
      this.#bytes -= bytes.length;
      this.#running.delete(running);
    });
    this.#running.add(running);
  }

  /** Resolves when current deliveries have ended. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #deliver(
    { diagnosticUrl, authorization }: EventTarget,
    body: Buffer,
    header: EventPost['header'],
  ): Promise<void> {
    const headers: Record<string, string> = {};
    for (const name of DIAGNOSTIC_HEADERS) {
      const value = header(name);
      if (value !== undefined) headers[name] = value;
    }
    const { outcome } = await deliver(
      { url: diagnosticUrl, headers: { ...headers, ...authorization }, body, what: 'diagnostics' },
      this.#delivery,
    );
    if (outcome === 'sent') this.#counts.diagnosticsSent++;
    else this.#counts.diagnosticsFailed++;
  }
}
