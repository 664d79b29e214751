// Measurements of a page with charts and a worker in a real browser: waits, paints, tasks and memory.
import type { Browser, CDPSession, Page } from 'playwright-core';
import { memoryOf } from '../../testing/processes.ts';

export const DEADLINE_MS = 30_000;
/** The page is done after this time without a paint. */
const QUIET_MS = 600;

/** Runs before the page's code: records its requests to the worker, its paints and its long tasks. */
export const PROBE = `(() => {
  const probe = { requests: [], tasks: [], charts: new Set(), changedAt: 0, drawnAt: 0, paintedAt: 0 };
  window.probe = probe;
  const open = new Map();
  window.Worker = class extends window.Worker {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        const request = open.get(data.id);
        if (!request || 'progress' in data) return;
        open.delete(data.id);
        // Charts without data are not the first charts.
        if (request.type === 'csv') probe.firstPaintedAt = undefined;
        probe.requests.push({ ...request, answeredAt: performance.now(), isAnswered: data.answer !== undefined });
      });
    }
    postMessage(message, ...rest) {
      if (message.request) open.set(message.id, { type: message.request.type, askedAt: performance.now() });
      super.postMessage(message, ...rest);
    }
  };
  const isIdle = () =>
    open.size === 0 &&
    probe.drawnAt > probe.changedAt &&
    performance.now() - probe.drawnAt > ${QUIET_MS} &&
    document.querySelector('main[aria-busy]') === null;
  probe.settle = () =>
    new Promise((done, fail) => {
      const endsAt = performance.now() + ${DEADLINE_MS};
      const timer = setInterval(() => {
        if (!isIdle() && performance.now() < endsAt) return;
        clearInterval(timer);
        if (isIdle()) done();
        else fail(new Error('the page does not come to rest'));
      }, 50);
    });
  // A message that is sent while a frame is made arrives when that frame is painted.
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    probe.paintedAt = performance.now();
    probe.firstPaintedAt ??= probe.paintedAt;
  };
  const clear = CanvasRenderingContext2D.prototype.clearRect;
  CanvasRenderingContext2D.prototype.clearRect = function (...args) {
    if (this.canvas.id.startsWith('chart-')) {
      probe.charts.add(this.canvas.id);
      probe.drawnAt = performance.now();
      port2.postMessage(0);
    }
    return clear.apply(this, args);
  };
  const began = ({ target, timeStamp }) => {
    if (target.type !== 'radio' && target.type !== 'checkbox') return;
    probe.charts.clear();
    probe.changedAt = timeStamp;
  };
  addEventListener('click', began, true);
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) probe.tasks.push({ startTime, duration });
  }).observe({ type: 'longtask', buffered: true });
})()`;

export interface Probe {
  readonly requests: readonly {
    readonly type: string;
    readonly askedAt: number;
    readonly answeredAt: number;
    readonly isAnswered: boolean;
  }[];
  /** Tasks of the main thread longer than 50 ms; the browser reports no others. */
  readonly tasks: readonly { readonly startTime: number; readonly duration: number }[];
  readonly charts: number;
  readonly changedAt: number;
  readonly paintedAt: number;
}

export const readProbe = (page: Page): Promise<Probe> =>
  page.evaluate('({ ...probe, charts: probe.charts.size, settle: 0 })');

export const settled = (page: Page): Promise<void> => page.evaluate('probe.settle()');

export function longestTask({ tasks }: Probe, since = 0): number {
  return Math.max(0, ...tasks.filter(({ startTime }) => startTime >= since).map(({ duration }) => duration));
}

export function timesOf({ requests }: Probe, type: string, since = 0): readonly number[] {
  return requests
    .filter((request) => request.type === type && request.isAnswered && request.askedAt >= since)
    .map(({ askedAt, answeredAt }) => answeredAt - askedAt);
}

/** Bytes that the scripts of page and worker hold, after garbage collection: objects and the memory of arrays. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = (await session.send('Runtime.getHeapUsage')) as HeapUsage;
  const ofWorker = await askWorker(session);
  await session.detach();
  return usedSize + backingStorageSize + ofWorker;
}

interface HeapUsage {
  readonly usedSize: number;
  readonly backingStorageSize: number;
}

/** The worker's share; a page's session reaches its worker by messages only. */
async function askWorker(session: CDPSession): Promise<number> {
  const attached = new Promise<{ readonly sessionId: string }>((done) => session.once('Target.attachedToTarget', done));
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  const { sessionId } = await attached;
  const answered = new Promise<HeapUsage>((done) =>
    session.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, result } = JSON.parse(message) as { readonly id?: number; readonly result?: HeapUsage };
      if (id === 2 && result) done(result);
    }),
  );
  for (const [at, method] of ['HeapProfiler.collectGarbage', 'Runtime.getHeapUsage'].entries()) {
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: at + 1, method }) });
  }
  const { usedSize, backingStorageSize } = await answered;
  return usedSize + backingStorageSize;
}

/** The most that the largest process of pages ever held, in bytes. */
export async function peakBytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => memoryOf(id)?.peak ?? 0));
}

interface TraceEvent {
  readonly ph: string;
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
}

const MARK = 'the page under test';

/**
 * The most processor time of one task of a page's main thread while `act` runs, in ms: other programs add nothing, and
 * neither do the pages that the browser's own surface is made of.
 */
export async function busiestTask(browser: Browser, page: Page, act: () => Promise<void>): Promise<number> {
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  await act();
  await page.evaluate((name) => void performance.mark(name), MARK);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mains = new Set(traceEvents.filter(({ name }) => name === MARK).map(threadOf));
  const tasks = traceEvents.filter((event) => event.ph === 'X' && event.name.endsWith('RunTask'));
  const times = tasks.filter((event) => mains.has(threadOf(event))).map(({ tdur }) => (tdur ?? 0) / 1000);
  if (times.length === 0) throw new Error('the trace holds no task of the main thread');
  return times.reduce((most, time) => Math.max(most, time), 0);
}
