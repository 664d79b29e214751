import type { ServerResponse } from 'node:http';
import type { StreamClient } from '../../kernel/sse/client.ts';
import type { Fanout } from '../../kernel/sse/fanout.ts';
import { type Frame, frameEvent } from '../../kernel/sse/frame.ts';
import type { SdkKind } from '../credentials.ts';
import type { CompiledFlag } from '../domain/compile.ts';
import type { Compiled, FlagListener, FlagStore, ItemKind } from '../flag-store.ts';
import { type EvaluatedRequest, EvaluatedStream, type ReadMemberships } from './evaluated.ts';
import { PingStream } from './ping.ts';
import type { StreamRegistry } from './registry.ts';
import { Snapshots } from './snapshot.ts';
import { type Revisions, Transfers } from './transfers.ts';

/** All data; the same in version 2 of flag delivery; flags only (old SDKs); pings or evaluated flags for mobile and client-side SDKs. */
export const STREAM_KINDS = [
  'all',
  'transfers',
  'flags',
  'mobile-ping',
  'client-ping',
  'mobile-evaluated',
  'client-evaluated',
] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];
const EXPOSED_SDK_KINDS = ['mobile', 'client'] as const;
type ExposedSdkKind = (typeof EXPOSED_SDK_KINDS)[number];

type Headers = Readonly<Record<string, string>>;

/** The streams of one environment. A change is framed once for all clients, and not at all without clients. */
export class EnvironmentStreams {
  readonly snapshots: Snapshots;
  readonly transfers: Transfers;
  readonly #registry: StreamRegistry;
  readonly #fanouts: Readonly<Record<StreamKind, Fanout>>;
  readonly #pings: Readonly<Record<ExposedSdkKind, PingStream>>;
  readonly #evaluated: Readonly<Record<ExposedSdkKind, EvaluatedStream>>;
  readonly #byCredential = new Map<string, Set<StreamClient>>();
  readonly #unsubscribe: () => void;

  constructor(store: FlagStore, registry: StreamRegistry, revisions: Revisions, readMemberships: ReadMemberships) {
    this.#registry = registry;
    this.snapshots = new Snapshots(store);
    this.transfers = new Transfers(store, revisions);
    const fanouts = Object.fromEntries(STREAM_KINDS.map((kind) => [kind, registry.openFanout()]));
    this.#fanouts = fanouts as Record<StreamKind, Fanout>;
    const ping = (sdkKind: ExposedSdkKind) => new PingStream(this.#fanouts[`${sdkKind}-ping`], registry.options);
    const evaluated = (sdkKind: ExposedSdkKind) =>
      new EvaluatedStream(store, this.#fanouts[`${sdkKind}-evaluated`], {
        isExposed: ({ exposure }: CompiledFlag) => exposure[sdkKind],
        readMemberships,
        clock: registry.options.clock,
      });
    this.#pings = { mobile: ping('mobile'), client: ping('client') };
    this.#evaluated = { mobile: evaluated('mobile'), client: evaluated('client') };
    this.#unsubscribe = store.subscribe(this.#listener());
  }

  /** Number of clients of this kind of stream. */
  size(kind: StreamKind): number {
    return this.#fanouts[kind].size;
  }

  /** Number of clients disconnected so far because they did not read. */
  get dropped(): number {
    return STREAM_KINDS.reduce((sum, kind) => sum + this.#fanouts[kind].dropped, 0);
  }

  /** Size of the first event of an `all` stream. */
  get snapshotBytes(): number {
    return this.snapshots.all.frame.bytes.length;
  }

  /** All data, then each change. */
  openData(kind: 'all' | 'flags', outgoing: ServerResponse, headers: Headers): StreamClient {
    const snapshot = kind === 'all' ? this.snapshots.all : this.snapshots.flags;
    return this.#fanouts[kind].open(outgoing, { headers, snapshot: snapshot.frame });
  }

  /** What is new since a revision, then each change, in version 2 of flag delivery. */
  openTransfers(revision: string | undefined, outgoing: ServerResponse, headers: Headers): StreamClient {
    return this.#fanouts.transfers.open(outgoing, { headers, snapshot: this.transfers.to(revision).frame });
  }

  /** A ping at once and with each change. */
  openPings(sdkKind: ExposedSdkKind, outgoing: ServerResponse, headers: Headers): StreamClient {
    return this.#pings[sdkKind].open(outgoing, headers);
  }

  /** All flags evaluated for one context, then those whose result changes. */
  openEvaluated(
    sdkKind: ExposedSdkKind,
    outgoing: ServerResponse,
    headers: Headers,
    request: EvaluatedRequest,
  ): StreamClient {
    return this.#evaluated[sdkKind].open(outgoing, headers, request);
  }

  /** Notes the credential of a client, until the returned function is called. */
  remember(client: StreamClient, sdkKind: SdkKind, credential: string): () => void {
    const name = `${sdkKind} ${credential}`;
    const clients = this.#byCredential.get(name) ?? new Set();
    this.#byCredential.set(name, clients.add(client));
    return () => {
      if (clients.delete(client) && clients.size === 0) this.#byCredential.delete(name);
    };
  }

  /** Ends the streams of clients whose credential is no longer accepted. */
  endUnless(isAccepted: (sdkKind: SdkKind, credential: string) => boolean): void {
    for (const [name, clients] of this.#byCredential) {
      const sdkKind = name.slice(0, name.indexOf(' ')) as SdkKind;
      if (isAccepted(sdkKind, name.slice(sdkKind.length + 1))) continue;
      for (const client of clients) client.end();
    }
  }

  /** Ends every stream; resolves when they are flushed. Idempotent. */
  async close(): Promise<void> {
    this.#unsubscribe();
    await Promise.all(STREAM_KINDS.map((kind) => this.#registry.closeFanout(this.#fanouts[kind])));
  }

  #listener(): FlagListener {
    return {
      replaced: () => {
        this.snapshots.forget();
        this.#send('all', () => this.snapshots.all.frame);
        this.#send('flags', () => this.snapshots.flags.frame);
        this.transfers.replaced();
        this.#send('transfers', () => this.transfers.to(undefined).frame);
        this.#notify((stream) => stream.replaced());
      },
      changed: (kind, key, json, before) => {
        this.#sendChange(kind, key, before, (path) =>
          frameEvent({ event: 'patch', data: `{"path":${path},"data":${json}}` }),
        );
      },
      removed: (kind, key, version, before) => {
        this.#sendChange(kind, key, before, (path) =>
          frameEvent({ event: 'delete', data: `{"path":${path},"version":${version}}` }),
        );
      },
      membersChanged: () => {
        this.transfers.membersChanged();
        this.#notify((stream) => stream.membersChanged());
      },
    };
  }

  #sendChange(kind: ItemKind, key: string, before: Compiled | undefined, frame: (path: string) => Frame): void {
    this.snapshots.forget(kind);
    this.#send('all', () => frame(JSON.stringify(`/${kind}/${key}`)));
    if (kind === 'flags') this.#send('flags', () => frame(JSON.stringify(`/${key}`)));
    this.transfers.changed(kind, key);
    this.#send('transfers', () => this.transfers.frameOf(kind, key));
    this.#notify((stream) => stream.changed(kind, key, before));
  }

  #notify(notify: (stream: PingStream | EvaluatedStream) => void): void {
    for (const sdkKind of EXPOSED_SDK_KINDS) {
      notify(this.#pings[sdkKind]);
      notify(this.#evaluated[sdkKind]);
    }
  }

  #send(kind: 'all' | 'transfers' | 'flags', frame: () => Frame): void {
    const fanout = this.#fanouts[kind];
    if (fanout.size > 0) fanout.send(frame());
  }
}
