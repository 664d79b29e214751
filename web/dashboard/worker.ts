// The worker that owns the usage events: the page asks for views and pages of tables and never holds an event.

import type { TableQuery } from '../../src/dashboard/domain/table-page.ts';
import { UsageData } from '../../src/dashboard/domain/usage-data.ts';
import type { View, ViewQuery } from '../../src/dashboard/domain/view.ts';
import { browserClock } from '../shared/clock.ts';
import { nextTask } from '../shared/task.ts';
import { LiveCache } from './live/cache.ts';
import { failureOf } from './live/fetch.ts';
import type { Answers, CsvRequest, FromWorker, Progress, ToWorker, WorkerRequest } from './text/messages.ts';

/** Minimum interval of progress messages. */
const PROGRESS_MS = 50;

/** The part of a worker's global scope that is used here. */
interface WorkerScope {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker>) => void): void;
}

class DataWorker {
  readonly #scope: WorkerScope;
  readonly #running = new Map<number, AbortController>();
  /** The newest unanswered request of each kind; older ones need no answer. */
  readonly #newest = new Map<'view' | 'table', number>();
  #data = new UsageData([]);
  #live = new LiveCache(this.#data, browserClock);

  constructor(scope: WorkerScope) {
    this.#scope = scope;
    scope.addEventListener('message', ({ data }) => {
      if ('cancel' in data) this.#running.get(data.id)?.abort();
      else void this.#answer(data.id, data.request);
    });
  }

  async #answer(id: number, request: WorkerRequest): Promise<void> {
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      const answer = await this.#perform(id, request, running.signal);
      this.#post({ id, answer }, request.type === 'view' ? transferOf(answer as View | undefined) : []);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#post({ id, error: message, isCancelled: running.signal.aborted });
    } finally {
      this.#running.delete(id);
    }
  }

  async #perform(id: number, request: WorkerRequest, signal: AbortSignal): Promise<Answers[keyof Answers]> {
    switch (request.type) {
      case 'start':
        this.#data = new UsageData(request.users);
        this.#live = new LiveCache(this.#data, browserClock);
        return undefined;
      case 'csv':
        return this.#readCsv(id, request, signal);
      case 'live':
        return this.#live.update(request, signal, (progress) => this.#post({ id, progress }));
      case 'changes':
        return this.#live.follow(request, signal);
      case 'coverage':
        return this.#data.coverage(request, request);
      case 'remove-files':
        for (const fileId of request.fileIds) this.#data.removeFile(fileId);
        return undefined;
      case 'clear-live':
        this.#live.clear();
        return undefined;
      case 'markers':
        this.#data.setMarkers(request.markers);
        return undefined;
      case 'view':
        return this.#ifNewest(id, 'view', () => this.#data.view(request.query as ViewQuery));
      case 'table':
        return this.#ifNewest(id, 'table', () => this.#data.table(request.query as TableQuery));
      case 'export':
        return this.#export(request.format, request.query);
    }
  }

  /** Reads all messages that have arrived first: a newer request of the kind replaces this one. */
  async #ifNewest<Answer>(id: number, kind: 'view' | 'table', compute: () => Answer): Promise<Answer | undefined> {
    this.#newest.set(kind, id);
    await nextTask();
    return this.#newest.get(kind) === id ? compute() : undefined;
  }

  async #readCsv(id: number, request: CsvRequest, signal: AbortSignal): Promise<Answers['csv']> {
    const source = typeof request.from === 'string' ? await openAddress(request.from, signal) : openBlob(request.from);
    if (!source) return 'missing';
    const { name, user, now } = request;
    const csv = this.#data.openCsv({ name, user, size: source.size }, now);
    let reportedAt = 0;
    for await (const bytes of chunksOf(source.stream)) {
      signal.throwIfAborted();
      const counts = csv.push(bytes);
      const at = browserClock.now();
      if (at - reportedAt < PROGRESS_MS) continue;
      reportedAt = at;
      const progress: Progress = { done: counts.bytes, total: source.size, count: counts.rows };
      this.#post({ id, progress });
      // A cancel may be waiting.
      await nextTask();
    }
    return csv.finish();
  }

  #export(format: 'csv' | 'json', query: ViewQuery): Blob {
    const parts = format === 'csv' ? this.#data.exportCsv(query) : this.#data.exportJson(query);
    return new Blob([...parts], { type: format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json' });
  }

  #post(message: FromWorker, transfer: Transferable[] = []): void {
    this.#scope.postMessage(message, transfer);
  }
}

interface ByteSource {
  readonly stream: ReadableStream<Uint8Array>;
  /** Bytes; 0 when not known. */
  readonly size: number;
}

const openBlob = (blob: Blob): ByteSource => ({ stream: blob.stream(), size: blob.size });

/** The bytes at an address; undefined for 404. */
async function openAddress(address: string, signal: AbortSignal): Promise<ByteSource | undefined> {
  const response = await fetch(address, { signal, cache: 'no-cache' });
  if (response.status === 404) return undefined;
  if (!response.ok || !response.body) {
    const { message, hint } = await failureOf(response);
    throw new Error(hint === undefined ? `${message} (${response.status})` : `${message}: ${hint}`);
  }
  // The length of a compressed answer is not that of its decoded bytes.
  const isPlain = !response.headers.has('content-encoding');
  return { stream: response.body, size: isPlain ? Number(response.headers.get('content-length') ?? 0) : 0 };
}

async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The buffers of a view, to be transferred instead of copied. */
function transferOf(view: View | undefined): Transferable[] {
  if (!view) return [];
  const arrays = [
    ...Object.values(view.buckets as unknown as Record<string, unknown>),
    ...Object.values(view.byHour),
    ...Object.values(view.byWeekday),
  ];
  return [...new Set(arrays.filter(isArrayView).map((array) => array.buffer as ArrayBuffer))];
}

const isArrayView = (value: unknown): value is ArrayBufferView => ArrayBuffer.isView(value);

new DataWorker(self as unknown as WorkerScope);
