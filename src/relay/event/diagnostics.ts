import type { EventCounts } from './counts.ts';
import { type DeliveryParts, deliver } from './delivery.ts';
import type { EventPost } from './receiver.ts';
import type { EventTarget } from './target.ts';

/** Diagnostics on their way at the same time. SDKs send one at their start and one every quarter of an hour. */
const MAX_AT_ONCE = 50;
const MAX_BYTES = 16 * 2 ** 20;

/** What upstream is told of the SDK that sent a document. */
const COPIED_HEADERS = [
  'user-agent',
  'x-launchdarkly-user-agent',
  'x-launchdarkly-wrapper',
  'x-launchdarkly-tags',
  'x-launchdarkly-instance-id',
  'x-launchdarkly-event-schema',
  'x-launchdarkly-payload-id',
];

/** Passes documents about the SDKs themselves on, each at once and unread. */
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
    if (this.#running.size >= MAX_AT_ONCE || this.#bytes + bytes.length > MAX_BYTES) {
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

  /** Resolves when what is on its way now has come to an end. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #deliver(
    { diagnosticUrl, authorization }: EventTarget,
    body: Buffer,
    header: EventPost['header'],
  ): Promise<void> {
    const headers: Record<string, string> = {};
    for (const name of COPIED_HEADERS) {
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
