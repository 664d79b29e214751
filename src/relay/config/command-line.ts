import { DECK_URL } from '../../kernel/deck/setting.ts';
import { LOG_FORMATS } from '../../kernel/log.ts';
import { anyText, boolean, hostName, listenPort, listOf, oneOf } from '../../kernel/settings/kind.ts';
import { setting, type Values } from '../../kernel/settings/settings.ts';
import { logLevel, pageToken, workerCount } from './setting-kinds.ts';

// Flags stand above the settings of a file and of variables, which count only with --from-env.

/** The flags of `relay serve` and `relay check-config`. */
export const CONFIG_FLAGS = {
  config: setting('--config <file>', anyText, 'configuration file of the Relay Proxy', {
    otherwise: '/etc/ld-relay.conf if it exists',
  }),
  fromEnv: setting('--from-env', boolean, 'read configuration from environment variables, which override the file'),
  allowMissingFile: setting('--allow-missing-file', boolean, 'accept a missing configuration file'),
  port: setting('--port <port>', listenPort, 'port to listen on; 0 for any free port', {
    otherwise: '8030',
    variable: 'PORT',
  }),
  flags: setting(
    '--flags <path>',
    anyText,
    'serve the flags of a JSON or YAML file, or folder of files, and follow its changes',
  ),
};

/** The other flags of `relay serve`. */
export const SERVE_FLAGS = {
  evaluatedStreams: setting(
    '--evaluated-streams',
    boolean,
    'send changed flags to client-side and mobile SDKs instead of pings',
    { variable: 'EVALUATED_STREAMS' },
  ),
  record: setting(
    '--record <folder>',
    anyText,
    'save the latest data of each environment there, for a start during an outage',
    {
      variable: 'RECORD_PATH',
    },
  ),
  workers: setting('--workers <n>', workerCount, 'threads that answer requests', {
    otherwise: 'one for each processor, at most 4',
    variable: 'RELAY_WORKERS',
  }),
  host: setting('--host <address>', anyText, 'address to listen on', {
    otherwise: 'every interface; with the sample or --flags this machine only',
    variable: 'LISTEN_HOST',
  }),
  pageToken: setting(
    '--page-token <token>',
    pageToken,
    'open the page of flags to other machines, with this token; otherwise it is only for this machine',
    { variable: 'PAGE_TOKEN', isSecret: true },
  ),
  allowedHost: setting(
    '--allowed-host <name>',
    listOf(hostName),
    'accept only requests for this host name and localhost; may be repeated',
  ),
  deckUrl: DECK_URL,
  logLevel: setting('--log.level <level>', logLevel, 'minimum level of log lines', {
    otherwise: 'info',
    variable: 'LOG_LEVEL',
  }),
  logFormat: setting('--log.format <format>', oneOf(LOG_FORMATS), 'format of log lines', {
    otherwise: 'logfmt',
    variable: 'LOG_FORMAT',
  }),
};

/** What the command line gives; a command may leave out any of it. */
export type CommandLine = Partial<Values<typeof CONFIG_FLAGS & typeof SERVE_FLAGS>>;
