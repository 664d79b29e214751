import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdProcess, systemClock } from '../../../kernel/clock.ts';
import { createLog } from '../../../kernel/log.ts';
import { bench, describeMachine, printNumber, printTable } from '../../../testing/bench.ts';
import { Janitor, temporaryFolder } from '../../../testing/processes.ts';
import { writeClaudeLogs } from '../testing/claude-logs.ts';
import { writeCodexLogs } from '../testing/codex-logs.ts';
import { AgentUsage } from '../usage.ts';
import { AGENTS_FILE } from './open-database.ts';

// Each reading runs in a process of its own, in which thread and main thread are one, with V8's limit of the thread.

const GIGABYTES = 2;
/** Characters of a text of a conversation; tools print files of several kilobytes. */
const TEXT_LENGTH = 2_000;
const FOLDER = 'OPSDECK_AGENTS_BENCH';

interface Measured {
  readonly bytes: number;
  readonly events: number;
  /** Until the first events can be asked, until all are there, and of asking for all of them, in milliseconds. */
  readonly firstMs: number;
  readonly allMs: number;
  readonly askMs: number;
  /** Of the reading. */
  readonly processorMs: number;
  /** The most memory at the end of the reading, and after all events were asked for. */
  readonly readMegabytes: number;
  readonly askMegabytes: number;
  /** From an appended line to its event, if one was appended. */
  readonly appendedMs: number;
  readonly appendedProcessorMs: number;
}

async function measure(folder: string): Promise<Measured> {
  holdProcess();
  const log = createLog({ level: 'error', format: 'logfmt', clock: systemClock, write: (text) => console.error(text) });
  const startedAt = performance.now();
  const usage = await AgentUsage.open({
    agents: ['claude', 'codex'],
    env: {},
    home: join(folder, 'home'),
    dataDir: join(folder, 'data'),
    log,
    clock: systemClock,
  });
  const firstMs = (await firstEvents(usage)) - startedAt;
  await usage.firstReading();
  const allMs = performance.now() - startedAt;
  const processorMs = processorTime();
  const readMegabytes = peakMegabytes();
  const askedAt = performance.now();
  let events = 0;
  for (const agent of ['claude', 'codex'] as const)
    for await (const part of usage.events(agent, {})) events += part.length;
  const askMs = performance.now() - askedAt;
  const askMegabytes = peakMegabytes();
  const bytes = usage.status().agents.reduce((sum, agent) => sum + agent.bytes, 0);
  const appended = await append(usage, join(folder, 'home', '.claude', 'projects'));
  await usage.close();
  return { bytes, events, firstMs, allMs, askMs, processorMs, readMegabytes, askMegabytes, ...appended };
}

/** The time at which events are answered. */
async function firstEvents(usage: AgentUsage): Promise<number> {
  for (;;) {
    for (const agent of ['claude', 'codex'] as const)
      for await (const _ of usage.events(agent)) return performance.now();
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** Repeats the last answer of a log under another id. */
async function append(usage: AgentUsage, folder: string) {
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('.jsonl')) ?? '';
  const path = join(folder, name);
  const answer = readFileSync(path, 'utf8')
    .split('\n')
    .findLast((text) => text.includes('"usage":{') && text.startsWith('{') && text.includes('"id":"msg_'));
  const line = answer?.replace(/"id":"msg_\w+"/, `"id":"msg_bench${Date.now()}"`);
  const changed = new Promise((done) => usage.onChange(done));
  const processorBefore = processorTime();
  const startedAt = performance.now();
  appendFileSync(path, `${line}\n`);
  await changed;
  return { appendedMs: performance.now() - startedAt, appendedProcessorMs: processorTime() - processorBefore };
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const peakMegabytes = () => process.resourceUsage().maxRSS / 1024;

async function measureApart(folder: string): Promise<Measured> {
  const child = fork(fileURLToPath(import.meta.url), [], {
    env: { ...process.env, [FOLDER]: folder },
    execArgv: ['--max-semi-space-size=2'],
  });
  const [measured] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [Measured];
  return measured;
}

function rowsOf(first: Measured, again: Measured, databaseMegabytes: number): readonly (readonly string[])[] {
  const row = (what: string, unit: string, value: (measured: Measured) => number) => [
    `${what}, ${unit}`,
    printNumber(value(first)),
    printNumber(value(again)),
  ];
  return [
    row('first events', 's', ({ firstMs }) => firstMs / 1000),
    row('all read', 's', ({ allMs }) => allMs / 1000),
    ['read, MB/s', printNumber(first.bytes / 1e3 / first.allMs), ''],
    row('processor time until all is read', 's', ({ processorMs }) => processorMs / 1000),
    ['read, MB/s of processor time', printNumber(first.bytes / 1e3 / first.processorMs), ''],
    row('most memory until all is read', 'MB', ({ readMegabytes }) => readMegabytes),
    row(`all ${first.events} events answered`, 's', ({ askMs }) => askMs / 1000),
    row('most memory until then', 'MB', ({ askMegabytes }) => askMegabytes),
    row('from an appended line to its event', 'ms', ({ appendedMs }) => appendedMs),
    row('processor time of that', 'ms', ({ appendedProcessorMs }) => appendedProcessorMs),
    ['database, MB', printNumber(databaseMegabytes), ''],
  ];
}

const measuredFolder = process.env[FOLDER];
if (measuredFolder !== undefined)
  void measure(measuredFolder).then((measured) => process.send?.(measured, () => process.exit()));
else
  bench('agents', async ([size = String(GIGABYTES)]) => {
    const janitor = new Janitor();
    const folder = temporaryFolder(janitor);
    const bytes = Number(size) * 1e9;
    const shape = { textLength: TEXT_LENGTH };
    const claude = writeClaudeLogs(join(folder, 'home'), { ...shape, bytes: bytes * 0.7 });
    const codex = writeCodexLogs(join(folder, 'home'), { ...shape, bytes: bytes * 0.3 });
    const files = claude.files.length + codex.files.length;
    console.log(
      `Logs of coding assistants, opsdeck ${OPSDECK_VERSION}: ${printNumber(bytes / 1e9)} GB in ${files} files`,
    );
    console.log(`${describeMachine()}\n`);
    const first = await measureApart(folder);
    const again = await measureApart(folder);
    const databaseMegabytes = statSync(join(folder, 'data', AGENTS_FILE)).size / 2 ** 20;
    await janitor.clean();
    if (first.events !== claude.answers.length + codex.answers.length)
      throw new Error(`read ${first.events} events, wrote ${claude.answers.length + codex.answers.length}`);
    console.log(printTable(['', 'first start', 'restart'], rowsOf(first, again, databaseMegabytes)));
  });
