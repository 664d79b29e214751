import { accepted } from '../domain/refusal.ts';
import { notice, type SlashCommand } from './command.ts';

export const help: SlashCommand<null> = {
  name: 'help',
  help: '/help — this list',
  hint: 'all commands',
  read: () => accepted(null),
  run: (_request, _args, { commands }) => notice(commands.map((command) => command.help).join('\n')),
};
