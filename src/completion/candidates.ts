import type { Argument, Command, Option } from 'commander';
import { type Candidate, sourceOf } from '../kernel/terminal/completion.ts';
import { wordsOf } from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';

export interface Reply {
  readonly candidates: readonly Candidate[];
  /** The shell is to complete a path. */
  readonly isPath?: true;
}

const NONE: Reply = { candidates: [] };
const PATHS = /^(files?|path|folder|directory)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: such a word would break the lines of the answer.
const CONTROL = /[\x00-\x1f\x7f\u2028\u2029]/;

/** Where the cursor is. */
interface Place {
  readonly command: Command;
  /** The words before the cursor that belong to this command. */
  readonly before: readonly string[];
  readonly operands: number;
  /** The flag whose value is next. */
  readonly pending: Option | undefined;
  /** After `--`: no more flags. */
  readonly isLiteral: boolean;
}

const optionOf = (command: Command, flag: string) =>
  command.options.find(({ long, short }) => flag === long || flag === short);

function locate(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, before: [], operands: 0, pending: undefined, isLiteral: false };
  for (const word of words) {
    const { command, before, operands, pending, isLiteral } = place;
    const isFlag = !isLiteral && word.startsWith('-') && word !== '-';
    const below = operands === 0 && !isFlag && !pending && command.commands.find((one) => one.name() === word);
    if (below) {
      place = { ...place, command: below, before: [] };
      continue;
    }
    const option = isFlag && !pending ? optionOf(command, word) : undefined;
    place = {
      command,
      before: [...before, word],
      operands: operands + (isFlag || pending ? 0 : 1),
      pending: option?.required ? option : undefined,
      isLiteral: isLiteral || word === '--',
    };
  }
  return place;
}

/** The words that may stand at the cursor, from the definitions of the commands; the last word is its start, or empty. */
export async function complete(program: Command, words: readonly string[], terminal: Terminal): Promise<Reply> {
  const word = words.at(-1) ?? '';
  const place = locate(program, words.slice(0, -1));
  const reply = await replyAt(place, word, terminal);
  const candidates = reply.candidates.filter(({ value }) => value.startsWith(word) && !CONTROL.test(value));
  return { ...reply, candidates };
}

async function replyAt(place: Place, word: string, terminal: Terminal): Promise<Reply> {
  const { command, pending, isLiteral, operands } = place;
  if (pending) return valuesOf(place, pending, word, terminal);
  const [flag = '', ...value] = word.split('=');
  if (!isLiteral && word.startsWith('-')) {
    const option = optionOf(command, flag);
    if (value.length === 0 || !option) return { candidates: flagsOf(command) };
    const { candidates, ...rest } = await valuesOf(place, option, value.join('='), terminal);
    return { ...rest, candidates: candidates.map((one) => ({ ...one, value: `${flag}=${one.value}` })) };
  }
  const below = operands > 0 ? [] : commandsOf(command);
  const args = command.registeredArguments;
  const argument = args[operands] ?? (args.at(-1)?.variadic ? args.at(-1) : undefined);
  if (!argument) return { candidates: below };
  const { candidates, ...rest } = await valuesOf(place, argument, word, terminal);
  return { ...rest, candidates: [...below, ...candidates] };
}

function commandsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), description: one.description() }));
}

function flagsOf(command: Command): readonly Candidate[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

async function valuesOf(
  { command, before, operands, pending }: Place,
  target: Option | Argument,
  word: string,
  terminal: Terminal,
): Promise<Reply> {
  const words = target.argChoices ?? ('flags' in target ? wordsOf(target) : undefined);
  if (words) return { candidates: words.map((value) => ({ value })) };
  const name = 'flags' in target ? (/[<[]([^\]>.]+)/.exec(target.flags)?.[1] ?? '') : target.name();
  const source = sourceOf(command, name);
  if (!source) return PATHS.test(name) ? { candidates: [], isPath: true } : NONE;
  try {
    // Without its value a flag would be wrong usage.
    command.parseOptions(before.slice(0, pending ? -1 : undefined));
    return { candidates: await source({ word, index: operands, options: command.opts(), terminal }) };
  } catch {
    return NONE;
  }
}
