import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { Caller, type CallerParts, callerProxy, type Part, PartEnd } from './calls.ts';

/** The file of this program, for its services; `undefined` if it is no single file, as in tests. */
export const executableFile: string | undefined = typeof __filename === 'string' ? __filename : undefined;

/** What a thread runs. */
export interface ThreadProgram {
  /** JavaScript, which finds this program as `workerData.program`. */
  readonly text: string;
  readonly data?: unknown;
}

/** Passed to all parts by the launcher (build.mjs). */
declare const opsdeckProgram: ((() => ThreadProgram) & { readonly isThread: boolean }) | undefined;

/** The program for its own threads, whose entry runs the named part; `undefined` if it is no single file, as in tests. */
export const ownProgram: (() => ThreadProgram) | undefined =
  typeof opsdeckProgram === 'function' ? opsdeckProgram : undefined;

export interface ThreadStart extends CallerParts {
  readonly program: ThreadProgram;
  readonly name: string;
  /** Can be copied. */
  readonly options: unknown;
  /** Ports in the options, which move to the thread. */
  readonly ports?: readonly MessagePort[];
  /** The limit for young objects. By default V8 uses tens of megabytes in a thread that makes garbage quickly, for little speed. */
  readonly youngMegabytes?: number;
  /** The limit for old objects. By default V8 lets them grow fourfold between two collections; below 2 GB, by less than twice. */
  readonly oldMegabytes?: number;
}

interface ThreadData {
  readonly opsdeckThread: string;
  readonly options: unknown;
  readonly program: ThreadProgram;
}

/** Starts a thread; `end` ends it at once. */
export function startThread<T extends object>(start: ThreadStart): Part<T> {
  const { program, name, options, ports = [], youngMegabytes, oldMegabytes, ...parts } = start;
  const data: ThreadData = { opsdeckThread: name, options, program };
  const resourceLimits = {
    ...(youngMegabytes === undefined ? {} : { maxYoungGenerationSizeMb: youngMegabytes }),
    ...(oldMegabytes === undefined ? {} : { maxOldGenerationSizeMb: oldMegabytes }),
  };
  const worker = new Worker(program.text, { eval: true, workerData: data, transferList: [...ports], resourceLimits });
  const caller = new Caller(worker, parts);
  const end = new PartEnd(caller, `the thread of ${name}`);
  worker.on('error', (error) => end.came(messageOf(error)));
  worker.on('exit', (code) => end.came(`code ${code}`));
  return {
    methods: callerProxy<T>(caller),
    died: end.died,
    async end() {
      end.isWanted();
      await worker.terminate();
    },
  };
}

/** This thread, with its name and options of startThread; `undefined` in the main thread. */
export function currentThread():
  | { readonly name: string; readonly options: unknown; readonly port: MessagePort }
  | undefined {
  // Without loading Node's module for threads.
  if (typeof opsdeckProgram === 'function' && !opsdeckProgram.isThread) return undefined;
  const data = workerData as ThreadData | null;
  return parentPort && data?.opsdeckThread !== undefined
    ? { name: data.opsdeckThread, options: data.options, port: parentPort }
    : undefined;
}
