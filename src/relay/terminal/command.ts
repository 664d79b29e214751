import { type Command, Option } from 'commander';
import { completeFrom } from '../../kernel/terminal/completion.ts';
import type { Terminal } from '../../kernel/terminal/terminal.ts';
import { RELAY_COMPLETIONS } from './completion.ts';
import type { EvaluateOptions } from './evaluate-flag.ts';
import type { ListOptions } from './list-flags.ts';
import type { ConnectionOptions } from './relay-client.ts';
import type { SetOptions } from './set-flag.ts';

const URL_HELP = 'the relay (default: OPSDECK_RELAY_URL, else http://localhost:8030)';

function addConnectionOptions(command: Command): Command {
  return command.option('--url <url>', URL_HELP).option('--timeout <duration>', 'maximum wait for a response', '30s');
}

/** Options for the source of flags: files or a relay. */
function addFlagOptions(command: Command): Command {
  return addConnectionOptions(
    command.option('--flags <path>', 'use the flags of a file or folder of files instead of a relay'),
  ).option(
    '--sdk-key <key>',
    'SDK key of the environment (default: OPSDECK_RELAY_SDK_KEY, else your local key, or that of the sample)',
  );
}

function addJsonOption(command: Command): Command {
  return command.option('--json', 'print JSON');
}

function addEvalCommand(relay: Command, terminal: Terminal): void {
  addJsonOption(
    addFlagOptions(
      relay
        .command('eval')
        .description('evaluate a flag for a context, with the reason')
        .argument('<flag>', 'the key of the flag')
        .addOption(new Option('-c, --context <json>', 'the context; - reads standard input').makeOptionMandatory())
        .option('-e, --explain', 'show every step: targets, rules, clauses, buckets'),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck relay eval button-color --context '{"kind": "user", "key": "ada"}'
  opsdeck relay eval button-color -c '{"kind": "user", "key": "kim", "email": "kim@example.org"}' --explain
  opsdeck relay eval button-color -c '{"kind": "user", "key": "ada"}' --flags flags.yml --json`,
    )
    .action(async (key: string, options: EvaluateOptions) => {
      const { evaluateForTerminal } = await import('./evaluate-flag.ts');
      await evaluateForTerminal(key, options, terminal);
    });
}

function addFlagsCommand(relay: Command, terminal: Terminal): void {
  addJsonOption(addFlagOptions(relay.command('flags').description('list the flags of an environment or of files')))
    .addHelpText(
      'after',
      `
Examples:
  opsdeck relay flags
  opsdeck relay flags --flags flags.yml
  opsdeck relay flags --url http://relay:8030 --json`,
    )
    .action(async (options: ListOptions) => {
      const { listFlags } = await import('./list-flags.ts');
      await listFlags(options, terminal);
    });
}

function addStatusCommand(relay: Command, terminal: Terminal): void {
  addJsonOption(addConnectionOptions(relay.command('status').description('show the environments of a relay')))
    .addHelpText(
      'after',
      `
Examples:
  opsdeck relay status
  opsdeck relay status --url http://relay:8030 --json`,
    )
    .action(async (options: ConnectionOptions & { readonly json?: boolean }) => {
      const { showStatus } = await import('./show-status.ts');
      await showStatus(options, terminal);
    });
}

function addSetCommand(relay: Command, terminal: Terminal): void {
  addJsonOption(
    relay
      .command('set')
      .description('turn a flag in a file on or off, or change its default value')
      .argument('<flag>', 'the key of the flag')
      .argument('<value>', 'on, off, or a value, as JSON or plain text')
      .option('--flags <path>', 'the file, or folder of files (default: OPSDECK_RELAY_FLAGS)'),
  )
    .addHelpText(
      'after',
      `
Keeps comments and formatting. A relay that serves the file follows at once. Targets and rules of the flag still take
precedence over the default value.

Examples:
  opsdeck relay set new-checkout off --flags flags.yml
  opsdeck relay set button-color blue --flags flags.yml
  opsdeck relay set page-size 50 --flags flags.yml`,
    )
    .action(async (key: string, value: string, options: SetOptions) => {
      const { setFlag } = await import('./set-flag.ts');
      setFlag(key, value, options, terminal);
    });
}

/** Adds the commands that use a relay or flag files. */
export function addTerminalCommands(relay: Command, terminal: Terminal): void {
  completeFrom(relay, RELAY_COMPLETIONS);
  addEvalCommand(relay, terminal);
  addFlagsCommand(relay, terminal);
  addStatusCommand(relay, terminal);
  addSetCommand(relay, terminal);
  relay
    .command('sample')
    .description('print the sample flags, which are served without any configuration')
    .addHelpText('after', '\nExamples:\n  opsdeck relay sample > flags.yml')
    .action(async () => {
      const { sampleFlags } = await import('../file-source/sample.ts');
      terminal.out(sampleFlags);
    });
}
