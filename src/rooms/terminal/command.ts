import type { Command } from 'commander';
import { completeFrom } from '../../kernel/terminal/completion.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { addAdminCommands } from './admin/command.ts';
import { ROOM_COMPLETIONS } from './completion.ts';
import { addCopilotCommands } from './copilot/command.ts';
import { addDirectoryCommands } from './directory/command.ts';
import { addMessageCommands } from './messages/command.ts';

/** Adds the commands that are clients of a rooms server, or read its data. */
export function addTerminalCommands(rooms: Command, terminal: Terminal): void {
  completeFrom(rooms, ROOM_COMPLETIONS);
  addMessageCommands(rooms, terminal);
  addDirectoryCommands(rooms, terminal);
  addCopilotCommands(rooms, terminal);
  addAdminCommands(rooms, terminal);
}
