import type { CancelTimer, Clock } from '../../kernel/clock.ts';
import type { ListenAddress } from '../../kernel/http/listen-address.ts';
import type { TlsSettings } from '../../kernel/http/tls-front.ts';
import type { Log } from '../../kernel/log.ts';
import type { Part } from '../../kernel/threads/calls.ts';
import type { WorkerAddress, WorkerMethods } from './contract.ts';
import type { WorkerReport } from './tally.ts';

export type Worker = Part<WorkerMethods>;

export interface WorkerPoolParts {
  readonly count: number;
  /** Starts a thread, which does not listen yet. */
  readonly start: () => Worker;
  /** Called once for each worker that has ended, also if that was wanted. */
  readonly onEnd: (worker: Worker) => void;
  readonly onReport: (worker: Worker, report: WorkerReport) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The time before another attempt if a worker does not even start. */
const RETRY_MS = 1000;
/** The time after which a worker has started, and the memory of its start is garbage; later than that of the main thread. */
const AFTER_START_MS = 2000;
/** The time in which a worker must report; a busy one is left out. */
const REPORT_MS = 1000;

/** The threads that answer requests. One that dies is replaced. */
export class WorkerPool {
  readonly #parts: WorkerPoolParts;
  readonly #workers = new Set<Worker>();
  #address: ListenAddress = { host: undefined, port: 0 };
  #restarts = 0;
  /** Resolves when no worker collects garbage. */
  #resting: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(parts: WorkerPoolParts) {
    this.#parts = parts;
  }

  /** The number of workers that died and were replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Starts all workers; `beforeListening` is called immediately before the first one listens. Rejects if one cannot. */
  async listen(address: ListenAddress, beforeListening: () => Promise<void>): Promise<WorkerAddress> {
    const [first, ...others] = Array.from({ length: this.#parts.count }, () => this.#start());
    if (!first) throw new Error('a pool needs a worker');
    await Promise.all([first, ...others].map((worker) => worker.methods.report()));
    await beforeListening();
    const bound = await first.methods.listen(address);
    this.#address = { ...address, port: Number(new URL(bound.url).port) };
    await Promise.all(others.map((worker) => worker.methods.listen(this.#address)));
    for (const worker of [first, ...others]) this.#keep(worker);
    return bound;
  }

  /** Collects the reports of all workers. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#workers].map((worker) => this.#report(worker)));
  }

  /** Has all workers use another certificate. */
  secureWith(tls: TlsSettings): void {
    // One that has died starts again with the new certificate.
    for (const { methods } of this.#workers) methods.secureWith(tls).catch(() => {});
  }

  /** Lets requests finish for at most `deadlineMs`, then ends all workers. Idempotent. */
  close(deadlineMs: number): Promise<void> {
    this.#closing ??= Promise.all([...this.#workers].map((worker) => this.#end(worker, deadlineMs))).then(() => {});
    return this.#closing;
  }

  #start(): Worker {
    const worker = this.#parts.start();
    this.#workers.add(worker);
    return worker;
  }

  #forget(worker: Worker): void {
    if (this.#workers.delete(worker)) this.#parts.onEnd(worker);
  }

  /** Of a worker that listens. */
  #keep(worker: Worker): void {
    this.#parts.clock.after(AFTER_START_MS, () => {
      this.#resting = this.#resting.then(() => worker.methods.rest()).catch(() => {});
    });
    void worker.died.then(async (error) => {
      this.#forget(worker);
      if (this.#closing) return;
      this.#parts.log.error('a worker has died and is replaced; its clients reconnect', { error: error.message });
      this.#restarts++;
      await this.#replace();
    });
  }

  async #replace(): Promise<void> {
    const worker = this.#start();
    try {
      await worker.methods.listen(this.#address);
      this.#keep(worker);
    } catch (error) {
      this.#forget(worker);
      await worker.end();
      if (this.#closing) return;
      this.#parts.log.error('a worker cannot be replaced yet', { error: (error as Error).message });
      this.#parts.clock.after(RETRY_MS, () => void (this.#closing ? undefined : this.#replace()));
    }
  }

  async #report(worker: Worker): Promise<void> {
    const { clock, onReport } = this.#parts;
    const reporting = worker.methods.report().then(
      (report) => (this.#workers.has(worker) ? onReport(worker, report) : undefined),
      () => undefined,
    );
    let cancel: CancelTimer = () => {};
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(REPORT_MS, resolve);
    });
    await Promise.race([reporting, late]);
    cancel();
  }

  async #end(worker: Worker, deadlineMs: number): Promise<void> {
    // A worker that dies while it stops has nothing left to finish.
    await worker.methods.close(deadlineMs).catch(() => {});
    await worker.end();
    this.#forget(worker);
  }
}
