import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { messageOf } from '../errors.ts';
import { Caller, type CallerParts, callerProxy, type Part, PartEnd } from './calls.ts';

/** The file of this program, for its threads and processes; `undefined` if it is no single file, as in tests. */
export const executableFile: string | undefined = typeof __filename === 'string' ? __filename : undefined;

export interface ThreadStart extends CallerParts {
  /** The executable, whose entry runs the part called `name` in the thread. */
  readonly file: string;
  readonly name: string;
  /** Can be copied. */
  readonly options: unknown;
  /** Ports in the options, which move to the thread. */
  readonly ports?: readonly MessagePort[];
}

/** The name under which a single executable application keeps its JavaScript for threads. */
const PROGRAM_ASSET = 'opsdeck.js';

/** What a thread runs. Node starts none from a single executable application, except from its text. */
function programOf(file: string): { readonly program: string; readonly eval: boolean } {
  const sea = process.getBuiltinModule('node:sea');
  return sea.isSea() ? { program: sea.getAsset(PROGRAM_ASSET, 'utf8'), eval: true } : { program: file, eval: false };
}

interface ThreadData {
  readonly opsdeckThread: string;
  readonly options: unknown;
}

/** Starts a thread; `end` ends it at once. */
export function startThread<T extends object>({ file, name, options, ports = [], ...parts }: ThreadStart): Part<T> {
  const data: ThreadData = { opsdeckThread: name, options };
  const { program, eval: isText } = programOf(file);
  const worker = new Worker(program, { eval: isText, workerData: data, transferList: [...ports] });
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
  const data = workerData as ThreadData | null;
  return parentPort && data?.opsdeckThread !== undefined
    ? { name: data.opsdeckThread, options: data.options, port: parentPort }
    : undefined;
}
