import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

/** A word that may stand at the cursor. */
export interface Candidate {
  readonly value: string;
  readonly description?: string | undefined;
  /** More of the word follows: no space is added. */
  readonly isOpen?: boolean;
}

/** The command line at the cursor. */
export interface CompletionRequest {
  /** The start of the word, without quotes. */
  readonly word: string;
  /** The number of arguments before it. */
  readonly index: number;
  /** The flags before it. */
  // biome-ignore lint/suspicious/noExplicitAny: as commander gives them to an action.
  readonly options: any;
  readonly terminal: Terminal;
}

/** Finds words, of a running server for example; a failure counts as none. */
export type CompletionSource = (request: CompletionRequest) => Promise<readonly Candidate[]>;

/** By the name that stands for the value in the help: `<room>`. */
export type CompletionSources = Readonly<Record<string, CompletionSource>>;

/** How long a running server may take to answer, in milliseconds: somebody waits for it at the keyboard. */
export const COMPLETION_TIMEOUT_MS = 700;

const known = new WeakMap<Command, CompletionSources>();

/** Names the sources of a command and the commands below it. */
export function completeFrom(command: Command, sources: CompletionSources): void {
  known.set(command, sources);
}

/** The source of a value; that of the nearest command counts. */
export function sourceOf(command: Command, name: string): CompletionSource | undefined {
  for (let at: Command | null = command; at; at = at.parent) {
    const source = known.get(at)?.[name];
    if (source) return source;
  }
  return undefined;
}
