import { randomUUID } from 'node:crypto';
import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { SendsRequests } from '../../kernel/http-client/http-client.ts';
import type { Log } from '../../kernel/log.ts';
import type { EnvironmentOptions, RelayOptions } from '../config/relay-options.ts';
import { SDK_KINDS, type SdkKind } from '../credentials.ts';
import type { StoredFlag } from '../domain/summary/event.ts';
import type { EvaluationCounts } from '../journal/evaluation-counts.ts';
import type { Inflater } from './body.ts';
import { type EventCounts, zeroCounts } from './counts.ts';
import type { DeliveryParts } from './delivery.ts';
import { DiagnosticForwarder } from './diagnostics.ts';
import { EventArray } from './event-array.ts';
import { readPost } from './post-body.ts';
import { type EventFormat, EventPublisher, mustSummarize } from './publisher.ts';
import { type EventPost, type EventReceipt, type EventReceiver, eventMode } from './receiver.ts';
import { RecentKeys } from './recent-keys.ts';
import { type EventTarget, eventTarget } from './target.ts';
import { EventWarnings } from './warnings.ts';

export interface EventForwarderParts {
  readonly environment: EnvironmentOptions;
  readonly options: Pick<RelayOptions, 'events' | 'isLocal' | 'archive'>;
  readonly http: SendsRequests;
  /** Shared by all environments. */
  readonly inflater: Inflater;
  /** A flag of the environment, to complete events of old SDKs. */
  readonly flag: (key: string) => StoredFlag | undefined;
  /** Counts the evaluations that events report. */
  readonly evaluations?: Pick<EvaluationCounts, 'addEvents'>;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** An acknowledged post that is not yet parsed. */
interface AcceptedPost {
  readonly sdkKind: SdkKind;
  readonly bytes: Buffer;
  readonly format: EventFormat;
}

/** Of queued events of one kind of SDK as JSON, and of unparsed posts. */
const MAX_PENDING_BYTES = 64 * 2 ** 20;
const PAYLOAD_IDS = 10_000;
const PAYLOAD_ID_LIFE_MS = 5 * 60_000;
const MAX_TAGS = 1024;

/** Receives the events of SDKs of one environment and sends them upstream with its credentials. */
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
  #unparsed: AcceptedPost[] = [];
  #unparsedBytes = 0;
  #cancelTick: CancelTimer = () => {};
  #closing: Promise<void> | undefined;

  constructor(parts: EventForwarderParts) {
    const { options, clock, log, http } = parts;
    this.#parts = parts;
    this.mode = eventMode(options);
    this.#warnings = new EventWarnings(clock, log);
    this.#delivery = { http, clock, log, signal: this.#abort.signal };
    this.#diagnostics = new DiagnosticForwarder(this.#delivery, this.counts);
    this.use(parts.environment);
    if (this.mode !== 'forward') return;
    this.#cancelTick = clock.every(options.events.flushMs, () => this.#tick());
  }

  /** Queued events. */
  get pending(): number {
    let pending = 0;
    for (const publisher of this.#publishers.values()) pending += publisher.pending;
    return pending;
  }

  /** Uses the credentials of these options for further deliveries. */
  use(environment: EnvironmentOptions): void {
    if (this.mode !== 'forward') return;
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
    const body = await readPost(post, this.#parts.options, this.#parts.inflater);
    if (typeof body === 'string') return body;
    this.take({ ...post, bytes: body });
    return 'accepted';
  }

  /** Takes a decompressed post. */
  take(post: EventPost): void {
    if (this.mode === 'discard') this.#countDiscarded(post);
    else if (this.#isRepeated(post)) return;
    else if (post.kind === 'diagnostic') this.#sendDiagnostic(post);
    else this.#accept({ sdkKind: post.sdkKind, bytes: post.bytes, format: readFormat(post.header) });
  }

  async count(post: EventPost): Promise<void> {
    const body = await readPost(post, this.#parts.options, this.#parts.inflater);
    if (typeof body !== 'string') this.#countDiscarded({ ...post, bytes: body });
  }

  #countDiscarded(post: EventPost): void {
    if (post.kind !== 'analytics' || this.#isRepeated(post)) return;
    const format = readFormat(post.header);
    const events = readEvents(post.bytes, format);
    if (events) this.#countEvaluations(events, format);
  }

  receiveImage(encoded: string, header: EventPost['header']): void {
    // An unescaped plus sign arrives as a space.
    const bytes = Buffer.from(encoded.replaceAll(' ', '+'), 'base64');
    this.#accept({ sdkKind: 'client', bytes, format: { ...readFormat(header), schema: 3, isUnsummarized: false } });
  }

  /** Resolves when all events received so far have been sent or have failed. */
  async flush(): Promise<void> {
    this.#parseAll();
    const publishers = [...this.#publishers.values()].map((publisher) => publisher.flush());
    await Promise.all([...publishers, this.#diagnostics.settle()]);
  }

  /** Sends the remaining events; aborts after `deadlineMs`. Idempotent. */
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

  /** SDKs repeat a post without a response. */
  #isRepeated({ sdkKind, kind, header }: EventPost): boolean {
    const id = header('x-launchdarkly-payload-id');
    if (id === undefined || !this.#payloadIds.saw(`${sdkKind} ${kind} ${id}`, this.#parts.clock.now())) return false;
    this.counts.duplicates++;
    return true;
  }

  #sendDiagnostic({ sdkKind, header, bytes }: EventPost): void {
    const target = this.#targets.get(sdkKind);
    if (target && !this.#closing) this.#diagnostics.send(target, bytes, header);
    else this.counts.diagnosticsDropped++;
  }

  #accept(post: AcceptedPost): void {
    if (this.#closing || this.#unparsedBytes + post.bytes.length > MAX_PENDING_BYTES) {
      this.counts.droppedPosts++;
      return;
    }
    this.#unparsed.push(post);
    this.#unparsedBytes += post.bytes.length;
    // After the response.
    if (this.#unparsed.length === 1) setImmediate(() => this.#parseOne());
  }

  /** One per turn of the event loop, so that other requests are served in between. */
  #parseOne(): void {
    const post = this.#unparsed.shift();
    if (!post) return;
    if (this.#unparsed.length > 0) setImmediate(() => this.#parseOne());
    this.#unparsedBytes -= post.bytes.length;
    this.#parse(post);
  }

  #parseAll(): void {
    const posts = this.#unparsed;
    this.#unparsed = [];
    this.#unparsedBytes = 0;
    for (const post of posts) this.#parse(post);
  }

  #parse({ sdkKind, bytes, format }: AcceptedPost): void {
    const events = readEvents(bytes, format);
    if (!events) {
      this.counts.droppedPosts++;
      this.#warnings.warn('a post of events was dropped: it is not a JSON array', { sdkKind });
      return;
    }
    this.counts.received += events.count;
    this.counts.receivedBytes += bytes.length;
    this.#countEvaluations(events, format);
    const publisher = this.#publishers.get(sdkKind);
    if (publisher) publisher.publish(events, format);
    else this.counts.dropped += events.count;
  }

  /** Of summarised events only the summaries count, and need to be parsed. */
  #countEvaluations(events: EventArray, format: EventFormat): void {
    const { evaluations } = this.#parts;
    evaluations?.addEvents(mustSummarize(format) ? events.parse() : events.parseWith('"summary"'), format);
  }

  #tick(): void {
    this.#parseAll();
    for (const publisher of this.#publishers.values()) publisher.tick();
  }
}

const readEvents = (bytes: Buffer, format: EventFormat): EventArray | undefined =>
  mustSummarize(format) ? EventArray.parse(bytes) : EventArray.read(bytes);

function readFormat(header: EventPost['header']): EventFormat {
  const schema = header('x-launchdarkly-event-schema') ?? '';
  const tags = header('x-launchdarkly-tags') ?? '';
  return {
    schema: /^\+?\d{1,9}$/.test(schema) ? Math.max(1, Number(schema)) : 1,
    tags: tags.length > MAX_TAGS ? '' : tags,
    isUnsummarized: header('x-launchdarkly-unsummarized') !== undefined,
  };
}
