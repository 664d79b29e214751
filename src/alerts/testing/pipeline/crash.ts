import assert from 'node:assert/strict';
import { join } from 'node:path';
import { eventually } from '../../../testing/eventually.ts';
import { PlainClient } from '../../../testing/http/client.ts';
import type { SinkAnswer } from '../../../testing/http/sink.ts';
import {
  type Cleanup,
  configFile,
  type RunningServer,
  startOpsdeck,
  temporaryFolder,
} from '../../../testing/processes.ts';
import type { Random } from '../../../testing/random.ts';
import {
  type ReceivedNotification,
  type RecordingSink,
  type StartRecordingSink,
  startRecordingWebhook,
} from '../delivery-sinks.ts';
import { findAmbiguousKeys, findMissing, findRepetitions, PipelineLoad, type Repetition } from './load.ts';

/** Short waits, so that most moments are near a flush; nothing is to be repeated. */
function configOf({ yaml }: RecordingSink): string {
  return `
route: {receiver: sink, group_by: [alertname], group_wait: 50ms, group_interval: 200ms, repeat_interval: 24h}
receivers: [{name: sink, ${yaml}}]
`;
}

/** The result of repeated ends of a server under load, with restarts on the same data. */
export interface CrashReport {
  /** Notifications answered 200, as are the repetitions; `missing` considers unanswered ones as well. */
  readonly calls: readonly ReceivedNotification[];
  readonly repetitions: readonly Repetition[];
  /** Keys that were used for different notifications. */
  readonly ambiguousKeys: readonly string[];
  readonly missing: ReturnType<typeof findMissing>;
  readonly lostSilences: readonly string[];
  /** When each server but the last was gone; epoch milliseconds. */
  readonly goneAt: readonly number[];
}

/** The minimum of events before each end of a server. */
const MIN_SILENCES = 3;
const MIN_CALLS = 3;

export interface CrashPlan {
  readonly rounds: number;
  readonly signal: 'SIGKILL' | 'SIGTERM';
  readonly random: Random;
  /** The receiver; a webhook by default. */
  readonly startSink?: StartRecordingSink;
  /** The receiver's answer; 200 by default. */
  readonly answer?: (call: ReceivedNotification) => SinkAnswer;
  /** The delay of each answer in milliseconds; 0 by default. */
  readonly latencyMs?: () => number;
  /** Called when the last kill is over. */
  readonly settling?: () => void;
}

export async function runCrashes(t: Cleanup, plan: CrashPlan): Promise<CrashReport> {
  const { rounds, signal, random, settling } = plan;
  const { sink, heard, answered } = await startSinkOf(t, plan);
  const args = ['--config.file', configFile(t, configOf(sink)), '--storage.path', join(temporaryFolder(t), 'data')];
  const load = new PipelineLoad(random);
  const goneAt: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const server = await startOpsdeck(t, args);
    const stopLoad = load.start(t, server.url);
    await new Promise((done) => setTimeout(done, random.int(100, 900)));
    // However slow the machine, there is something to lose.
    const silences = MIN_SILENCES * (round + 1);
    const calls = MIN_CALLS * (round + 1);
    await eventually('the load', () => load.silences.size >= silences && answered.length >= calls);
    const status = await server.stop(signal);
    if (signal === 'SIGTERM') assert.deepEqual(status, { code: 0, signal: null });
    await stopLoad();
    // Its last requests may still be on their way to the receiver.
    await someTurns();
    goneAt.push(Date.now());
  }
  settling?.();
  const server = await startOpsdeck(t, args);
  const lostSilences = await lostOf(t, server, load.silences);
  const findMissingNow = () => findMissing(load.alerts, heard);
  await settle(t, server, { load, sink, isAllReceived: () => Object.values(findMissingNow()).flat().length === 0 });
  return {
    calls: answered,
    repetitions: findRepetitions(answered),
    ambiguousKeys: findAmbiguousKeys(heard),
    missing: findMissingNow(),
    lostSilences,
    goneAt,
  };
}

const take = (): SinkAnswer => ({});

/** The receiver, with all notifications and the acknowledged ones. */
async function startSinkOf(t: Cleanup, { startSink = startRecordingWebhook, answer = take, latencyMs }: CrashPlan) {
  const [heard, answered]: [ReceivedNotification[], ReceivedNotification[]] = [[], []];
  const note = (call: ReceivedNotification) => {
    const given = answer(call);
    const status = typeof given === 'string' ? given : (given.status ?? 200);
    if (status === 200 || status === 'hang') heard.push(call);
    if (status === 200) answered.push(call);
    return latencyMs ? later(latencyMs(), given) : given;
  };
  return { sink: await startSink(t, { answer: note }), heard, answered };
}

async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((done) => setImmediate(done));
}

function later<T>(ms: number, value: T): Promise<T> {
  return new Promise((done) => setTimeout(() => done(value), ms));
}

async function lostOf(t: Cleanup, { url }: RunningServer, acknowledged: ReadonlySet<string>): Promise<string[]> {
  const { body } = await new PlainClient(t, url).get('/api/v2/silences');
  const listed = new Set((JSON.parse(body) as { readonly id: string }[]).map(({ id }) => id));
  return [...acknowledged].filter((id) => !listed.has(id));
}

const QUIET_MS = 1500;

interface Settling {
  readonly load: PipelineLoad;
  readonly sink: RecordingSink;
  readonly isAllReceived: () => boolean;
}

/** Ends the load, and waits until nothing has been sent for a while. */
async function settle(t: Cleanup, { url }: RunningServer, { load, sink, isAllReceived }: Settling): Promise<void> {
  const client = new PlainClient(t, url);
  await load.end(client);
  const endedAt = Date.now();
  // After several refusals the next retry may take longer. What never arrives is reported as missing.
  await eventually('all to be received', isAllReceived).catch(() => {});
  await eventually('quiet', () => Date.now() - Math.max(endedAt, sink.calls.at(-1)?.at ?? 0) > QUIET_MS);
}
