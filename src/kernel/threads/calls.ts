import type { MessagePort, Worker } from 'node:worker_threads';
import { CommandError, type ExitCode, messageOf, systemCodeOf } from '../errors.ts';
import type { Log, LogFields, LogLevel } from '../log.ts';

// A part of the program that works in a thread of its own answers calls, each by the name of a method, over a
// port. Calls are begun in their order. Arguments and answers are copied; of an error its message, name and codes come back.

/** One end of a connection that copies what is sent, keeps its order, and loses what nobody is there to take. */
export type Port = MessagePort | Worker;

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
export function answerCalls(port: Port, methods: object): void {
  port.on('message', async ({ id, method, values }: Call) => {
    try {
      const action = Reflect.get(methods, method) as Method;
      port.postMessage({ id, value: await action.apply(methods, values as never[]) });
    } catch (error) {
      port.postMessage({ id, error: tellError(error) });
    }
  });
}

/** The methods of an object that is still being opened: calls wait for it, in their order. */
export function laterMethods(opening: Promise<object>): object {
  return new Proxy(
    {},
    {
      get:
        (_, name) =>
        async (...values: never[]) => {
          const methods = await opening;
          return (Reflect.get(methods, name) as Method).apply(methods, values);
        },
    },
  );
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
export function logOver(port: Port): Log {
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
  readonly #port: Port;
  readonly #parts: CallerParts;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #end: Error | undefined;

  constructor(port: Port, parts: CallerParts) {
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

/** A part of the program beside this one. */
export interface Part<T extends object> {
  readonly methods: T;
  /** Resolves with the reason when it has ended without having been asked to. */
  readonly died: Promise<Error>;
  end(): Promise<void>;
}

/** What waits for an answer when the other end is gone is rejected with this. */
export class PartEndedError extends Error {
  override readonly name = 'PartEndedError';
}

/** Tells callers that the other end is gone, unless that was wanted. */
export class PartEnd {
  readonly died: Promise<Error>;
  readonly #caller: Caller;
  readonly #what: string;
  #tell: (error: Error) => void = () => {};
  #isWanted = false;

  /** `what` has ended, such as `the thread of room engine`. */
  constructor(caller: Caller, what: string) {
    this.#caller = caller;
    this.#what = what;
    this.died = new Promise((done) => {
      this.#tell = done;
    });
  }

  isWanted(): void {
    this.#isWanted = true;
  }

  came(why: string): void {
    if (this.#isWanted) return;
    const error = new PartEndedError(`${this.#what} ended: ${why}`);
    this.#caller.end(error);
    this.#tell(error);
  }
}
