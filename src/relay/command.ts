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
With no configuration at all it serves a sample of flags on this machine alone, and prints how SDKs reach them.

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
  addConfigOptions(relay.command('serve').description('serve what LaunchDarkly’s Relay Proxy serves, and OFREP'))
    .version(`opsdeck ${OPSDECK_VERSION}`, '--version')
    .option('--evaluated-streams', 'send clients and mobiles the flags that changed, instead of pings')
    .option('--record <folder>', 'keep the last data of each environment there, for a start during an outage')
    .option(
      '--host <address>',
      'where to listen (default: every interface; with the sample or --flags this machine alone)',
    )
    .addOption(
      new Option(
        '--allowed-host <name>',
        'a name that the relay may be asked for beside localhost, and then under no other; may be repeated',
      ).argParser(repeated(hostFlag)),
    )
    .addOption(new Option('--log.level <level>', 'the least important lines written').choices([...LOG_LEVELS, 'none']))
    .addOption(new Option('--log.format <format>', 'the form of a line (default: logfmt)').choices(LOG_FORMATS))
    .addHelpText('after', EXAMPLES)
    .action((flags: ServeFlags) => serveRelay(flags, terminal));
  addConfigOptions(relay.command('check-config').description('print what would run, or all that is wrong'))
    .addHelpText(
      'after',
      `
Ends with code 2 if something is wrong. Keys are masked.

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

/** What commander makes of the flags: a dot stays in a name, a dash becomes a capital. */
interface ServeFlags extends ConfigFlags {
  readonly 'log.level'?: RelayOptions['logLevel'];
  readonly 'log.format'?: LogFormat;
}

function addConfigOptions(command: Command): Command {
  return command
    .option('--config <file>', 'a configuration file of the Relay Proxy (default: /etc/ld-relay.conf if there is one)')
    .option('--from-env', 'take the configuration from the environment, above that of a file')
    .option('--allow-missing-file', 'the configuration file may be missing')
    .addOption(new Option('--port <port>', 'where to listen; 0 for any free port (default: 8030)').argParser(portFlag))
    .option('--flags <path>', 'serve flags of this JSON or YAML file, or folder of files, and what is saved there');
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
  // Whoever only wants the environments started needs no port that others may have.
  const listening = options.exitAlways ? { ...options, host: '127.0.0.1', port: 0 } : options;
  const server = await startRelay(listening, terminal.clock, log);
  try {
    const failed = server.settled.then((without) => refuseWithout(without, options));
    // It is awaited below, but may come before.
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

/** Throws if environments without data end the relay: with exitOnError or exitAlways, and not for a bad connection that may be ignored. */
function refuseWithout(without: readonly Environment[], options: RelayOptions): void {
  if (!options.exitOnError && !options.exitAlways) return;
  const failed = options.ignoreConnectionErrors
    ? without.filter(({ connection }) => connection.state === 'OFF')
    : without;
  if (failed.length === 0) return;
  const names = failed.map(({ options: { name } }) => name).join(', ');
  throw new CommandError(`no flags could be had for ${names}; the log says why`, ExitCode.failed);
}

/** Prints how SDKs reach flags whose environment nobody configured. */
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
