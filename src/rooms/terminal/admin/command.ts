import { type Command, Option } from 'commander';
import { CommandError, ExitCode } from '../../../kernel/errors.ts';
import { addSettings, intervalFlag, readFlags, repeated } from '../../../kernel/terminal/flags.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { SETTINGS } from '../../config/settings.ts';
import { addConnection, numberFlag } from '../shared-flags/command.ts';
import type { BackupOptions } from './backup.ts';
import type { ExportOptions } from './export-rooms.ts';
import type { NewHookOptions } from './hooks.ts';
import type { NewTokenOptions, RevokeTokenOptions } from './tokens.ts';

const same = (text: string): string => text;
const DEFAULT_DATA_DIR = 'data/rooms';

/** Backup, export, checks of the data, hooks and tokens. */
export function addAdminCommands(rooms: Command, terminal: Terminal): void {
  addExports(rooms, terminal);
  addBackups(rooms, terminal);
  addImportStorage(rooms, terminal);
  addTokens(rooms, terminal);
  addHooks(rooms, terminal);
}

function addExports(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('export').description('export a room'))
    .argument('<room>', 'its slug or id')
    .addOption(new Option('--format <format>', 'export format').choices(['jsonl', 'markdown', 'html']).default('jsonl'))
    .option('--files', 'include the files of messages, in the same JSON lines')
    .option('--from <time>', 'only messages since then, such as 2030-01-31')
    .option('--to <time>', 'only messages before then')
    .option('-o, --output <path>', 'write to this file, only if complete (default: standard output)')
    .addHelpText(
      'after',
      '\nExamples:\n  opsdeck rooms export ops -o ops.jsonl\n  opsdeck rooms export ops --files -o ops-with-files.jsonl\n  opsdeck rooms export ops --format markdown',
    )
    .action(async (room: string, options: ExportOptions) => {
      const { exportRoom } = await import('./export-rooms.ts');
      await exportRoom(room, options, terminal);
    });
  addConnection(rooms.command('import').description('import an export; a second import changes nothing'))
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
  addConnection(rooms.command('backup').description('back up a running server into a new directory'))
    .argument('<directory>', 'new or empty')
    .option('--with-key', 'include the key that decrypts the stored secrets; read below')
    .addHelpText(
      'after',
      `
The server goes on meanwhile. What others may read only with a token lies in the directory as it is.

Signing secrets of outgoing hooks and keys of copilots are encrypted. Their key is not part of the backup: keep
OPSDECK_SECRET_KEY, or the secret.key of the data directory, elsewhere, or they must be entered again after a restore.
--with-key writes the key as secret.key (mode 0600) into the directory: every reader of that backup can decrypt all secrets, so
store it like a password.

Rooms in PostgreSQL are backed up with pg_dump instead, and restored with pg_restore while no server runs. After that clients
must start anew: psql -c "UPDATE opsdeck.room_log SET origin = ''" sees to it.

Examples:
  opsdeck rooms backup /backups/rooms-2030-01-31
  opsdeck rooms backup /vault/rooms-2030-01-31 --with-key`,
    )
    .action(async (directory: string, options: BackupOptions) => {
      const { backup } = await import('./backup.ts');
      await backup(directory, options, terminal);
    });
  rooms
    .command('restore')
    .description('restore a backup into a data directory without rooms')
    .argument('<directory>', 'that backup has written')
    .addOption(dataDir())
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Secrets that cannot be decrypted are listed, with the command to enter each of them again. The key is that of the backup (made
with --with-key), OPSDECK_SECRET_KEY, or the secret.key of the data directory.

Examples:
  opsdeck rooms restore /backups/rooms-2030-01-31 --data-dir data/rooms`,
    )
    .action(async (directory: string, options, command: Command) => {
      refuseDatabase(command, terminal, 'are restored with pg_restore');
      const { restore } = await import('./restore.ts');
      await restore(directory, options, terminal);
    });
  rooms
    .command('doctor')
    .description('check a data directory while no server runs on it')
    .addOption(dataDir())
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms doctor --data-dir data/rooms')
    .action(async (options, command: Command) => {
      refuseDatabase(command, terminal, 'are checked with pg_amcheck');
      const { doctor } = await import('./doctor.ts');
      await doctor(options, terminal);
    });
}

/** Without a directory, these commands would examine one that the server does not use. */
function refuseDatabase(command: Command, { env }: Terminal, instead: string): void {
  if (!env.OPSDECK_STORAGE_URL || command.getOptionValueSource('dataDir') === 'cli') return;
  throw new CommandError(
    `OPSDECK_STORAGE_URL is set, and rooms in PostgreSQL ${instead}; for those of a directory, name --data-dir`,
    ExitCode.usage,
  );
}

const IMPORT_SETTINGS = {
  storageUrl: { ...SETTINGS['storage-url'], help: 'the database, postgres://user:password@host/database' },
  storageWaitMs: { ...SETTINGS['storage-wait'], help: 'how long to wait for an unreachable database' },
  filesDir: SETTINGS['files-dir'],
};

function addImportStorage(rooms: Command, terminal: Terminal): void {
  const command = rooms
    .command('import-storage')
    .description('bring the rooms of a single server into the database of several')
    .argument('<directory>', 'the --data-dir of a server, which must be stopped');
  addSettings(command, IMPORT_SETTINGS)
    .addHelpText(
      'after',
      `
The database must have no rooms, and no server may run on it. All comes in, or nothing: after an error run it again. Ids, tokens
and cursors stay as they are, so clients go on without reading anew, and so does the directory. Its secret.key goes into the
database, unless OPSDECK_SECRET_KEY holds the key.

Examples:
  opsdeck rooms import-storage data/rooms --storage-url postgres://opsdeck:secret@db.example.org/opsdeck
  OPSDECK_STORAGE_URL=postgres://opsdeck@db.example.org/opsdeck opsdeck rooms import-storage /var/lib/opsdeck/rooms`,
    )
    .action(async (directory: string) => {
      const options = readFlags(command, IMPORT_SETTINGS, terminal.env);
      // The list of processes shows arguments to all users of the machine, and the URL may contain a password.
      process.title = 'opsdeck rooms import-storage';
      const { importStorage } = await import('./import-storage.ts');
      await importStorage(directory, options, terminal);
    });
}

function addTokens(rooms: Command, terminal: Terminal): void {
  const token = rooms.command('token').description('create, list and revoke tokens');
  const examples = `
Examples:
  opsdeck rooms token new ci --for ci-bot --scope write --room ci --expires 90d
  opsdeck rooms token ls
  opsdeck rooms token revoke ci
  opsdeck rooms token revoke leaked --with-children`;
  token.addHelpText('after', examples);
  addConnection(token.command('new').description('create a token; its secret is printed once'))
    .argument('<name>', 'what it is for')
    .option('--for <user>', 'user of the token (default: you)')
    .option('--scope <scope>', 'scope of the token; may be repeated', repeated(same))
    .option('--room <room>', 'limits the token to this room; may be repeated', repeated(same))
    .option('--expires <duration>', 'how long it is valid', intervalFlag)
    .addHelpText('after', examples)
    .action(async (name: string, options: NewTokenOptions) => {
      const { newToken } = await import('./tokens.ts');
      await newToken(name, options, terminal);
    });
  addConnection(token.command('ls').description('list tokens'))
    .option('--for <user>', 'only of this user')
    .addHelpText('after', examples)
    .action(async (options) => {
      const { listTokens } = await import('./tokens.ts');
      await listTokens(options, terminal);
    });
  addConnection(token.command('revoke').description('revoke a token, and end its streams'))
    .argument('<token>', 'its id, its name or its beginning')
    .option('--with-children', 'also all tokens, hooks and invites created by it, directly or indirectly')
    .addHelpText('after', examples)
    .action(async (wanted: string, options: RevokeTokenOptions) => {
      const { revokeToken } = await import('./tokens.ts');
      await revokeToken(wanted, options, terminal);
    });
}

function addHooks(rooms: Command, terminal: Terminal): void {
  const hook = rooms.command('hook').description('incoming and outgoing hooks');
  const examples = `
Examples:
  opsdeck rooms hook new incoming --room ops --kind alertmanager
  opsdeck rooms hook new outgoing --room ops --to https://example.com/hook --event 'message.*'
  opsdeck rooms hook redeliver 0190f3… --from 104233`;
  hook.addHelpText('after', examples);
  addConnection(hook.command('new').description('create a hook; its secret is printed once'))
    .argument('<direction>', 'incoming or outgoing')
    .option('--room <room>', 'the room that it posts to, or whose events it gets')
    .option('--name <name>', 'name of the hook')
    .addOption(
      new Option('--kind <kind>', 'kind of its payload').choices(['auto', 'json', 'slack', 'alertmanager', 'text']),
    )
    .option('-t, --thread <message>', 'post into this thread')
    .option('--to <url>', 'address that gets the events')
    .option('--event <type>', 'event type, such as message.*; may be repeated', repeated(same))
    .option('--allow-private', 'allow an address in a private network')
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
  addConnection(hook.command('rotate').description('replace the secret of a hook; the new one is printed once'))
    .argument('<hook>', 'its id')
    .addHelpText(
      'after',
      `
The old secret of an incoming hook becomes invalid at once. Deliveries of an outgoing hook are signed with both secrets for
24 hours; a second rotation ends the first secret at once.
${examples}`,
    )
    .action(async (id: string, options) => {
      const { rotateHook } = await import('./hooks.ts');
      await rotateHook(id, options, terminal);
    });
  addConnection(hook.command('redeliver').description('deliver events to an outgoing hook again'))
    .argument('<hook>', 'its id')
    .requiredOption('--from <position>', 'first position of the log to deliver', numberFlag)
    .addHelpText('after', examples)
    .action(async (id: string, options) => {
      const { redeliver } = await import('./hooks.ts');
      await redeliver(id, options, terminal);
    });
}
