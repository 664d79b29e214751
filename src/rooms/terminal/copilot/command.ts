import type { Command } from 'commander';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnection } from '../shared-flags/command.ts';
import type { AskOptions } from './ask.ts';
import type { SetOptions } from './copilot.ts';

const EXAMPLES = `
Examples:
  opsdeck rooms copilot set ops provider=echo
  pass show openai | opsdeck rooms copilot set ops provider=openai model=gpt-4o-mini --key-stdin
  opsdeck rooms copilot test ops
  opsdeck rooms copilot off ops`;

/** The copilot of a room. */
export function addCopilotCommands(rooms: Command, terminal: Terminal): void {
  const copilot = rooms.command('copilot').description('show and change the copilot of a room');
  copilot.addHelpText('after', EXAMPLES);
  addConnection(copilot.command('get').description('show its settings'))
    .argument('<room>', 'its slug or id')
    .addHelpText('after', EXAMPLES)
    .action(async (room: string, options) => {
      const { showCopilot } = await import('./copilot.ts');
      await showCopilot(room, options, terminal);
    });
  addConnection(copilot.command('set').description('change the given settings'))
    .argument('<room>', 'its slug or id')
    .argument('[key=value...]', 'provider=…, model=…, trigger=mention, instructions=…, context.messages=20')
    .option('--key-stdin', 'read the provider’s key from standard input (default: OPSDECK_COPILOT_KEY)')
    .option('--remove-key', 'remove the key')
    .addHelpText('after', EXAMPLES)
    .action(async (room: string, assignments: readonly string[], options: SetOptions) => {
      const { setCopilot } = await import('./copilot.ts');
      await setCopilot(room, assignments, options, terminal);
    });
  addConnection(copilot.command('test').description('ask the provider for a few words; posts nothing'))
    .argument('<room>', 'its slug or id')
    .addHelpText('after', EXAMPLES)
    .action(async (room: string, options) => {
      const { testCopilot } = await import('./copilot.ts');
      await testCopilot(room, options, terminal);
    });
  addConnection(copilot.command('off').description('switch it off; its settings stay'))
    .argument('<room>', 'its slug or id')
    .option('--remove', 'remove it with its settings and its key')
    .addHelpText('after', EXAMPLES)
    .action(async (room: string, options) => {
      const { stopCopilot } = await import('./copilot.ts');
      await stopCopilot(room, options, terminal);
    });
  addConnection(copilot.command('mine').description('switch your private copilot on or off; only you see its answers'))
    .argument('<room>', 'its slug or id')
    .argument('<state>', 'on or off')
    .addHelpText('after', EXAMPLES)
    .action(async (room: string, state: string, options) => {
      const { switchMine } = await import('./copilot.ts');
      await switchMine(room, state, options, terminal);
    });
  addConnection(rooms.command('ask').description('ask the copilot of a room'))
    .argument('<room>', 'its slug or id')
    .argument('<words...>', 'the question')
    .option('--private', 'only you see question and answer')
    .option('-t, --thread <message>', 'answer in the thread of this message')
    .addHelpText('after', '\nExamples:\n  opsdeck rooms ask ops "what fired last night?" --private')
    .action(async (room: string, words: readonly string[], options: AskOptions) => {
      const { ask } = await import('./ask.ts');
      await ask(room, words, options, terminal);
    });
}
