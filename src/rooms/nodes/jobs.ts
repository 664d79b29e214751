import type { Fence } from '../domain/change.ts';

/** A job that this node may do. */
export interface JobLease {
  /** To be named by every change that the job writes. */
  readonly fences: readonly Fence[];
  /** Whether it is still this node's, as far as that is known without asking. False after the process was suspended. */
  readonly isHeld: boolean;
  /** Aborted when another node has taken it over. */
  readonly lost: AbortSignal;
  /** Asks if that is not known. False also while PostgreSQL is away. */
  confirm(): Promise<boolean>;
  /**
   * After a write without an answer: resolves when that write is either visible, or refused for good. False if the job is
   * not this node's any more, or if there is nothing to wait for.
   */
  settle(): Promise<boolean>;
  /** Another node may have it at once. */
  release(): Promise<void>;
}

/** Who does which job: of all nodes one. */
export interface Jobs {
  /** Whether other nodes take over the jobs of one that is lost. */
  readonly isShared: boolean;
  /** `undefined`: it is done already, by another node or this one. Rejects with a StorageAwayError. */
  hold(id: string): Promise<JobLease | undefined>;
  /** Calls `look` every second, which finds jobs that no node holds; the returned function ends that. Never on one server. */
  watch(look: () => Promise<void>): () => void;
}

const grantLocal = (): JobLease => ({
  fences: [],
  isHeld: true,
  lost: new AbortController().signal,
  confirm: async () => true,
  settle: async () => false,
  release: async () => {},
});

/** Of a server that is alone. */
export const LOCAL_JOBS: Jobs = {
  isShared: false,
  hold: async () => grantLocal(),
  watch: () => () => {},
};
