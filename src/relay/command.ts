import type { Command } from 'commander';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { giveMemoryBack } from '../kernel/memory.ts';
import { refuseConfig } from '../kernel/settings/settings.ts';
import { untilStopped } from '../kernel/signals.ts';
import { announceStart } from '../kernel/supervisor.ts';
import { addSettings, readFlags } from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import { CONFIG_FLAGS, type CommandLine, SERVE_FLAGS } from './config/command-line.ts';
import type { LoadedConfig } from './config/config-source.ts';
import type { RelayOptions } from './config/relay-options.ts';
import type { Environment } from './environment.ts';
import type { RelayServer } from './server.ts';
import { addTerminalCommands } from './terminal/command.ts';

const EXAMPLES = `
Without any configuration it serves sample flags on this machine only, and prints how to connect SDKs.
SIGHUP reloads the configuration file, certificates and flag files, and retries refused keys.

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
  const serve = relay.command('serve').description('start a relay: the API of LaunchDarkly’s Relay Proxy, and OFREP');
  addSettings(serve, { ...CONFIG_FLAGS, ...SERVE_FLAGS })
    .version(`opsdeck ${OPSDECK_VERSION}`, '--version')
    .addHelpText('after', EXAMPLES)
    .action(() => serveRelay(serve, terminal));
  const check = relay.command('check-config').description('print the effective configuration, or all its mistakes');
  addSettings(check, CONFIG_FLAGS)
    .addHelpText(
      'after',
      `
Exits with code 2 if there is a mistake. Keys are masked.

Examples:
  opsdeck relay check-config --config relay.conf
  opsdeck relay check-config --flags flags.yml
  opsdeck relay check-config --from-env`,
    )
    .action(async () => {
      const { checkConfig } = await import('./terminal/check-config.ts');
      const { certificateProblems } = await import('./composition/tls.ts');
      await checkConfig(readFlags(check, CONFIG_FLAGS), terminal, certificateProblems);
    });
  addTerminalCommands(relay, terminal);
}

async function serveRelay(command: Command, terminal: Terminal): Promise<void> {
  const flags = readFlags(command, { ...CONFIG_FLAGS, ...SERVE_FLAGS });
  // The list of processes shows arguments to all users of the machine.
  if (flags.pageToken !== undefined) process.title = 'opsdeck relay serve';
  const { loadConfig } = await import('./config/config-source.ts');
  const outcome = loadConfig(flags, terminal.env);
  if (!outcome.ok) throw refuseConfig(outcome.problems);
  const { options, warnings, logFormat } = outcome.value;
  const log = createLog({
    level: options.logLevel === 'none' ? 'error' : options.logLevel,
    format: flags.logFormat ?? logFormat ?? 'logfmt',
    clock: terminal.clock,
    write: options.logLevel === 'none' ? () => {} : terminal.err,
  });
  for (const warning of warnings) log.warn(warning);
  await run(outcome.value, flags, log, terminal);
}

async function run(config: LoadedConfig, flags: CommandLine, log: Log, terminal: Terminal): Promise<void> {
  const { options } = config;
  let reload = async (): Promise<void> => {};
  let reloading = Promise.resolve();
  const stopped = untilStopped(() => {
    reloading = reloading.then(() => reload());
  });
  const { startRelay } = await import('./server.ts');
  // With exitAlways the port is not needed, and may be in use.
  const listening = options.exitAlways ? { ...options, host: '127.0.0.1', port: 0 } : options;
  const server = await startRelay(listening, terminal.clock, log);
  giveMemoryBack(terminal.clock);
  announceStart(terminal);
  try {
    const failed = server.settled.then((without) => refuseWithout(without, options));
    // Awaited below, but may reject before.
    failed.catch(() => {});
    if (options.exitAlways) {
      await failed;
      await server.close();
      refuseUnsaved(server.unsaved);
    } else {
      reload = async () => {
        const { reloadConfig } = await import('./config/reload.ts');
        await reloadConfig(flags, terminal.env, server, log);
      };
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

function refuseUnsaved(unsaved: readonly Environment[]): void {
  if (unsaved.length === 0) return;
  const names = unsaved.map(({ options: { name } }) => name).join(', ');
  throw new CommandError(`the flags of ${names} could not be stored; see the log`, ExitCode.failed);
}

/** Prints how to connect SDKs, if the environment is not configured; last, which flag files cannot be read. */
async function greet(
  { url, environments }: RelayServer,
  { options, isSample, isUnconfigured }: LoadedConfig,
  terminal: Terminal,
): Promise<void> {
  const [environment] = options.environments;
  if (environment && isUnconfigured) {
    const { printSnippet } = await import('./terminal/snippet.ts');
    terminal.out(printSnippet(url, environment, isSample));
  }
  for (const { options, readiness } of environments) {
    if (options.dataFile === undefined || readiness === 'ready') continue;
    const { loadFlags } = await import('./file-source/files.ts');
    const flags = loadFlags(options.dataFile);
    if (!flags.ok) terminal.err(`opsdeck: there are no flags to serve yet: ${flags.reason}\n`);
  }
}
