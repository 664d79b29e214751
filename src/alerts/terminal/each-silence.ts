import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { printable } from '../../kernel/terminal/printable.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';

export interface EachResult<R> {
  readonly done: readonly R[];
  /** The error to end the command with, once what was done is printed. */
  readonly failure?: CommandError;
}

/** A server that is away or denies access will do so for the rest as well. */
const isHopeless = ({ exitCode }: CommandError) => exitCode === ExitCode.unreachable || exitCode === ExitCode.denied;

interface Work<T> {
  /** Completes "couldn't … 1 out of 3 silences". */
  readonly verb: string;
  /** Maximum concurrent requests. */
  readonly workers: number;
  nameOf(item: T): string;
  readonly terminal: Terminal;
}

/** One error for all: that of a single item, or a count with the error that stopped the rest. */
function summarize<T>(items: readonly T[], doneCount: number, failures: readonly CommandError[], work: Work<T>) {
  const [first] = failures;
  if (!first) return undefined;
  const hopeless = failures.find(isHopeless);
  const [only] = items;
  if (only !== undefined && items.length === 1) {
    return new CommandError(hopeless ? first.message : `${work.nameOf(only)}: ${first.message}`, first.exitCode);
  }
  const count = `couldn't ${work.verb} ${items.length - doneCount} out of ${items.length} silences`;
  return hopeless ? new CommandError(`${count}: ${hopeless.message}`, hopeless.exitCode) : new CommandError(count);
}

/**
 * Runs a request for each of several silences; results are in the order of the items. A refusal is printed on standard
 * error and the others go on; the failure counts the refusals. An error that concerns all, such as an unreachable server,
 * stops the rest.
 */
export async function doEach<T, R>(
  items: readonly T[],
  action: (item: T) => Promise<R>,
  work: Work<T>,
): Promise<EachResult<R>> {
  const results: ({ readonly value: R } | undefined)[] = new Array(items.length);
  const failures: CommandError[] = [];
  let next = 0;
  const proceed = async () => {
    while (next < items.length && !failures.some(isHopeless)) {
      const at = next++;
      const item = items[at] as T;
      try {
        results[at] = { value: await action(item) };
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        failures.push(error);
        if (isHopeless(error) || items.length === 1) continue;
        work.terminal.err(`opsdeck: ${printable(work.nameOf(item))}: ${error.message}\n`);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(work.workers, items.length) }, proceed));
  const done = results.flatMap((result) => (result ? [result.value] : []));
  const failure = summarize(items, done.length, failures, work);
  return { done, ...(failure && { failure }) };
}
