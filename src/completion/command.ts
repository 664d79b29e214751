import { Argument, type Command } from 'commander';
import type { Terminal } from '../kernel/terminal/terminal.ts';

const SHELL_NAMES = ['bash', 'zsh', 'fish'] as const;

const HELP = `
Completes commands, flags and values; labels, silences, flags and rooms are those of the running servers.

Examples:
  source <(opsdeck completion bash)        # in ~/.bashrc
  source <(opsdeck completion zsh)         # in ~/.zshrc, after compinit
  opsdeck completion fish | source         # in ~/.config/fish/config.fish`;

/** Makes the program with the definitions that a command line needs. */
export type LoadProgram = (firstWord: string, terminal: Terminal) => Promise<Command>;

/** `opsdeck completion` */
export function addCompletionCommand(program: Command, terminal: Terminal, loadProgram: LoadProgram): void {
  program
    .command('completion')
    .description('print the completion of a shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELL_NAMES))
    .argument('[words...]', 'as the shell passes them')
    .addOption(program.createOption('--reply', 'answer the shell').hideHelp())
    .addHelpText('after', HELP)
    .action(async (name: (typeof SHELL_NAMES)[number], passed: readonly string[], { reply }: { reply?: true }) => {
      const { SHELLS } = await import('./shells.ts');
      const { script, wordsOf, print } = SHELLS[name];
      if (!reply) return terminal.out(script);
      const { complete } = await import('./candidates.ts');
      // Nothing but words may come out, and no server is waited for.
      const silent = { ...terminal, out: () => {}, err: () => {}, startWaitMs: 0 };
      const words = wordsOf(passed);
      const definitions = await loadProgram(words.length > 1 ? (words[0] ?? '') : '', silent);
      terminal.out(print(await complete(definitions, words, silent), passed));
    });
}
