import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { Caller, type CallerParts, callerProxy, type Part, PartEnd } from './calls.ts';

/** The file that this program is, for threads and processes of its own; `undefined` where it is spread over many, as in tests. */
export const executableFile: string | undefined = typeof __filename === 'string' ? __filename : undefined;

export interface ThreadStart extends CallerParts {
  /** The executable, whose entry hands the thread over to what `name` names. */
  readonly file: string;
  readonly name: string;
  /** Can be copied. */
  readonly options: unknown;
}

interface ThreadData {
  readonly opsdeckThread: string;
  readonly options: unknown;
}

/** Its `end` ends the thread at once. */
export function startThread<T extends object>({ file, name, options, ...parts }: ThreadStart): Part<T> {
  const data: ThreadData = { opsdeckThread: name, options };
  const worker = new Worker(file, { workerData: data });
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

/** Of the thread that this is, as startThread has named it; `undefined` in the first thread. */
export function currentThread():
  | { readonly name: string; readonly options: unknown; readonly port: MessagePort }
  | undefined {
  const data = workerData as ThreadData | null;
  return parentPort && data?.opsdeckThread !== undefined
    ? { name: data.opsdeckThread, options: data.options, port: parentPort }
    : undefined;
}
