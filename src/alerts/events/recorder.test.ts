import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createLog } from '../../kernel/log.ts';
import { Metrics } from '../../kernel/metrics/metrics.ts';
import { FakeClock } from '../../testing/fake/clock.ts';
import { temporaryFolder } from '../../testing/processes.ts';
import type { EventRecorderConfig } from '../config/telemetry-config.ts';
import { Recorder } from './recorder.ts';

const NONE: EventRecorderConfig = { fileOutputs: [], webhookOutputs: [], kafkaOutputs: [], stdoutOutputs: [] };

const toFile = (path: string): EventRecorderConfig => ({ ...NONE, fileOutputs: [{ path }] });

function openRecorder(t: TestContext) {
  const folder = temporaryFolder(t);
  const clock = new FakeClock();
  const metrics = new Metrics();
  const lines: string[] = [];
  const log = createLog({ level: 'debug', format: 'logfmt', clock, write: (line) => lines.push(line) });
  const openHttp = () => assert.fail('no webhook here');
  const recorder = new Recorder({ openHttp, metrics, instance: 'host', clock, log });
  t.after(() => recorder.close());
  const path = join(folder, 'events.jsonl');
  const read = (file = path) => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
  return { recorder, metrics, lines, folder, path, read };
}

const eventOf = (number: number) => ({ alertCreated: { number } });

const lineOf = (number: number) =>
  `{"@timestamp":"2026-01-01T00:00:00Z","instance":"host","data":{"alertCreated":{"number":${number}}}}`;

test('events are appended to the file in their order, and counted with their bytes', async (t) => {
  const { recorder, metrics, path, read } = openRecorder(t);
  await recorder.apply(toFile(path));
  for (const number of [1, 2, 3]) recorder.record(eventOf(number));
  await recorder.close();
  assert.deepEqual(read(), [1, 2, 3].map(lineOf));
  const text = await metrics.render();
  const labels = `event_type="alert_created",output="file:${path}"`;
  assert.match(text, new RegExp(`alertmanager_events_recorded_total\\{${labels},result="success"\\} 3`));
  const bytes = readFileSync(path).length;
  assert.match(text, new RegExp(`alertmanager_event_recorder_bytes_written_total\\{${labels}\\} ${bytes}`));
  assert.match(text, /alertmanager_event_recorder_queue_length 0/);
});

test('a file that was moved away or deleted is created anew', async (t) => {
  const { recorder, path, read } = openRecorder(t);
  await recorder.apply(toFile(path));
  const written = async (number: number) => {
    recorder.record(eventOf(number));
    await recorder.idle();
  };
  await written(1);
  renameSync(path, `${path}.1`);
  await written(2);
  assert.deepEqual([read(`${path}.1`), read()], [[lineOf(1)], [lineOf(2)]]);
  unlinkSync(path);
  await written(3);
  assert.deepEqual(read(), [lineOf(3)]);
});

test('beyond 8192 waiting events later ones are dropped and counted', async (t) => {
  const { recorder, metrics, path, read } = openRecorder(t);
  await recorder.apply(toFile(path));
  for (let number = 0; number < 8200; number++) recorder.record(eventOf(number));
  await recorder.idle();
  assert.equal(read().length, 8192);
  assert.match(await metrics.render(), /alertmanager_events_dropped_total\{event_type="alert_created"\} 8/);
});

test('a file that cannot be opened is reported at the start, and the others are written', async (t) => {
  const { recorder, lines, folder, path, read } = openRecorder(t);
  await recorder.apply({ ...NONE, fileOutputs: [{ path: join(folder, 'none', 'x') }, { path }] });
  recorder.record(eventOf(1));
  await recorder.idle();
  assert.deepEqual(read(), [lineOf(1)]);
  assert.match(lines.join(''), /level=ERROR msg="a file for events cannot be opened" path=\S+ err=.*ENOENT/);
});

test('a reload changes the outputs, unless one of the new ones cannot be opened', async (t) => {
  const { recorder, lines, folder, path, read } = openRecorder(t);
  await recorder.apply(toFile(path));
  recorder.record(eventOf(1));
  await recorder.apply(toFile(join(folder, 'none', 'x')));
  recorder.record(eventOf(2));
  assert.match(lines.join(''), /the outputs of the event recorder stay as they were/);
  const other = join(folder, 'other.jsonl');
  await recorder.apply(toFile(other));
  recorder.record(eventOf(3));
  await recorder.apply(undefined);
  recorder.record(eventOf(4));
  await recorder.idle();
  assert.deepEqual([read(), read(other)], [[lineOf(1), lineOf(2)], [lineOf(3)]]);
});
