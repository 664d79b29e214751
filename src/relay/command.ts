import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import { createLog, LOG_FORMATS, LOG_LEVELS, type Log, type LogFormat } from '../kernel/log.ts';
import { untilStopped } from '../kernel/signals.ts';
import { hostFlag, repeated } from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import type { ConfigSourceOptions, LoadedConfig } from './config/config-source.ts';
import type { RelayOptions } from './config/relay-options.ts';
import type { Environment } from './environment.ts';
import type { RelayServer } from './server.ts';
import { addTerminalCommands } from './terminal/command.ts';

const EXAMPLES = `
Without any configuration it serves sample flags on this machine only, and prints how to connect SDKs.

Examples:
  opsdeck relay serve
  opsdeck relay serve --flags flags.yml
  opsdeck relay serve --config /etc/ld-relay.conf --from-env
  LD_ENV_production=sdk-… opsdeck relay serve --from-env --evaluated-streams`;

/** `opsdeck relay …` */
export function addRelayCommand(program: Command, terminal: Terminal): void {
  const relay = program
    .command('relay')
    .description('feature flags for LaunchDarkly and OpenFeature SDKs, with or without LaunchDarkly');
  relay.addHelpText(
    'after',
    `\nExamples:\n  opsdeck relay serve\n  opsdeck relay eval new-checkout --context '{"key": "ada"}'`,
  );
  addConfigOptions(
    relay.command('serve').description('start a relay: the API of LaunchDarkly’s Relay Proxy, and OFREP'),
  )
    .version(`opsdeck ${OPSDECK_VERSION}`, '--version')
    .option('--evaluated-streams', 'send changed flags to client-side and mobile SDKs instead of pings')
    .option('--record <folder>', 'save the latest data of each environment there, for a start during an outage')
    .option(
      '--host <address>',
      'address to listen on (default: every interface; with the sample or --flags this machine only)',
    )
    .addOption(
      new Option(
        '--allowed-host <name>',
        'accept only requests for this host name and localhost; may be repeated',
      ).argParser(repeated(hostFlag)),
    )
    .addOption(new Option('--log.level <level>', 'minimum level of log lines').choices([...LOG_LEVELS, 'none']))
    .addOption(new Option('--log.format <format>', 'format of log lines (default: logfmt)').choices(LOG_FORMATS))
    .addHelpText('after', EXAMPLES)
    .action((flags: ServeFlags) => serveRelay(flags, terminal));
  addConfigOptions(relay.command('check-config').description('print the effective configuration, or all its mistakes'))
    .addHelpText(
      'after',
      `
Exits with code 2 if there is a mistake. Keys are masked.

Examples:
  opsdeck relay check-config --config relay.conf
  opsdeck relay check-config --flags flags.yml
  opsdeck relay check-config --from-env`,
    )
    .action(async (flags: ConfigFlags) => {
      const { checkConfig } = await import('./terminal/check-config.ts');
      checkConfig(flags, terminal);
    });
  addTerminalCommands(relay, terminal);
}

interface ConfigFlags extends ConfigSourceOptions {
  readonly port?: number;
}

/** Option names as commander converts them: dots stay, dashes become camel case. */
interface ServeFlags extends ConfigFlags {
  readonly 'log.level'?: RelayOptions['logLevel'];
  readonly 'log.format'?: LogFormat;
}

function addConfigOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file of the Relay Proxy (default: /etc/ld-relay.conf if it exists)')
    .option('--from-env', 'read configuration from environment variables, which override the file')
    .option('--allow-missing-file', 'accept a missing configuration file')
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 for any free port (default: 8030)').argParser(portFlag),
    )
    .option('--flags <path>', 'serve the flags of a JSON or YAML file, or folder of files, and follow its changes');
}

function portFlag(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('Write a port from 0 to 65535.');
  return Number(text);
}

async function serveRelay(flags: ServeFlags, terminal: Terminal): Promise<void> {
  const { loadConfig, refuseConfig } = await import('./config/config-source.ts');
  const outcome = loadConfig({ ...flags, logLevel: flags['log.level'] }, terminal.env);
  if (!outcome.ok) throw refuseConfig(outcome.problems);
  const { options, warnings, logFormat } = outcome.value;
  const log = createLog({
    level: options.logLevel === 'none' ? 'error' : options.logLevel,
    format: flags['log.format'] ?? logFormat ?? 'logfmt',
    clock: terminal.clock,
    write: options.logLevel === 'none' ? () => {} : terminal.err,
  });
  for (const warning of warnings) log.warn(warning);
  await run(outcome.value, log, terminal);
}

async function run(config: LoadedConfig, log: Log, terminal: Terminal): Promise<void> {
  const { options } = config;
  const stopped = untilStopped();
  const { startRelay } = await import('./server.ts');
  // With exitAlways the port is not needed, and may be in use.
  const listening = options.exitAlways ? { ...options, host: '127.0.0.1', port: 0 } : options;
  const server = await startRelay(listening, terminal.clock, log);
  try {
    const failed = server.settled.then((without) => refuseWithout(without, options));
    // Awaited below, but may reject before.
    failed.catch(() => {});
    if (options.exitAlways) await failed;
    else {
      await greet(server, config, terminal);
      await Promise.race([stopped, Promise.all([stopped, failed])]);
      log.info('Received a signal to stop, finishing what is under way');
    }
  } finally {
    await server.close();
  }
}

/** Throws if environments without data must end the relay: with exitOnError or exitAlways, except for ignored connection errors. */
function refuseWithout(without: readonly Environment[], options: RelayOptions): void {
  if (!options.exitOnError && !options.exitAlways) return;
  const failed = options.ignoreConnectionErrors
    ? without.filter(({ connection }) => connection.state === 'OFF')
    : without;
  if (failed.length === 0) return;
  const names = failed.map(({ options: { name } }) => name).join(', ');
  throw new CommandError(`no flags for ${names}; see the log`, ExitCode.failed);
}

/** Prints how to connect SDKs, if the environment is not configured. */
async function greet(
  { url }: RelayServer,
  { options, isSample, isUnconfigured }: LoadedConfig,
  terminal: Terminal,
): Promise<void> {
  const [environment] = options.environments;
  if (!environment || !isUnconfigured) return;
  const { printSnippet } = await import('./terminal/snippet.ts');
  terminal.out(printSnippet(url, environment, isSample));
}
