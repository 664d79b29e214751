import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { CommandError, type ExitCode, messageOf, systemCodeOf } from './errors.ts';
import type { Log, LogFields, LogLevel } from './log.ts';

// A part of the program that works in a thread of its own answers calls, each by the name of a method, over a port. Calls
// are begun in their order. Arguments and answers are copied; of an error its message, name and codes come back.

type Method = (...values: never[]) => Promise<unknown>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly values: readonly unknown[];
}

interface ToldError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly exitCode: ExitCode | undefined;
}

type Told =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ToldError }
  | { readonly log: { readonly level: LogLevel; readonly message: string; readonly fields: LogFields } };

/** Makes an error of the thread anew; `undefined`: it is of no kind that anybody tells apart. */
export type ReviveError = (told: Pick<Error, 'name' | 'message'>) => Error | undefined;

/** Answers calls that come over a port by the methods of an object, whose arguments and answers can be copied. */
export function answerCalls(port: MessagePort, methods: object): void {
  port.on('message', async ({ id, method, values }: Call) => {
    try {
      const action = Reflect.get(methods, method) as Method;
      port.postMessage({ id, value: await action.apply(methods, values as never[]) });
    } catch (error) {
      port.postMessage({ id, error: tellError(error) });
    }
  });
}

function tellError(error: unknown): ToldError {
  return {
    name: error instanceof Error ? error.name : 'Error',
    message: messageOf(error),
    code: systemCodeOf(error),
    exitCode: error instanceof CommandError ? error.exitCode : undefined,
  };
}

/** A log whose lines are written at the other end of the port. */
export function logOver(port: MessagePort): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) =>
      port.postMessage({ log: { level, message, fields } });
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), debugging: false };
}

export interface CallerParts {
  readonly log: Log;
  readonly revive: ReviveError;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The calling end of a port. */
export class Caller {
  readonly #port: MessagePort | Worker;
  readonly #parts: CallerParts;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #end: Error | undefined;

  constructor(port: MessagePort | Worker, parts: CallerParts) {
    this.#port = port;
    this.#parts = parts;
    port.on('message', (told: Told) => this.#take(told));
  }

  call(method: string, values: readonly unknown[]): Promise<unknown> {
    if (this.#end) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ id, method, values });
    });
  }

  /** An answer, or a line of the log. */
  #take(told: Told): void {
    if ('log' in told) {
      this.#parts.log[told.log.level](told.log.message, told.log.fields);
      return;
    }
    const waiting = this.#waiting.get(told.id);
    this.#waiting.delete(told.id);
    if ('error' in told) waiting?.reject(this.#revive(told.error));
    else waiting?.resolve(told.value);
  }

  /** Nothing is answered any more. */
  end(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #revive({ name, message, code, exitCode }: ToldError): Error {
    if (exitCode !== undefined) return new CommandError(message, exitCode);
    const error = this.#parts.revive({ name, message }) ?? new Error(message);
    return code === undefined ? error : Object.assign(error, { code });
  }
}

/** An object whose methods are those at the other end. */
export function callerProxy<T extends object>(caller: Caller): T {
  return new Proxy({} as T, {
    get: (_, name) =>
      // It must not be taken for a promise.
      typeof name === 'string' && name !== 'then'
        ? (...values: readonly unknown[]) => caller.call(name, values)
        : undefined,
  });
}

export interface Thread<T extends object> {
  readonly methods: T;
  /** Resolves with the reason when the thread has ended without having been asked to. */
  readonly died: Promise<Error>;
  /** Ends it at once. */
  end(): Promise<void>;
}

/** The file that this program is, for startThread; `undefined` where it is spread over many, as in tests. */
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

export function startThread<T extends object>({ file, name, options, ...parts }: ThreadStart): Thread<T> {
  const data: ThreadData = { opsdeckThread: name, options };
  const worker = new Worker(file, { workerData: data });
  const caller = new Caller(worker, parts);
  let isEnding = false;
  const died = new Promise<Error>((done) => {
    const die = (why: string) => {
      if (isEnding) return;
      const error = new Error(`the thread of ${name} ended: ${why}`);
      caller.end(error);
      done(error);
    };
    worker.on('error', (error) => die(messageOf(error)));
    worker.on('exit', (code) => die(`code ${code}`));
  });
  return {
    methods: callerProxy<T>(caller),
    died,
    async end() {
      isEnding = true;
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
