import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { SendsRequests } from '../../kernel/http-client/http-client.ts';
import type { Log } from '../../kernel/log.ts';
import type { EnvironmentOptions, RelayOptions } from '../config/relay-options.ts';
import type { Json } from '../domain/json.ts';
import type { StoredFlag } from '../domain/summary/event.ts';
import type { Inflater } from './body.ts';
import { type EventCounts, zeroCounts } from './counts.ts';
import type { DeliveryParts } from './delivery.ts';
import { DiagnosticForwarder } from './diagnostics.ts';
import { type EventFormat, EventPublisher } from './publisher.ts';
import type { EventPost, EventReceipt, EventReceiver, SdkKind } from './receiver.ts';
import { RecentKeys } from './recent-keys.ts';
import { type EventTarget, eventTarget } from './target.ts';
import { EventWarnings } from './warnings.ts';

export interface EventForwarderParts {
  readonly environment: EnvironmentOptions;
  readonly options: Pick<RelayOptions, 'events' | 'isLocal' | 'archive' | 'maxBodyBytes'>;
  readonly http: SendsRequests;
  /** One for all environments. */
  readonly inflater: Inflater;
  /** A flag of the environment, for events of SDKs that do not know it well enough. */
  readonly flag: (key: string) => StoredFlag | undefined;
  /** What upstream is told of this program. */
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A body that has been answered and not yet parsed. */
interface Arrival {
  readonly sdkKind: SdkKind;
  readonly bytes: Buffer;
  readonly format: EventFormat;
}

const SDK_KINDS: readonly SdkKind[] = ['server', 'mobile', 'client'];
/** Of one kind of SDK and format, as JSON; and of the bodies that are not parsed yet. */
const MAX_PENDING_BYTES = 64 * 2 ** 20;
/** Where no limit is set: events shrink well, and yet what they grow to has an end. */
const INFLATED_PER_BODY_BYTE = 4;
const PAYLOAD_IDS = 10_000;
const PAYLOAD_ID_LIFE_MS = 5 * 60_000;
const MAX_TAGS = 1024;

/** Takes the events of one environment's SDKs, and sends them on in its name. */
export class EventForwarder implements EventReceiver {
  readonly mode: EventReceiver['mode'];
  readonly counts: EventCounts = zeroCounts();
  readonly #parts: EventForwarderParts;
  readonly #publishers = new Map<SdkKind, EventPublisher>();
  readonly #targets = new Map<SdkKind, EventTarget>();
  readonly #diagnostics: DiagnosticForwarder;
  readonly #delivery: DeliveryParts;
  readonly #warnings: EventWarnings;
  readonly #abort = new AbortController();
  readonly #payloadIds = new RecentKeys(PAYLOAD_IDS, PAYLOAD_ID_LIFE_MS);
  #arrivals: Arrival[] = [];
  #arrivedBytes = 0;
  #cancelTick: CancelTimer = () => {};
  #closing: Promise<void> | undefined;

  constructor(parts: EventForwarderParts) {
    const { options, clock, log, http } = parts;
    this.#parts = parts;
    // What comes from files concerns nobody outside.
    this.mode = options.isLocal || options.archive ? 'discard' : options.events.mode;
    this.#warnings = new EventWarnings(clock, log);
    this.#delivery = { http, clock, log, signal: this.#abort.signal };
    this.#diagnostics = new DiagnosticForwarder(this.#delivery, this.counts);
    if (this.mode !== 'forward') return;
    this.use(parts.environment);
    this.#cancelTick = clock.every(options.events.flushMs, () => this.#tick());
  }

  /** Events that wait to be sent. */
  get pending(): number {
    let pending = 0;
    for (const publisher of this.#publishers.values()) pending += publisher.pending;
    return pending;
  }

  /** Sends from now on with the credentials of these options. */
  use(environment: EnvironmentOptions): void {
    for (const sdkKind of SDK_KINDS) {
      const target = eventTarget(this.#parts.options.events.uri, sdkKind, environment);
      if (!target) continue;
      this.#targets.set(sdkKind, target);
      const publisher = this.#publishers.get(sdkKind);
      if (publisher) publisher.use(target);
      else this.#publishers.set(sdkKind, this.#createPublisher(sdkKind, target));
    }
  }

  async receive(post: EventPost): Promise<EventReceipt> {
    const body = await this.#inflate(post);
    if (typeof body === 'string') return body;
    if (body.length === 0) return 'empty';
    if (this.#isRepeated(post)) return 'accepted';
    if (post.kind === 'diagnostic') this.#sendDiagnostic(post, body);
    else this.#arrive({ sdkKind: post.sdkKind, bytes: body, format: readFormat(post.header) });
    return 'accepted';
  }

  receiveImage(encoded: string, header: EventPost['header']): void {
    // A plus sign that was not escaped arrives as a space.
    const bytes = Buffer.from(encoded.replaceAll(' ', '+'), 'base64');
    this.#arrive({ sdkKind: 'client', bytes, format: { ...readFormat(header), schema: 3, isUnsummarized: false } });
  }

  /** Resolves when all that has come in so far has been sent, or has failed. */
  async flush(): Promise<void> {
    this.#parseAll();
    const publishers = [...this.#publishers.values()].map((publisher) => publisher.flush());
    await Promise.all([...publishers, this.#diagnostics.settle()]);
  }

  /** Sends what is left; what is not done after `deadlineMs` has failed. Idempotent. */
  close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#flushWithin(deadlineMs);
    return this.#closing;
  }

  async #flushWithin(deadlineMs: number): Promise<void> {
    this.#cancelTick();
    const cancel = this.#parts.clock.after(deadlineMs, () => this.#abort.abort());
    await this.flush();
    cancel();
  }

  #createPublisher(sdkKind: SdkKind, target: EventTarget): EventPublisher {
    const { options, flag, clock, log, userAgent } = this.#parts;
    return new EventPublisher({
      sdkKind,
      target,
      capacity: options.events.capacity,
      maxBytes: MAX_PENDING_BYTES,
      flag,
      delivery: this.#delivery,
      clock,
      log,
      warnings: this.#warnings,
      counts: this.counts,
      userAgent,
      newId: randomUUID,
    });
  }

  /** The body as it is meant, or why there is none. */
  async #inflate({ bytes, header }: EventPost): Promise<Buffer | EventReceipt> {
    const { events, maxBodyBytes } = this.#parts.options;
    const { maxPayloadBytes } = events;
    if (maxPayloadBytes > 0 && bytes.length > maxPayloadBytes) return 'unreadable';
    if (bytes.length === 0 || !/gzip/i.test(header('content-encoding') ?? '')) return bytes;
    const limit = maxPayloadBytes > 0 ? maxPayloadBytes : INFLATED_PER_BODY_BYTE * maxBodyBytes;
    const inflated = await this.#parts.inflater.inflate(bytes, limit);
    if (inflated.ok) return inflated.bytes;
    return inflated.reason === 'too large' && maxPayloadBytes > 0 ? 'unreadable' : inflated.reason;
  }

  /** SDKs send a post again when they saw no answer to it. */
  #isRepeated({ sdkKind, kind, header }: EventPost): boolean {
    const id = header('x-launchdarkly-payload-id');
    if (id === undefined || !this.#payloadIds.saw(`${sdkKind} ${kind} ${id}`, this.#parts.clock.now())) return false;
    this.counts.duplicates++;
    return true;
  }

  #sendDiagnostic({ sdkKind, header }: EventPost, body: Buffer): void {
    const target = this.#targets.get(sdkKind);
    if (target && !this.#closing) this.#diagnostics.send(target, body, header);
    else this.counts.diagnosticsDropped++;
  }

  #arrive(arrival: Arrival): void {
    if (this.#closing || this.#arrivedBytes + arrival.bytes.length > MAX_PENDING_BYTES) {
      this.counts.droppedPosts++;
      return;
    }
    this.#arrivals.push(arrival);
    this.#arrivedBytes += arrival.bytes.length;
    // The answer goes first.
    if (this.#arrivals.length === 1) setImmediate(() => this.#parseOne());
  }

  /** One in each turn of the event loop: others want to be served between large ones. */
  #parseOne(): void {
    const arrival = this.#arrivals.shift();
    if (!arrival) return;
    if (this.#arrivals.length > 0) setImmediate(() => this.#parseOne());
    this.#arrivedBytes -= arrival.bytes.length;
    this.#parse(arrival);
  }

  #parseAll(): void {
    const arrivals = this.#arrivals;
    this.#arrivals = [];
    this.#arrivedBytes = 0;
    for (const arrival of arrivals) this.#parse(arrival);
  }

  #parse({ sdkKind, bytes, format }: Arrival): void {
    const text = bytes.toString();
    const events = parseArray(text);
    if (!events) {
      this.counts.droppedPosts++;
      this.#warnings.warn('a post of events was dropped: it is no JSON array', { sdkKind });
      return;
    }
    this.counts.received += events.length;
    this.counts.receivedBytes += bytes.length;
    const publisher = this.#publishers.get(sdkKind);
    if (publisher) publisher.publish(events, isUtf8(bytes) ? bytes : Buffer.from(text), format);
    else this.counts.dropped += events.length;
  }

  #tick(): void {
    this.#parseAll();
    for (const publisher of this.#publishers.values()) publisher.tick();
  }
}

/** Errors are not handed on: their texts quote the post. */
function parseArray(text: string): readonly Json[] | undefined {
  try {
    const json: Json = JSON.parse(text);
    return Array.isArray(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function readFormat(header: EventPost['header']): EventFormat {
  const schema = header('x-launchdarkly-event-schema') ?? '';
  const tags = header('x-launchdarkly-tags') ?? '';
  return {
    schema: /^\+?\d{1,9}$/.test(schema) ? Math.max(1, Number(schema)) : 1,
    tags: tags.length > MAX_TAGS ? '' : tags,
    isUnsummarized: header('x-launchdarkly-unsummarized') !== undefined,
  };
}
