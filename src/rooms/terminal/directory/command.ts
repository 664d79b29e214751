import { type Command, Option } from 'commander';
import { intervalFlag, repeated } from '../../../kernel/terminal/flags.ts';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnection, numberFlag } from '../shared-flags/command.ts';
import type { ListOptions } from './list-rooms.ts';
import type { InviteOptions, NewOptions } from './one-room.ts';

const same = (text: string): string => text;

/** Rooms and their members. */
export function addDirectoryCommands(rooms: Command, terminal: Terminal): void {
  addList(rooms, terminal);
  addNew(rooms, terminal);
  addSet(rooms, terminal);
  addMembership(rooms, terminal);
}

function addList(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('ls').description('list rooms, the latest message first'))
    .option('--joined', 'only rooms that you are a member of')
    .option('--unread', 'only rooms with unread messages')
    .option('--archived', 'archived rooms')
    .option('-n, --limit <count>', 'at most this many', numberFlag, 50)
    .addHelpText('after', '\nExamples:\n  opsdeck rooms ls\n  opsdeck rooms ls --unread --json')
    .action(async (options: ListOptions) => {
      const { listRooms } = await import('./list-rooms.ts');
      await listRooms(options, terminal);
    });
}

function addNew(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('new').description('create a room, and print its slug'))
    .argument('<name>', 'name of the hook')
    .option('--private', 'open only to invited users')
    .option('--slug <slug>', 'its name in commands (default: derived from the name)')
    .option('--topic <text>', 'topic of the room')
    .option('--label <key=value>', 'label that links it to alerts; may be repeated', repeated(same))
    .option('--member <user>', 'add this user; may be repeated', repeated(same))
    .addHelpText('after', '\nExamples:\n  opsdeck rooms new Operations --slug ops --label team=platform')
    .action(async (name: string, options: NewOptions) => {
      const { makeRoom } = await import('./one-room.ts');
      await makeRoom(name, options, terminal);
    });
}

function addSet(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('set').description('change the given settings of a room'))
    .argument('<room>', 'its slug or id')
    .argument('<key=value...>', 'topic=…, name=…, readOnly=on, slowModeSeconds=5, label.team=…, retention.days=30')
    .addHelpText(
      'after',
      `
Examples:
  opsdeck rooms set ops topic="on call: ana" label.team=platform
  opsdeck rooms set ops retention.days=90 readOnly=on`,
    )
    .action(async (room: string, assignments: readonly string[], options) => {
      const { setRoom } = await import('./one-room.ts');
      await setRoom(room, assignments, options, terminal);
    });
  addConnection(rooms.command('archive').description('archive a room, which then takes no changes'))
    .argument('<room>', 'its slug or id')
    .option('--undo', 'open it again')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms archive incident-12')
    .action(async (room: string, options) => {
      const { setRoom } = await import('./one-room.ts');
      await setRoom(room, [`archived=${options.undo ? 'off' : 'on'}`], options, terminal);
    });
}

function addMembership(rooms: Command, terminal: Terminal): void {
  addConnection(rooms.command('join').description('join a public room, or any room by an invite'))
    .argument('[room]', 'its slug or id')
    .option('--invite <code>', 'the code, or the link that ends with it')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms join ops')
    .action(async (room: string | undefined, options) => {
      const { joinRoom } = await import('./one-room.ts');
      await joinRoom(room, options, terminal);
    });
  addConnection(rooms.command('leave').description('leave a room'))
    .argument('<room>', 'its slug or id')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms leave ops')
    .action(async (room: string, options) => {
      const { leaveRoom } = await import('./one-room.ts');
      await leaveRoom(room, options, terminal);
    });
  addConnection(rooms.command('invite').description('create an invite to a room, and print its code'))
    .argument('<room>', 'its slug or id')
    .option('--uses <count>', 'how many users it admits', numberFlag)
    .option('--ttl <duration>', 'how long it is valid', intervalFlag)
    .addOption(new Option('--role <role>', 'role of the invited users').choices(['admin', 'member', 'guest']))
    .addHelpText('after', '\nExamples:\n  opsdeck rooms invite ops --uses 1 --ttl 1d')
    .action(async (room: string, options: InviteOptions) => {
      const { invite } = await import('./one-room.ts');
      await invite(room, options, terminal);
    });
}
