import assert from 'node:assert/strict';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { eventually } from './eventually.ts';
import { HttpClient } from './http-client.ts';
import {
  findAmbiguousKeys,
  findMissing,
  findRepetitions,
  firstOfEachKey,
  PipelineLoad,
  type Repetition,
} from './pipeline-load.ts';
import { type Cleanup, configFile, type RunningServer, startOpsdeck, temporaryFolder } from './processes.ts';
import type { Random } from './random.ts';
import { startWebhookSink, type WebhookCall, type WebhookSink } from './webhook-sink.ts';

/** Short waits, so that most moments are near a flush; nothing is to be repeated. */
function configOf({ url }: WebhookSink): string {
  return `
route: {receiver: hook, group_by: [alertname], group_wait: 50ms, group_interval: 200ms, repeat_interval: 24h}
receivers: [{name: hook, webhook_configs: [{url: "${url}/hook"}]}]
`;
}

/** What came of a server that was ended again and again under load, and started again on the same data. */
export interface CrashReport {
  readonly calls: readonly WebhookCall[];
  readonly repetitions: readonly Repetition[];
  /** What of these is left for a receiver that takes each idempotency key once. */
  readonly repetitionsBeyondKeys: readonly Repetition[];
  /** Keys under which something else was told than before. */
  readonly ambiguousKeys: readonly string[];
  readonly missing: ReturnType<typeof findMissing>;
  readonly acknowledgedSilences: number;
  readonly lostSilences: readonly string[];
  /** How long the machine let this process itself wait for its turn at the most, in milliseconds. */
  readonly longestDelayMs: number;
  /** When the signals were sent; epoch milliseconds. */
  readonly endedAt: readonly number[];
}

export interface CrashPlan {
  readonly rounds: number;
  readonly signal: 'SIGKILL' | 'SIGTERM';
  readonly random: Random;
}

export async function runCrashes(t: Cleanup, { rounds, signal, random }: CrashPlan): Promise<CrashReport> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  t.after(() => delay.disable());
  const sink = await startWebhookSink(t);
  const args = ['--config.file', configFile(t, configOf(sink)), '--storage.path', join(temporaryFolder(t), 'data')];
  const load = new PipelineLoad(random);
  const endedAt: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await startOpsdeck(t, args);
    const stopLoad = load.start(t, server.url);
    await new Promise((done) => setTimeout(done, random.int(100, 900)));
    endedAt.push(Date.now());
    const status = await server.stop(signal);
    if (signal === 'SIGTERM') assert.deepEqual(status, { code: 0, signal: null });
    await stopLoad();
  }
  const server = await startOpsdeck(t, args);
  const lostSilences = await lostOf(t, server, load.silences);
  await settle(t, server, load, sink);
  return {
    calls: sink.calls,
    repetitions: findRepetitions(sink.calls),
    repetitionsBeyondKeys: findRepetitions(firstOfEachKey(sink.calls)),
    ambiguousKeys: findAmbiguousKeys(sink.calls),
    missing: findMissing(load.alerts, sink.calls),
    acknowledgedSilences: load.silences.size,
    lostSilences,
    longestDelayMs: delay.max / 1e6,
    endedAt,
  };
}

async function lostOf(t: Cleanup, { url }: RunningServer, acknowledged: ReadonlySet<string>): Promise<string[]> {
  const { body } = await new HttpClient(t, url).get('/api/v2/silences');
  const listed = new Set((JSON.parse(body) as { readonly id: string }[]).map(({ id }) => id));
  return [...acknowledged].filter((id) => !listed.has(id));
}

const QUIET_MS = 1500;

/** Ends the load, and waits until nothing has been told for a while. */
async function settle(t: Cleanup, { url }: RunningServer, load: PipelineLoad, sink: WebhookSink): Promise<void> {
  const client = new HttpClient(t, url);
  await load.end(client);
  const endedAt = Date.now();
  await eventually('quiet', () => Date.now() - Math.max(endedAt, sink.calls.at(-1)?.at ?? 0) > QUIET_MS);
}
