import assert from 'node:assert/strict';
import { FakeClock } from '../../../testing/fake/clock.ts';
import type { Cleanup } from '../../../testing/processes.ts';
import type { EnvironmentOptions } from '../../config/relay-options.ts';
import { createUpstreamSource } from '../../upstream/source.ts';
import { plainFlag, sseEvent } from './faults.ts';
import { FakeHttp, settle } from './http.ts';
import { emptySink, plainEnvironment, RecordingLog } from './parts.ts';

/** A put of one flag, `a`, version 1. */
export const SAMPLE_PUT = sseEvent('put', { path: '/', data: { flags: { a: plainFlag('a', 1) }, segments: {} } });

/** An upstream source with a fake clock and a fake network; waits have no jitter. */
export function startUpstream(t: Cleanup, { streamUri = 'https://stream.test', ...options }: StartOptions = {}) {
  const clock = new FakeClock();
  const http = new FakeHttp();
  const log = new RecordingLog();
  const sink = emptySink(clock);
  const environment = plainEnvironment(options);
  const settings = { streamUri };
  const source = createUpstreamSource(sink, { environment, options: settings, clock, log, http, random: () => 0 });
  t.after(() => source.close());
  source.start();
  return { clock, http, log, source, ...sink };
}

export type StartOptions = Partial<EnvironmentOptions> & { readonly streamUri?: string };
type Started = ReturnType<typeof startUpstream>;

/** Asserts that the next request follows after exactly this time. */
export async function assertAskedAfter({ clock, http }: Started, ms: number) {
  await settle();
  const before = http.asked.length;
  clock.advance(ms - 1);
  await settle();
  assert.equal(http.asked.length, before, `asked before ${ms} ms were over`);
  clock.advance(1);
  await settle();
  assert.equal(http.asked.length, before + 1, `not asked after ${ms} ms`);
  return http.next();
}
