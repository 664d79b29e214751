import { type ChildProcess, fork } from 'node:child_process';
import { deserialize, serialize } from 'node:v8';
import { Caller, type CallerParts, callerProxy, logOver, type Part, PartEnd, type ProcessPort } from './calls.ts';
import { messageOf } from './errors.ts';

/** How long a process that is asked to end may take before it is killed. */
const END_MS = 2_000;

export interface ChildStart extends CallerParts {
  /** The executable, whose entry hands the process over to what `name` names. */
  readonly file: string;
  readonly name: string;
  /** Can be written as JSON. Whoever may look at processes of this user can read it. */
  readonly options: unknown;
}

/** A process that this one has started. */
export interface Child<T extends object> extends Part<T> {
  /** Ends it at once; whoever waits for an answer is told that it has died. */
  kill(): void;
}

/** In the environment of the process. */
const OPTIONS = 'OPSDECK_PART_OPTIONS';

/**
 * Starts a process that outlives this one: it belongs to no terminal and to no group of processes that somebody else
 * signals, and learns by the end of their connection that this one is gone. So does one whose `end` is called. Until then
 * this process lives on, as answers may come.
 */
export function startChild<T extends object>({ file, name, options, ...parts }: ChildStart): Child<T> {
  const child = fork(file, [`(${name})`], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    // What lives no longer than a message needs no more room, which V8 would take for good (in MB).
    execArgv: ['--max-semi-space-size=4'],
    env: { ...process.env, [OPTIONS]: JSON.stringify(options) },
  });
  const caller = new Caller(portTo(child), parts);
  const end = new PartEnd(caller, `the process of ${name}`);
  child.on('error', (error) => end.came(messageOf(error)));
  child.on('exit', (code, signal) => end.came(signal ?? `code ${code}`));
  return {
    methods: callerProxy<T>(caller),
    died: end.died,
    kill() {
      child.kill('SIGKILL');
    },
    async end() {
      end.isWanted();
      await endChild(child);
    },
  };
}

/** What passes between two processes: all that was sent within a turn, as each write costs as much as a hundred messages. */
type Batch = readonly Uint8Array[];

function portOver(end: Pick<NodeJS.Process, 'on'> | ChildProcess, send: (batch: Batch) => void): ProcessPort {
  let batch: Uint8Array[] = [];
  return {
    on: (event, take: (message: never) => void) =>
      end.on(event, (messages: Batch) => {
        for (const message of messages) take(deserialize(message) as never);
      }),
    postMessage(message) {
      // What cannot be copied is told to whoever sends it.
      batch.push(serialize(message));
      if (batch.length > 1) return;
      setImmediate(() => {
        const messages = batch;
        batch = [];
        send(messages);
      });
    },
  };
}

function portTo(child: ChildProcess): ProcessPort {
  return portOver(child, (batch) => {
    // Its death is told by itself.
    if (child.connected) child.send(batch, () => {});
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  if (child.connected) child.disconnect();
  await exited;
  clearTimeout(timer);
}

/** Of the process that this is, as startChild has named it; `undefined` in any other. Ends it when something escapes. */
export function currentChild(
  args: readonly string[],
): { readonly name: string; readonly options: unknown; readonly port: ProcessPort } | undefined {
  const [, name] = /^\((.+)\)$/.exec(args[0] ?? '') ?? [];
  const options = process.env[OPTIONS];
  if (name === undefined || options === undefined || !process.channel) return undefined;
  const port = portToParent();
  // Whoever has started it says when it has to end, and its death does.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const die = (error: unknown) => {
    logOver(port).error(`the process of ${name} fails`, { err: messageOf(error) });
    setImmediate(() => process.exit(1));
  };
  process.on('uncaughtException', die).on('unhandledRejection', die);
  return { name, options: JSON.parse(options), port };
}

/** Calls `action` when the process that has started this one is gone, or wants it to end; all that it had sent has come. */
export function whenParentGone(action: () => void): void {
  // What was read last is told a turn later.
  process.once('disconnect', () => setImmediate(action));
}

function portToParent(): ProcessPort {
  return portOver(process, (batch) => {
    if (process.connected) process.send?.(batch, undefined, undefined, () => {});
  });
}
