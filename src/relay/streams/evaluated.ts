import type { ServerResponse } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import type { Fanout } from '../../kernel/sse/fanout.ts';
import { type Frame, frameEvent } from '../../kernel/sse/frame.ts';
import { areSameMembers, type BigSegmentMemberships, haveFailed } from '../domain/big-segment.ts';
import { type CompiledFlag, compileFlag } from '../domain/compile.ts';
import type { Context } from '../domain/context/context.ts';
import { printEvaluations, printFlagEvaluation } from '../domain/evaluation/json.ts';
import type { FlagLookup } from '../domain/evaluation/scope.ts';
import type { CompiledSegment } from '../domain/segment-match.ts';
import type { Compiled, FlagStore, ItemKind } from '../flag-store.ts';
import { findDependents } from './dependents.ts';

export interface EvaluatedRequest {
  readonly context: Context;
  readonly withReasons: boolean;
  /** Memberships of the context in big segments when the stream was opened; undefined if none are needed. */
  readonly memberships: BigSegmentMemberships | undefined;
}

/** Looks up memberships in big segments; as in Environment. */
export type ReadMemberships = (context: Context) => BigSegmentMemberships | undefined | Promise<BigSegmentMemberships>;

export interface EvaluatedOptions {
  /** Whether the SDKs of the stream can see a flag. */
  readonly isExposed: (flag: CompiledFlag) => boolean;
  readonly readMemberships: ReadMemberships;
  readonly clock: Clock;
}

/** Clients per turn of the event loop that are sent a `put`: evaluating all flags can take milliseconds. */
const MAX_PUTS_PER_TURN = 200;
/** Maximum number of clients whose memberships are looked up at the same time. */
const MAX_LOOKUPS = 100;
/** Maximum number of distinct frames of one change that are cached. */
const MAX_SHARED_FRAMES = 100;

/** One flag before and after a change; undefined where the SDKs cannot see it. */
interface Difference {
  readonly key: string;
  readonly before: CompiledFlag | undefined;
  readonly after: CompiledFlag | undefined;
  /** Beginning of a patch: the key, and the version for events of the SDK. */
  readonly head: string;
  readonly version: number;
}

/**
 * Evaluates flags per connection, so that SDKs need not poll after a change: a `put` of all flags, then a `patch` or `delete`
 * of each flag whose result changes for the context. A connection keeps only its context: its previous results are found
 * by evaluating the data before the change.
 */
export class EvaluatedStream {
  readonly #store: FlagStore;
  readonly #fanout: Fanout;
  readonly #options: EvaluatedOptions;
  readonly #requests = new Map<StreamClient, EvaluatedRequest>();
  /**
   * SDKs ignore a patch without a newer version, but a change of a prerequisite or segment leaves the version of the flag
   * as it is. Each such change raises the versions of all later patches; a `put` is accepted with any versions.
   */
  #versionOffset = 0;

  /** The current look-up of the memberships of all clients. */
  #refreshing: Promise<void> | undefined;
  #mustRefreshAgain = false;

  /** Clients that wait for a `put`; undefined without any. */
  #waiting: Set<StreamClient> | undefined;

  constructor(store: FlagStore, fanout: Fanout, options: EvaluatedOptions) {
    this.#store = store;
    this.#fanout = fanout;
    this.#options = options;
  }

  open(outgoing: ServerResponse, headers: Readonly<Record<string, string>>, request: EvaluatedRequest): StreamClient {
    const client = this.#fanout.open(outgoing, { headers, snapshot: this.#frameAll(request, new Map()) });
    if (client.isOpen) {
      this.#requests.set(client, request);
      client.whenOver(() => this.#requests.delete(client));
    }
    return client;
  }

  /** A later change may reach waiting clients before their `put`, which then includes it. */
  replaced(): void {
    this.#refreshIfNeeded();
    const isWorking = this.#waiting !== undefined;
    if (this.#requests.size === 0) return;
    this.#waiting = new Set(this.#requests.keys());
    if (!isWorking) this.#putSome();
  }

  /** Contexts may have joined or left big segments. */
  membersChanged(): void {
    this.#mustRefreshAgain = true;
    if (this.#requests.size > 0) this.#refreshing ??= this.#refresh();
  }

  /** Segments may have become big ones, or other kinds of contexts may be needed. */
  #refreshIfNeeded(): void {
    if (this.#store.bigSegmentKinds.size > 0) this.membersChanged();
  }

  async #refresh(): Promise<void> {
    while (this.#mustRefreshAgain) {
      this.#mustRefreshAgain = false;
      const clients = [...this.#requests.keys()];
      while (clients.length > 0) {
        await Promise.all(clients.splice(-MAX_LOOKUPS).map((client) => this.#refreshClient(client)));
        if (clients.length > 0) await new Promise<void>((resolve) => this.#options.clock.after(0, resolve));
      }
    }
    this.#refreshing = undefined;
  }

  /** A `put` if the memberships are others than before. If the store fails, the last known ones stay. */
  async #refreshClient(client: StreamClient): Promise<void> {
    const context = this.#requests.get(client)?.context;
    const memberships = context && (await this.#options.readMemberships(context));
    const request = this.#requests.get(client);
    if (!memberships || !request || haveFailed(memberships)) return;
    if (request.memberships && areSameMembers(memberships, request.memberships)) return;
    const renewed = { ...request, memberships };
    this.#requests.set(client, renewed);
    client.send(this.#frameAll(renewed, new Map()));
  }

  #putSome(): void {
    const frames = new Map<string, Frame>();
    let left = MAX_PUTS_PER_TURN;
    for (const client of this.#waiting ?? []) {
      if (left-- === 0) return void this.#options.clock.after(0, () => this.#putSome());
      this.#waiting?.delete(client);
      const request = this.#requests.get(client);
      if (request) client.send(this.#frameAll(request, frames));
    }
    this.#waiting = undefined;
  }

  /** `before` is the previous item. */
  changed(kind: ItemKind, key: string, before: Compiled | undefined): void {
    if (this.#requests.size === 0) return;
    const after = kind === 'flags' ? this.#store.flag(key) : this.#store.segment(key);
    if (after === before) return;
    if (kind === 'segments') this.#refreshIfNeeded();
    const then = lookupBefore(this.#store, kind, key, before);
    const differences = this.#differences(kind, key, then);
    const frames = new Map<string, Frame>();
    for (const [client, request] of this.#requests) {
      for (const difference of differences) {
        const data = this.#compare(difference, request, then);
        if (data !== undefined) client.send(framed(frames, data.event, data.text));
      }
    }
  }

  #frameAll({ context, ...options }: EvaluatedRequest, frames: Map<string, Frame>): Frame {
    const flags = this.#store.flags().filter(this.#options.isExposed);
    return framed(frames, 'put', printEvaluations(flags, context, this.#store, options));
  }

  #differences(kind: ItemKind, key: string, then: FlagLookup): readonly Difference[] {
    const dependents = findDependents(kind, key, this.#store.flags(), this.#store);
    if (dependents.some(({ flag }) => kind !== 'flags' || flag.key !== key)) this.#versionOffset++;
    const keys = new Set(dependents.map(({ flag }) => flag.key));
    if (kind === 'flags') keys.add(key);
    return [...keys].map((name) => this.#difference(name, then));
  }

  #difference(key: string, then: FlagLookup): Difference {
    const seen = (flag: CompiledFlag | undefined) => (flag && this.#options.isExposed(flag) ? flag : undefined);
    const before = seen(then.flag(key));
    const after = seen(this.#store.flag(key));
    const ownVersion = this.#store.version('flags', key) ?? 0;
    const version = ownVersion + this.#versionOffset;
    const head = `{"key":${JSON.stringify(key)},${this.#versionOffset > 0 ? `"flagVersion":${ownVersion},` : ''}`;
    return {
      key,
      // With the same version, so that only results differ.
      before: before && withVersion(before, version),
      after: after && withVersion(after, version),
      head,
      version,
    };
  }

  #compare(
    { key, before, after, head, version }: Difference,
    { context, ...options }: EvaluatedRequest,
    then: FlagLookup,
  ): { readonly event: 'patch' | 'delete'; readonly text: string } | undefined {
    const now = after && printFlagEvaluation(after, context, this.#store, options);
    const known = before && printFlagEvaluation(before, context, then, options);
    if (now === known) return undefined;
    if (now === undefined) return { event: 'delete', text: `{"key":${JSON.stringify(key)},"version":${version}}` };
    return { event: 'patch', text: head + now.slice(1) };
  }
}

function framed(frames: Map<string, Frame>, event: string, data: string): Frame {
  const name = `${event} ${data}`;
  let frame = frames.get(name);
  if (!frame) {
    frame = frameEvent({ event, data });
    if (frames.size < MAX_SHARED_FRAMES) frames.set(name, frame);
  }
  return frame;
}

function withVersion({ flag }: CompiledFlag, version: number): CompiledFlag {
  return compileFlag({ ...flag, version });
}

function lookupBefore(store: FlagStore, kind: ItemKind, key: string, before: Compiled | undefined): FlagLookup {
  return {
    flag: (name) => (kind === 'flags' && name === key ? (before as CompiledFlag | undefined) : store.flag(name)),
    segment: (name) =>
      kind === 'segments' && name === key ? (before as CompiledSegment | undefined) : store.segment(name),
  };
}
