import type { ServerResponse } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import type { StreamClient } from '../../kernel/sse/client.ts';
import type { Fanout } from '../../kernel/sse/fanout.ts';
import { type Frame, frameEvent } from '../../kernel/sse/frame.ts';
import type { Context } from '../domain/context/context.ts';
import {
  type CompiledFlag,
  type CompiledSegment,
  compileFlag,
  type FlagLookup,
} from '../domain/evaluation/evaluate.ts';
import { printEvaluations, printFlagEvaluation } from '../domain/evaluation/json.ts';
import type { Compiled, FlagStore, ItemKind } from '../flag-store.ts';
import { findDependents } from './dependents.ts';

/** For whom a stream evaluates. */
export interface EvaluatedRequest {
  readonly context: Context;
  readonly withReasons: boolean;
}

export interface EvaluatedOptions {
  /** Whether those who listen may know of a flag. */
  readonly isExposed: (flag: CompiledFlag) => boolean;
  readonly clock: Clock;
}

/** How many are sent everything in one turn of the event loop: to evaluate all flags takes up to milliseconds. */
const PUTS_A_TURN = 200;
/** How many texts of one change are framed once for all; where more differ, the rest is framed one by one. */
const MAX_SHARED_FRAMES = 100;

/** One flag before and after a change; undefined where the listeners cannot see it. */
interface Difference {
  readonly key: string;
  readonly before: CompiledFlag | undefined;
  readonly after: CompiledFlag | undefined;
  /** What stands in a patch beside the evaluation: the version that the SDK's events name. */
  readonly head: string;
  readonly version: number;
}

/**
 * Evaluates flags for everybody who listens, so that no change makes them all ask again: a `put` of everything, and then a
 * `patch` or a `delete` of what comes out otherwise for this context. Of a connection nothing but its context is kept: what
 * it knows is found by evaluating what stood there before the change.
 */
export class EvaluatedStream {
  readonly #store: FlagStore;
  readonly #fanout: Fanout;
  readonly #options: EvaluatedOptions;
  readonly #requests = new Map<StreamClient, EvaluatedRequest>();
  /**
   * SDKs pass over a patch that is not of a newer version, but a flag changes without one where its prerequisite or its
   * segment does. Each such change lifts all versions of later patches; a `put` is taken whatever its versions.
   */
  #lift = 0;

  /** Who is still to be sent everything; undefined when nobody is. */
  #behind: Set<StreamClient> | undefined;

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

  /** A change that comes while some wait for their `put` may reach them first: the `put` then holds it too. */
  replaced(): void {
    const isWorking = this.#behind !== undefined;
    if (this.#requests.size === 0) return;
    this.#behind = new Set(this.#requests.keys());
    if (!isWorking) this.#putSome();
  }

  #putSome(): void {
    const frames = new Map<string, Frame>();
    let left = PUTS_A_TURN;
    for (const client of this.#behind ?? []) {
      if (left-- === 0) return void this.#options.clock.after(0, () => this.#putSome());
      this.#behind?.delete(client);
      const request = this.#requests.get(client);
      if (request) client.send(this.#frameAll(request, frames));
    }
    this.#behind = undefined;
  }

  /** `before` is what the key stood for until now. */
  changed(kind: ItemKind, key: string, before: Compiled | undefined): void {
    if (this.#requests.size === 0) return;
    const after = kind === 'flags' ? this.#store.flag(key) : this.#store.segment(key);
    if (after === before) return;
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

  #frameAll({ context, withReasons }: EvaluatedRequest, frames: Map<string, Frame>): Frame {
    const flags = this.#store.flags().filter(this.#options.isExposed);
    return framed(frames, 'put', printEvaluations(flags, context, this.#store, { withReasons }));
  }

  #differences(kind: ItemKind, key: string, then: FlagLookup): readonly Difference[] {
    const dependents = findDependents(kind, key, this.#store.flags(), this.#store);
    if (dependents.some(({ flag }) => kind !== 'flags' || flag.key !== key)) this.#lift++;
    const keys = new Set(dependents.map(({ flag }) => flag.key));
    if (kind === 'flags') keys.add(key);
    return [...keys].map((name) => this.#difference(name, then));
  }

  #difference(key: string, then: FlagLookup): Difference {
    const seen = (flag: CompiledFlag | undefined) => (flag && this.#options.isExposed(flag) ? flag : undefined);
    const before = seen(then.flag(key));
    const after = seen(this.#store.flag(key));
    const ownVersion = this.#store.version('flags', key) ?? 0;
    const version = ownVersion + this.#lift;
    const head = `{"key":${JSON.stringify(key)},${this.#lift > 0 ? `"flagVersion":${ownVersion},` : ''}`;
    return {
      key,
      // Of one version, so that the two differ in nothing but what they come to.
      before: before && withVersion(before, version),
      after: after && withVersion(after, version),
      head,
      version,
    };
  }

  #compare(
    { key, before, after, head, version }: Difference,
    { context, withReasons }: EvaluatedRequest,
    then: FlagLookup,
  ): { readonly event: 'patch' | 'delete'; readonly text: string } | undefined {
    const now = after && printFlagEvaluation(after, context, this.#store, { withReasons });
    const known = before && printFlagEvaluation(before, context, then, { withReasons });
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
