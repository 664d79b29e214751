import type { Command } from 'commander';
import { createLog, type Log } from '../kernel/log.ts';
import { giveMemoryBack, keepHeapSmall } from '../kernel/memory.ts';
import { untilStopped } from '../kernel/signals.ts';
import { announceStart } from '../kernel/supervisor.ts';
import { addSettings, readFlags } from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import { optionsOf } from './config/server-options.ts';
import { SETTING_GROUPS, SETTINGS } from './config/settings.ts';
import type { AlertServer } from './server.ts';

const SERVE_EXAMPLES = `
Examples:
  opsdeck alerts serve
  opsdeck alerts serve --config.file alertmanager.yml --storage.path /var/lib/alertmanager
  opsdeck alerts serve --web.listen-address 127.0.0.1:9093 --log.format json`;

/** `opsdeck alerts`, with `serve`; returns it. */
export function addAlertsCommand(program: Command, terminal: Terminal): Command {
  const alerts = program.command('alerts').description('a drop-in Prometheus Alertmanager, and its commands');
  alerts.addHelpText('after', '\nExamples:\n  opsdeck alerts serve\n  opsdeck alerts query severity=critical');
  const serve = alerts
    .command('serve')
    .description('serve the Alertmanager API v2')
    .addHelpText('after', SERVE_EXAMPLES);
  serve.version(`opsdeck ${OPSDECK_VERSION}`, '--version');
  for (const [group, table] of Object.entries(SETTING_GROUPS)) addSettings(serve, table, group);
  serve.action(() => serveAlerts(serve, terminal));
  return alerts;
}

/** The flags of clustering that are given and change nothing. */
function withoutEffect(serve: Command): readonly string[] {
  const shown = ['--cluster.listen-address', '--cluster.peer-name'];
  return serve.options
    .filter((option) => serve.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long ?? '')
    .filter((name) => name.startsWith('--cluster.') && !shown.includes(name));
}

function noteFlagsWithoutEffect(flags: readonly string[], storageUrl: string | undefined, log: Log): void {
  if (flags.length === 0) return;
  const fields = { flags: flags.join(' ') };
  if (storageUrl !== undefined) {
    log.info('flags without effect: the nodes share a database and do not gossip', fields);
    return;
  }
  log.warn(
    'flags without effect: this server does not gossip. For several servers as one, start each with the same --storage.url of a PostgreSQL database; without it, each notifies of every alert it gets',
    fields,
  );
}

async function serveAlerts(command: Command, terminal: Terminal): Promise<void> {
  const values = readFlags(command, SETTINGS, terminal.env);
  const options = optionsOf(values);
  // The list of processes shows arguments to all users of the machine, and the URL may contain a password.
  if (options.storageUrl !== undefined) process.title = 'opsdeck alerts serve';
  const { clock, err: write } = terminal;
  const log = createLog({ level: values.logLevel, format: values.logFormat, clock, write });
  noteFlagsWithoutEffect(withoutEffect(command), options.storageUrl, log);
  let server: AlertServer | undefined;
  // From here on, so that a signal which comes during the start is not lost.
  const stopped = untilStopped(() => server?.reload());
  const { startAlertServer } = await import('./server.ts');
  server = await startAlertServer(options, clock, log);
  // Not before: what a start loads would be collected again and again.
  keepHeapSmall('bursts');
  giveMemoryBack(clock);
  announceStart(terminal);
  await stopped;
  log.info('Received a signal to stop, finishing what is under way');
  await server.close();
}
