import { type Command, Option } from 'commander';
import { intervalFlag, repeated } from '../../../kernel/terminal/flags.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnection, numberFlag } from '../shared-flags/command.ts';
import type { ExportOptions } from './export-rooms.ts';
import type { NewHookOptions } from './hooks.ts';
import type { NewTokenOptions, RevokeTokenOptions } from './tokens.ts';

const same = (text: string): string => text;
const DEFAULT_DATA_DIR = 'data/rooms';

/** Backup, export, checks of the data, hooks and tokens. */
export function addAdminCommands(rooms: Command, terminal: Terminal): void {
  addExports(rooms, terminal);
  addBackups(rooms, terminal);
  addTokens(rooms, terminal);
  addHooks(rooms, terminal);
}

function addExports(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('export').description('write a room out'))
    .argument('<room>', 'its slug or id')
    .addOption(new Option('--format <format>', 'its form').choices(['jsonl', 'markdown', 'html']).default('jsonl'))
    .option('--from <time>', 'messages from then on, such as 2030-01-31')
    .option('--to <time>', 'messages before that')
    .option('-o, --output <path>', 'whole or not at all into this file (default: standard output)')
    .addHelpText(
      'after',
      '\nExamples:\n  opsdeck rooms export ops -o ops.jsonl\n  opsdeck rooms export ops --format markdown',
    )
    .action(async (room: string, options: ExportOptions) => {
      const { exportRoom } = await import('./export-rooms.ts');
      await exportRoom(room, options, terminal);
    });
  addConnection(rooms.command('import').description('take in what export has written; twice is as once'))
    .argument('<file>', 'of lines of JSON; - is standard input')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms import ops.jsonl')
    .action(async (file: string, options) => {
      const { importRooms } = await import('./export-rooms.ts');
      await importRooms(file, options, terminal);
    });
}

function addBackups(rooms: Command, terminal: Terminal): void {
  const dataDir = () =>
    new Option('--data-dir <directory>', 'of the server').default(
      terminal.env.OPSDECK_DATA_DIR || DEFAULT_DATA_DIR,
      `OPSDECK_DATA_DIR, else ${DEFAULT_DATA_DIR}`,
    );
  addConnection(rooms.command('backup').description('copy everything of a running server into a new directory'))
    .argument('<directory>', 'new or empty')
    .addHelpText(
      'after',
      `
The server goes on meanwhile. The key that encrypts the keys of copilots is not part of it: keep OPSDECK_SECRET_KEY, or the
secret.key of the data directory, elsewhere. What others may read only with a token lies in the directory as it is.

Examples:
  opsdeck rooms backup /backups/rooms-2030-01-31`,
    )
    .action(async (directory: string, options) => {
      const { backup } = await import('./backup.ts');
      await backup(directory, options, terminal);
    });
  rooms
    .command('restore')
    .description('bring a backup into a data directory without rooms')
    .argument('<directory>', 'that backup has written')
    .addOption(dataDir())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms restore /backups/rooms-2030-01-31 --data-dir data/rooms')
    .action(async (directory: string, options) => {
      const { restore } = await import('./restore.ts');
      await restore(directory, options, terminal);
    });
  rooms
    .command('doctor')
    .description('check whether a data directory is whole, while no server runs on it')
    .addOption(dataDir())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms doctor --data-dir data/rooms')
    .action(async (options) => {
      const { doctor } = await import('./doctor.ts');
      await doctor(options, terminal);
    });
}

function addTokens(rooms: Command, terminal: Terminal): void {
  const token = rooms.command('token').description('make, list and revoke tokens');
  const examples = `
Examples:
  opsdeck rooms token new ci --for ci-bot --scope write --room ci --expires 90d
  opsdeck rooms token ls
  opsdeck rooms token revoke ci
  opsdeck rooms token revoke leaked --with-children`;
  token.addHelpText('after', examples);
  addConnection(token.command('new').description('make a token; its secret is printed this once'))
    .argument('<name>', 'what it is for')
    .option('--for <user>', 'whose it is (default: yours)')
    .option('--scope <scope>', 'what it is good for; may be repeated', repeated(same))
    .option('--room <room>', 'the only room it reaches; may be repeated', repeated(same))
    .option('--expires <duration>', 'how long it is good', intervalFlag)
    .addHelpText('after', examples)
    .action(async (name: string, options: NewTokenOptions) => {
      const { newToken } = await import('./tokens.ts');
      await newToken(name, options, terminal);
    });
  addConnection(token.command('ls').description('list tokens'))
    .option('--for <user>', 'only his')
    .addHelpText('after', examples)
    .action(async (options) => {
      const { listTokens } = await import('./tokens.ts');
      await listTokens(options, terminal);
    });
  addConnection(token.command('revoke').description('end a token, and all streams that it has opened'))
    .argument('<token>', 'its id, its name or its beginning')
    .option('--with-children', 'also all tokens, hooks and invites that were made by it, by those, and so on')
    .addHelpText('after', examples)
    .action(async (wanted: string, options: RevokeTokenOptions) => {
      const { revokeToken } = await import('./tokens.ts');
      await revokeToken(wanted, options, terminal);
    });
}

function addHooks(rooms: Command, terminal: Terminal): void {
  const hook = rooms.command('hook').description('addresses at which others post, and such that are told');
  const examples = `
Examples:
  opsdeck rooms hook new incoming --room ops --kind alertmanager
  opsdeck rooms hook new outgoing --room ops --to https://example.com/hook --event 'message.*'
  opsdeck rooms hook redeliver 0190f3… --from 104233`;
  hook.addHelpText('after', examples);
  addConnection(hook.command('new').description('make a hook; its secret is printed this once'))
    .argument('<direction>', 'incoming or outgoing')
    .option('--room <room>', 'where it posts, or of which room it is told')
    .option('--name <name>', 'what it is called')
    .addOption(
      new Option('--kind <kind>', 'what is sent to it').choices(['auto', 'json', 'slack', 'alertmanager', 'text']),
    )
    .option('-t, --thread <message>', 'it posts into this thread')
    .option('--to <url>', 'who is told')
    .option('--event <type>', 'of what, such as message.*; may be repeated', repeated(same))
    .option('--allow-private', 'also at an address of a private network')
    .addHelpText('after', examples)
    .action(async (direction: string, options: NewHookOptions) => {
      const { newHook } = await import('./hooks.ts');
      await newHook(direction, options, terminal);
    });
  addConnection(hook.command('ls').description('list hooks'))
    .addHelpText('after', examples)
    .action(async (options) => {
      const { listHooks } = await import('./hooks.ts');
      await listHooks(options, terminal);
    });
  addConnection(hook.command('rm').description('remove a hook'))
    .argument('<hook>', 'its id')
    .addHelpText('after', examples)
    .action(async (id: string, options) => {
      const { removeHook } = await import('./hooks.ts');
      await removeHook(id, options, terminal);
    });
  addConnection(hook.command('rotate').description('give a hook a new secret, printed this once'))
    .argument('<hook>', 'its id')
    .addHelpText('after', examples)
    .action(async (id: string, options) => {
      const { rotateHook } = await import('./hooks.ts');
      await rotateHook(id, options, terminal);
    });
  addConnection(hook.command('redeliver').description('tell an outgoing hook once more'))
    .argument('<hook>', 'its id')
    .requiredOption('--from <position>', 'from this position of the log on', numberFlag)
    .addHelpText('after', examples)
    .action(async (id: string, options) => {
      const { redeliver } = await import('./hooks.ts');
      await redeliver(id, options, terminal);
    });
}
