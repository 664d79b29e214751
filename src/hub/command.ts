import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { ALERT_SERVER_DEFAULTS } from '../alerts/config/server-options.ts';
import { listenAddressFlag } from '../kernel/flags.ts';
import type { ListenAddress } from '../kernel/listen-address.ts';
import { createLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../kernel/log.ts';
import { untilStopped } from '../kernel/signals.ts';
import type { Terminal } from '../kernel/terminal.ts';

const EXAMPLES = `
Examples:
  opsdeck up
  opsdeck up --data-dir /var/lib/opsdeck`;

interface UpFlags {
  readonly dataDir: string;
  readonly hubAddress: ListenAddress;
  readonly alertsAddress: ListenAddress;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

/** `opsdeck up` */
export function addUpCommand(program: Command, terminal: Terminal): void {
  program
    .command('up')
    .description('start every server on its defaults, with a page that links to them')
    .option('--data-dir <directory>', 'where the servers keep their state, each in a folder of its own', 'data')
    .addOption(
      new Option('--hub-address <address>', 'where the page listens')
        .argParser(listenAddressFlag)
        .default({ host: '127.0.0.1', port: 8075 }, '127.0.0.1:8075'),
    )
    .addOption(
      new Option('--alerts-address <address>', 'where the alert server listens')
        .argParser(listenAddressFlag)
        .default(ALERT_SERVER_DEFAULTS.listenAddresses[0], ':9093'),
    )
    .addOption(
      new Option('--log-level <level>', 'the least important lines written').choices(LOG_LEVELS).default('info'),
    )
    .addOption(new Option('--log-format <format>', 'the form of a line').choices(LOG_FORMATS).default('logfmt'))
    .addHelpText('after', EXAMPLES)
    .action((flags: UpFlags) => startAll(flags, terminal));
}

async function startAll(flags: UpFlags, terminal: Terminal): Promise<void> {
  const { clock } = terminal;
  const log = createLog({ level: flags.logLevel, format: flags.logFormat, clock, write: terminal.err });
  let reload = () => {};
  const stopped = untilStopped(() => reload());
  const { startAlertServer } = await import('../alerts/server.ts');
  const { startHub } = await import('./server.ts');
  const alerts = await startAlertServer(
    {
      ...ALERT_SERVER_DEFAULTS,
      listenAddresses: [flags.alertsAddress],
      storagePath: join(flags.dataDir, 'alerts'),
      importPath: flags.dataDir,
    },
    clock,
    log,
  );
  reload = () => void alerts.reload();
  try {
    const servers = [
      {
        name: 'alerts',
        title: 'Alerts',
        description: 'A drop-in Prometheus Alertmanager: post alerts, silence them, see what fires.',
        url: alerts.url,
        status: 'ready',
        example: 'opsdeck alerts add alertname=DiskFull severity=critical --annotation summary="/var is at 97 %"',
      },
    ];
    const hub = await startHub(servers, flags.hubAddress, clock, log);
    terminal.out(`opsdeck is up: ${hub.url}/\n`);
    await stopped;
    await hub.close();
  } finally {
    await alerts.close();
  }
}
