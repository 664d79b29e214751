import type { MessagePort, Worker } from 'node:worker_threads';
import { CommandError, type ExitCode, messageOf, systemCodeOf } from '../errors.ts';
import type { Log, LogFields, LogLevel } from '../log.ts';

// A part of the program in a thread of its own answers calls, each with the name of a method, over a port. Calls begin in
// their order. Arguments and answers are copied; of an error the message, name and codes are returned.

/** One end of a connection that copies messages, keeps their order, and loses those without a receiver. */
export type Port = MessagePort | Worker;

type Method = (...values: never[]) => Promise<unknown>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly values: readonly unknown[];
}

interface SentError {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly exitCode: ExitCode | undefined;
}

type Sent =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError }
  | { readonly log: { readonly level: LogLevel; readonly message: string; readonly fields: LogFields } };

/** Makes an error of the thread anew; `undefined`: a plain Error will do. */
export type ReviveError = (sent: Pick<Error, 'name' | 'message'>) => Error | undefined;

/** Answers calls of a port with the methods of an object, whose arguments and answers can be copied. */
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

function tellError(error: unknown): SentError {
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
    port.on('message', (sent: Sent) => this.#take(sent));
  }

  /** `moved` are buffers of the values that are not copied, and can no longer be used here. */
  call(method: string, values: readonly unknown[], moved: readonly ArrayBuffer[] = []): Promise<unknown> {
    if (this.#end) return Promise.reject(this.#end);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ id, method, values }, moved);
    });
  }

  /** An answer, or a line of the log. */
  #take(sent: Sent): void {
    if ('log' in sent) {
      this.#parts.log[sent.log.level](sent.log.message, sent.log.fields);
      return;
    }
    const waiting = this.#waiting.get(sent.id);
    this.#waiting.delete(sent.id);
    if ('error' in sent) waiting?.reject(this.#revive(sent.error));
    else waiting?.resolve(sent.value);
  }

  /** No more calls are answered. */
  end(error: Error): void {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #revive({ name, message, code, exitCode }: SentError): Error {
    if (exitCode !== undefined) return new CommandError(message, exitCode);
    const error = this.#parts.revive({ name, message }) ?? new Error(message);
    return code === undefined ? error : Object.assign(error, { code });
  }
}

/** An object whose methods are those at the other end. */
export function callerProxy<T extends object>(caller: Caller): T {
  return new Proxy({} as T, {
    get: (_, name) =>
      // `then` must be undefined, or `await proxy` would call it.
      typeof name === 'string' && name !== 'then'
        ? (...values: readonly unknown[]) => caller.call(name, values)
        : undefined,
  });
}

/** A part of the program beside this one. */
export interface Part<T extends object> {
  readonly methods: T;
  /** Resolves with the reason if the part ends without `end()`. */
  readonly died: Promise<Error>;
  end(): Promise<void>;
}

/** Rejects calls that are unanswered when the other end is gone. */
export class PartEndedError extends Error {
  override readonly name = 'PartEndedError';
}

/** Rejects calls when the other end is gone, unless that was wanted. */
export class PartEnd {
  readonly died: Promise<Error>;
  readonly #caller: Caller;
  readonly #what: string;
  #resolve: (error: Error) => void = () => {};
  #isWanted = false;

  /** `what` has ended, such as `the thread of room engine`. */
  constructor(caller: Caller, what: string) {
    this.#caller = caller;
    this.#what = what;
    this.died = new Promise((done) => {
      this.#resolve = done;
    });
  }

  isWanted(): void {
    this.#isWanted = true;
  }

  came(why: string): void {
    if (this.#isWanted) return;
    const error = new PartEndedError(`${this.#what} ended: ${why}`);
    this.#caller.end(error);
    this.#resolve(error);
  }
}
