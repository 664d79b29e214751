import type { Command } from 'commander';

/** Adds `--output` and `--json`, which every command that prints data has. */
export function addOutputOptions(command: Command): Command {
  return command
    .addOption(
      command
        .createOption('-o, --output <format>', 'how to print')
        .choices(['simple', 'extended', 'json'])
        .default('simple'),
    )
    .option('--json', 'the same as --output json');
}

/** Adds the options for the server's URL and the timeout. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--url <url>', 'the server (default: OPSDECK_ALERTS_URL, else http://localhost:9093)')
    .addOption(command.createOption('--alertmanager.url <url>', "amtool's name of --url").hideHelp())
    .on('option:alertmanager.url', (url: string) => command.setOptionValueWithSource('url', url, 'cli'))
    .option('--timeout <duration>', 'how long to wait for an answer', '30s');
}

/** Collects the values of an option that may be repeated. */
export function gather(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value];
}
