import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandError, ExitCode } from '../kernel/errors.ts';
import type { ListenAddress } from '../kernel/http/listen-address.ts';
import type { SiteRules } from '../kernel/http/site-address.ts';
import { createLog, LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from '../kernel/log.ts';
import { giveMemoryBack, keepHeapSmall } from '../kernel/memory.ts';
import { compileAnchored, type Pattern } from '../kernel/regexp/regexp.ts';
import { untilStopped } from '../kernel/signals.ts';
import {
  countFlag,
  durationFlag,
  hostFlag,
  inAnyCase,
  intervalFlag,
  listenAddressFlag,
  repeated,
} from '../kernel/terminal/flags.ts';
import type { Terminal } from '../kernel/terminal/terminal.ts';
import { ALERT_SERVER_DEFAULTS, type AlertServerOptions } from './config/server-options.ts';
import type { MatcherMode } from './domain/matcher-parse.ts';
import type { AlertServer } from './server.ts';
import { addTerminalCommands } from './terminal/command.ts';

const SERVE_EXAMPLES = `
Examples:
  opsdeck alerts serve
  opsdeck alerts serve --config.file alertmanager.yml --storage.path /var/lib/alertmanager
  opsdeck alerts serve --web.listen-address 127.0.0.1:9093 --log.format json`;

/** `opsdeck alerts …` */
export function addAlertsCommand(program: Command, terminal: Terminal): void {
  const alerts = program.command('alerts').description('a drop-in Prometheus Alertmanager, and its commands');
  alerts.addHelpText('after', '\nExamples:\n  opsdeck alerts serve\n  opsdeck alerts query severity=critical');
  const serve = alerts
    .command('serve')
    .description('serve the Alertmanager API v2')
    .addHelpText('after', SERVE_EXAMPLES);
  serve.version(`opsdeck ${OPSDECK_VERSION}`, '--version');
  for (const [group, options] of Object.entries(serveOptions())) {
    for (const option of options) serve.addOption(option.helpGroup(`${group}:`));
  }
  serve.action((flags: ServeFlags) => serveAlerts(flags, withoutEffect(serve), terminal));
  addTerminalCommands(alerts, terminal);
}

/** What commander makes of the flags: a dot stays in a name, a dash becomes a capital. */
interface ServeFlags {
  readonly dataDir: string;
  readonly 'config.file'?: string;
  readonly 'storage.path'?: string;
  readonly 'data.retention': number;
  readonly 'data.maintenanceInterval': number;
  readonly 'alerts.gcInterval': number;
  readonly 'alerts.perAlertnameLimit': number;
  readonly 'silences.maxSilences': number;
  readonly 'silences.maxSilenceSizeBytes': number;
  readonly 'log.silences'?: boolean;
  readonly 'log.level': LogLevel;
  readonly 'log.format': LogFormat;
  readonly 'web.listenAddress': readonly ListenAddress[];
  readonly 'web.externalUrl'?: URL | '';
  readonly 'web.routePrefix'?: string;
  readonly 'web.allowedHost': readonly string[];
  readonly 'web.corsOrigin': readonly string[];
  readonly 'web.cors.origin'?: Pattern;
  readonly 'web.getConcurrency': number;
  readonly 'web.timeout': number;
  readonly 'web.config.file'?: string;
  readonly 'web.systemdSocket'?: boolean;
  readonly 'cluster.listenAddress'?: ListenAddress;
  readonly 'cluster.peerName'?: string;
  readonly 'config.expandEnv'?: boolean;
  readonly 'dispatch.startDelay': number;
  readonly enableFeature: Features;
}

const option = (flags: string, description: string) => new Option(flags, description);

/** Every flag of Alertmanager under its own name, and opsdeck's own two. */
function serveOptions(): Readonly<Record<string, readonly Option[]>> {
  const anything = (text: string) => text;
  return {
    'State and configuration': [
      option(
        '--config.file <file>',
        'the configuration (default: alertmanager.yml if there is one, else a built-in one)',
      ),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as it stands in a file.
      option('--config.expand-env', 'in the configuration, ${NAME} stands for a variable of the environment'),
      option('--data-dir <directory>', 'where the servers keep their state, each in a folder of its own').default(
        'data',
      ),
      option(
        '--storage.path <directory>',
        'where this server keeps its state (default: alerts/ in the data directory)',
      ),
      option('--data.retention <duration>', 'how long an expired silence is kept')
        .argParser(durationFlag)
        .default(hours(120), '120h'),
      option('--data.maintenance-interval <duration>', 'how often old silences are removed')
        .argParser(intervalFlag)
        .default(hours(0.25), '15m'),
      option('--silences.max-silences <count>', 'the most silences kept, expired ones included; 0: no limit')
        .argParser(countFlag)
        .default(0),
      option('--silences.max-silence-size-bytes <bytes>', 'the largest silence; 0: no limit')
        .argParser(countFlag)
        .default(0),
      option('--alerts.gc-interval <duration>', 'how often resolved alerts are removed')
        .argParser(intervalFlag)
        .default(hours(0.5), '30m'),
      option('--alerts.per-alertname-limit <count>', 'the most alerts of one alert name; 0: no limit')
        .argParser(countFlag)
        .default(0),
      option('--dispatch.start-delay <duration>', 'how long after the start the first notifications leave')
        .argParser(durationFlag)
        .default(0, '0'),
    ],
    Web: [
      option('--web.listen-address <address>', 'where to listen; may be repeated')
        .argParser(repeated(listenAddressFlag))
        .default(ALERT_SERVER_DEFAULTS.listenAddresses, ':9093'),
      option('--web.external-url <url>', 'where people reach the server').argParser(externalUrlFlag),
      option(
        '--web.route-prefix <path>',
        'the path below which everything is served (default: the path of the external URL)',
      ),
      option('--web.cors-origin <origin>', 'an origin whose pages may use every method; may be repeated')
        .argParser(repeated(originFlag))
        .default([], 'none'),
      option(
        '--web.cors.origin <regexp>',
        'whose pages may use every method; then those of other origins may use none',
      ).argParser(originPatternFlag),
      option(
        '--web.allowed-host <name>',
        'a name that the server may be asked for beside localhost; then under no other, and by no page of other origins that no flag names; may be repeated',
      )
        .argParser(repeated(hostFlag))
        .default([], 'any'),
      option('--web.get-concurrency <count>', 'the most GETs at once; 0: no limit, as slow readers cost little here')
        .argParser(countFlag)
        .default(0),
      option('--web.timeout <duration>', 'how long a request may take; 0: no limit')
        .argParser(durationFlag)
        .default(0, '0'),
      option('--web.config.file <file>', 'TLS and users, as Prometheus servers have them'),
      option('--web.systemd-socket', 'listen on the sockets that systemd hands over'),
    ],
    Logs: [
      inAnyCase(option('--log.level <level>', 'the least important lines written').choices(LOG_LEVELS)).default('info'),
      option('--log.format <format>', 'the form of a line').choices(LOG_FORMATS).default('logfmt'),
      option('--log.silences', 'write a line for every silence that is created, updated or ended'),
      option('--no-log.silences', 'do not (the default)'),
    ],
    'Matchers and names': [
      option(
        '--enable-feature <names>',
        'classic-mode, utf8-strict-mode or receiver-name-in-metrics; the other names of Alertmanager are accepted',
      )
        .argParser(featuresFlag)
        .default(NO_FEATURES, 'none'),
    ],
    'Cluster, for the status alone: this server does not gossip': [
      option('--cluster.listen-address <address>', 'shown in the status; empty: the status says disabled')
        .argParser((text) => (text === '' ? undefined : listenAddressFlag(text)))
        .default(listenAddressFlag('0.0.0.0:9094'), '0.0.0.0:9094'),
      option('--cluster.peer-name <name>', 'shown in the status'),
      option('--cluster.peer <address>', 'accepted without effect').argParser(repeated(anything)),
    ],
    'Accepted without effect': [
      ...WITHOUT_EFFECT.map((name) => option(`--${name} <value>`, 'accepted without effect')),
      option('--cluster.allow-insecure-public-advertise-address-discovery', 'accepted without effect'),
      option('--no-cluster.allow-insecure-public-advertise-address-discovery', 'accepted without effect').hideHelp(),
      option('--no-web.systemd-socket', 'the default').hideHelp(),
    ],
  };
}

const WITHOUT_EFFECT = [
  'dispatch.maintenance-interval',
  'auto-gomemlimit.ratio',
  'cluster.advertise-address',
  'cluster.peer-timeout',
  'cluster.peers-resolve-timeout',
  'cluster.gossip-interval',
  'cluster.pushpull-interval',
  'cluster.tcp-timeout',
  'cluster.probe-timeout',
  'cluster.probe-interval',
  'cluster.settle-timeout',
  'cluster.reconnect-interval',
  'cluster.reconnect-timeout',
  'cluster.tls-config',
  'cluster.label',
];

function hours(count: number): number {
  return count * 3_600_000;
}

/** An empty value is none, as with Alertmanager: who launches it may hand on a variable that is not set. */
function externalUrlFlag(text: string): URL | '' {
  if (text === '') return '';
  if (!URL.canParse(text)) throw new InvalidArgumentError('Write a whole URL, such as https://alerts.example.org/.');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    const scheme = url.protocol.slice(0, -1);
    throw new InvalidArgumentError(
      `${JSON.stringify(text)}: invalid "${scheme}" scheme, only 'http' and 'https' are supported`,
    );
  }
  return url;
}

/** Empty, as Alertmanager has it by default, is none. */
function originPatternFlag(text: string): Pattern | undefined {
  if (text === '') return undefined;
  const compiled = compileAnchored(text);
  if (!compiled.ok) throw new InvalidArgumentError(compiled.reason);
  return compiled.pattern;
}

function originFlag(text: string): string {
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new InvalidArgumentError('Write an origin without a path, such as https://grafana.example.org.');
  }
  return text;
}

/** Alertmanager's openness, unless names are given. */
function siteOf(flags: ServeFlags): SiteRules | undefined {
  const hosts = flags['web.allowedHost'];
  if (hosts.length === 0) return undefined;
  const allowsOrigin = (origin: string) =>
    flags['web.corsOrigin'].includes(origin) || (flags['web.cors.origin']?.test(origin) ?? false);
  return { hosts, allowsOrigin, hostHint: 'start it with --web.allowed-host to answer there' };
}

const FEATURES = [
  'classic-mode',
  'utf8-strict-mode',
  'receiver-name-in-metrics',
  'alert-names-in-metrics',
  'group-key-in-metrics',
  'auto-gomemlimit',
  'event-recorder',
];

const NO_FEATURES: Features = { matcherMode: 'fallback', receiverNameInMetrics: false };

interface Features {
  readonly matcherMode: MatcherMode;
  readonly receiverNameInMetrics: boolean;
}

function featuresFlag(text: string): Features {
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !FEATURES.includes(name));
  if (unknown !== undefined)
    throw new CommandError(`unknown option '${unknown}' for --enable-feature`, ExitCode.failed);
  const [classic, strict] = [names.includes('classic-mode'), names.includes('utf8-strict-mode')];
  if (classic && strict) throw new CommandError('cannot have both classic and UTF-8 modes enabled', ExitCode.failed);
  return {
    matcherMode: classic ? 'classic' : strict ? 'utf8-strict' : 'fallback',
    receiverNameInMetrics: names.includes('receiver-name-in-metrics'),
  };
}

function readOptions(flags: ServeFlags): AlertServerOptions {
  const externalUrl = flags['web.externalUrl'] || undefined;
  const path = flags['web.routePrefix'] || (externalUrl?.pathname ?? '');
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return {
    configFile: flags['config.file'],
    storagePath: flags['storage.path'] ?? join(flags.dataDir, 'alerts'),
    // Alertmanager's own default is data/, without a folder for itself.
    importPath: flags['storage.path'] ?? flags.dataDir,
    listenAddresses: flags['web.listenAddress'],
    externalUrl,
    routePrefix: trimmed === '' ? '' : `/${trimmed}`,
    corsOrigins: flags['web.corsOrigin'],
    corsOriginPattern: flags['web.cors.origin'],
    site: siteOf(flags),
    getConcurrency: flags['web.getConcurrency'],
    timeoutMs: flags['web.timeout'],
    retentionMs: flags['data.retention'],
    maintenanceIntervalMs: flags['data.maintenanceInterval'],
    gcIntervalMs: flags['alerts.gcInterval'],
    maxSilences: flags['silences.maxSilences'],
    maxSilenceSizeBytes: flags['silences.maxSilenceSizeBytes'],
    perAlertnameLimit: flags['alerts.perAlertnameLimit'],
    logSilences: flags['log.silences'] ?? false,
    expandEnv: flags['config.expandEnv'] ?? false,
    dispatchStartDelayMs: flags['dispatch.startDelay'],
    matcherMode: flags.enableFeature.matcherMode,
    receiverNameInMetrics: flags.enableFeature.receiverNameInMetrics,
    webConfigFile: flags['web.config.file'] || undefined,
    systemdSocket: flags['web.systemdSocket'] ?? false,
    clusterListenAddress: flags['cluster.listenAddress'],
    clusterPeerName: flags['cluster.peerName'] || undefined,
  };
}

/** The flags of clustering that were given, but for those which the status shows. */
function withoutEffect(serve: Command): readonly string[] {
  const shown = ['--cluster.listen-address', '--cluster.peer-name'];
  return serve.options
    .filter((option) => serve.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long ?? '')
    .filter((name) => name.startsWith('--cluster.') && !shown.includes(name));
}

async function serveAlerts(flags: ServeFlags, ignored: readonly string[], terminal: Terminal): Promise<void> {
  const log = createLog({
    level: flags['log.level'],
    format: flags['log.format'],
    clock: terminal.clock,
    write: terminal.err,
  });
  if (ignored.length > 0) {
    log.warn(
      'flags without effect: this server does not gossip. It loses nothing in a restart, so that one is enough for most; where two run, name both in Prometheus, and each tells of every alert',
      { flags: ignored.join(' ') },
    );
  }
  let server: AlertServer | undefined;
  // From here on, so that a signal which comes during the start is not lost.
  const stopped = untilStopped(() => server?.reload());
  const { startAlertServer } = await import('./server.ts');
  server = await startAlertServer(readOptions(flags), terminal.clock, log);
  // Not before: what a start loads would be collected again and again.
  keepHeapSmall();
  giveMemoryBack(terminal.clock);
  await stopped;
  log.info('Received a signal to stop, finishing what is under way');
  await server.close();
}
