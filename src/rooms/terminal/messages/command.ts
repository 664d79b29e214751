import { type Command, InvalidArgumentError } from 'commander';
import { untilStopped } from '../../../kernel/signals.ts';
import { durationFlag, repeated } from '../../../kernel/terminal/flags.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnection, durationOption, numberFlag, sizeFlag } from '../shared-flags/command.ts';
import type { SayOptions } from './say.ts';
import type { SearchOptions } from './search.ts';
import type { TailOptions } from './tail.ts';

const same = (text: string): string => text;

/** Posting, reading and changing messages. */
export function addMessageCommands(rooms: Command, terminal: Terminal): void {
  addSay(rooms, terminal);
  addTail(rooms, terminal);
  addSearch(rooms, terminal);
  addChanges(rooms, terminal);
}

function addSay(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('say').description('post a message; succeeds once the server has it on disk'))
    .argument('<room>', 'its slug or id')
    .argument('[text...]', 'what to say; standard input without it')
    .option('-t, --thread <message>', 'reply in the thread of this message')
    .option('--id <id>', 'id of the message, so that a repeated post has no effect (default: a new one)')
    .option('--file <path>', 'attach this file, without reading standard input; may be repeated', repeated(same))
    .option('--code [language]', 'post as a code block; write --code=sh before a text')
    .option('--silent', 'notify nobody')
    .option('--wait-reply <duration>', 'wait this long for an answer, and print it', durationFlag)
    .addOption(
      durationOption(
        '--retry <duration>',
        'how long to retry while the server cannot be reached',
        durationFlag,
        30_000,
      ),
    )
    .option('--max-body <size>', 'attach a longer text as a file', sizeFlag, 65_536)
    .addHelpText(
      'after',
      `
Standard input arrives byte for byte: as the message's text, or in a file if it is longer, has colours or CR, or is no text.

Prints the id of the message. All tries have one id, so that it is said once; 3 context that it may not have been said.

Examples:
  opsdeck rooms say ops "deploy of 4711 is done"
  make test 2>&1 | opsdeck rooms say ci --code
  opsdeck rooms say ci "build 12: ok" --id build-12-result --thread build-12-start
  opsdeck rooms say ops "@copilot what fired last night?" --wait-reply 60s`,
    )
    .action(async (room: string, words: readonly string[], options: SayOptions) => {
      const { say } = await import('./say.ts');
      await say(room, words, options, terminal);
    });
}

function linesFlag(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

function addTail(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('tail').description('print the messages of rooms, and new ones with --follow'))
    .argument('<room...>', 'their slugs or ids')
    .option('-n, --lines <count>', 'number of earlier messages of each room', linesFlag, 20)
    .option('--since <cursor>', 'print everything after this position of the log; 0 is all')
    .option('-f, --follow', 'follow new messages until interrupted')
    .option('--cursor-file <path>', 'continue where the last run with this file ended')
    .option('--grep <regexp>', 'only messages whose text matches (RE2)')
    .option('--alerts', 'only alert cards')
    .option('--bell', 'ring at new messages')
    .addHelpText(
      'after',
      `
With --json each line is {"cursor", "event", "data"}; the cursor of a line is what --since takes to go on after it.

Examples:
  opsdeck rooms tail ops
  opsdeck rooms tail ops ci --follow --bell
  opsdeck rooms tail ops --follow --json --cursor-file ops.cursor
  opsdeck rooms tail ops --since 0 --grep 'rolled? back'`,
    )
    .action(async (names: readonly string[], options: TailOptions) => {
      const { tail } = await import('./tail.ts');
      await tail(names, options, terminal, options.follow ? untilStopped() : new Promise<void>(() => {}));
    });
}

function addSearch(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('search').description('find messages, the newest first'))
    .argument('[words...]', 'words, "a phrase", -not, pre*, from:ana, in:ops, has:file, type:alert')
    .option('--room <room>', 'only in this room')
    .option('--from <user>', 'only messages of this user')
    .option('--type <type>', 'only text, file, alert, command or system')
    .option('--before <day>', 'such as 2030-01-31')
    .option('--after <day>', 'such as 2030-01-31')
    .option('-n, --limit <count>', 'at most this many', numberFlag, 20)
    .addHelpText(
      'after',
      `
Examples:
  opsdeck rooms search disk full
  opsdeck rooms search '"rolled back"' --room ops --after 2030-01-01`,
    )
    .action(async (words: readonly string[], options: SearchOptions) => {
      const { search } = await import('./search.ts');
      await search(words, options, terminal);
    });
}

function addChanges(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('show').description('show a message and its details'))
    .argument('<message>', 'its id')
    .option('--history', 'include its earlier versions')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms show build-12-start --history')
    .action(async (id: string, options) => {
      const { showMessage } = await import('./one-message.ts');
      await showMessage(id, options, terminal);
    });
  addConnection(rooms.command('edit').description('edit a message of yours'))
    .argument('<message>', 'its id')
    .argument('[text...]', 'the new text; without it VISUAL or EDITOR opens, or standard input is read')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms edit build-12-start "build 12 was started by ana"')
    .action(async (id: string, words: readonly string[], options) => {
      const { editMessage } = await import('./edit-message.ts');
      await editMessage(id, words, options, terminal);
    });
  addConnection(rooms.command('rm').description('delete a message, which leaves a mark'))
    .argument('<message>', 'its id')
    .option('--reason <text>', 'why')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms rm build-12-start --reason "wrong room"')
    .action(async (id: string, options) => {
      const { removeMessage } = await import('./one-message.ts');
      await removeMessage(id, options, terminal);
    });
  addConnection(rooms.command('react').description('react to a message'))
    .argument('<message>', 'its id')
    .argument('<emoji>', 'one, or :name:')
    .option('--remove', 'remove the reaction')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms react build-12-start 👀')
    .action(async (id: string, emoji: string, options) => {
      const { react } = await import('./one-message.ts');
      await react(id, emoji, options, terminal);
    });
  addConnection(rooms.command('pin').description('pin a message'))
    .argument('<message>', 'its id')
    .option('--remove', 'unpin it')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms pin build-12-start')
    .action(async (id: string, options) => {
      const { pinMessage } = await import('./one-message.ts');
      await pinMessage(id, options, terminal);
    });
}
