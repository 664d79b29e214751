import type { MessagePort } from 'node:worker_threads';
import type { ListenAddress } from '../../kernel/http/listen-address.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import type { RelayOptions } from '../config/relay-options.ts';
import type { BigSegmentMemberships } from '../domain/big-segment.ts';
import type { GoalsAnswer } from '../goals.ts';
import type { EnvironmentId } from './change.ts';
import type { ForwardedAnswer, ForwardedRequest } from './forwarded-request.ts';
import type { WorkerReport } from './tally.ts';
import type { PostBatch } from './worker-events.ts';

/** The name of the thread's part of the program. */
export const RELAY_WORKER = 'relay worker';

/** What a worker is started with. */
export interface WorkerOptions {
  /** Without the environments, which come as changes. */
  readonly relay: RelayOptions;
  readonly tls: TlsSettings | undefined;
  /** Of the change feed. */
  readonly newest: Int32Array<SharedArrayBuffer>;
  /** The changes of the feed. */
  readonly changes: MessagePort;
  /** Calls of MainMethods. */
  readonly main: MessagePort;
  /** Whether each request is logged. */
  readonly isDebugging: boolean;
}

/** What a worker does for the main thread. */
export interface WorkerMethods {
  /** Listens beside other workers. */
  listen(address: ListenAddress): Promise<WorkerAddress>;
  /** Uses another certificate for further connections. */
  secureWith(tls: TlsSettings): Promise<void>;
  /** Takes what was counted since the last report. */
  report(): Promise<WorkerReport>;
  /** Gives the memory of the start back to the system; for one worker at a time. */
  rest(): Promise<void>;
  /** Ends streams, and finishes requests for at most `deadlineMs`. */
  close(deadlineMs: number): Promise<void>;
}

export interface WorkerAddress {
  readonly url: string;
  /** `host:port` */
  readonly addresses: readonly string[];
}

/** What the main thread does for a worker. */
export interface MainMethods {
  /** Answers a request that the worker does not answer itself. */
  answer(request: ForwardedRequest): Promise<ForwardedAnswer>;
  goals(envId: string): Promise<GoalsAnswer | undefined>;
  /** In big segments of an environment, by context key. */
  memberships(environment: EnvironmentId, keys: readonly string[]): Promise<BigSegmentMemberships>;
  takeEvents(batch: PostBatch): Promise<void>;
}
