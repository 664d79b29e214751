import { LOG_FORMATS } from '../../kernel/log.ts';
import { anyText, boolean, hostName, listenPort, listOf, oneOf } from '../../kernel/settings/kind.ts';
import { setting, type Values } from '../../kernel/settings/settings.ts';
import { logLevel } from './setting-kinds.ts';

// Flags stand above the settings of a file and of variables, which count only with --from-env.

/** The flags of `relay serve` and `relay check-config`. */
export const CONFIG_FLAGS = {
  config: setting('--config <file>', anyText, 'a configuration file of the Relay Proxy', {
    otherwise: '/etc/ld-relay.conf if there is one',
  }),
  fromEnv: setting('--from-env', boolean, 'take the configuration from the environment, above that of a file'),
  allowMissingFile: setting('--allow-missing-file', boolean, 'the configuration file may be missing'),
  port: setting('--port <port>', listenPort, 'where to listen; 0 for any free port', {
    otherwise: '8030',
    variable: 'PORT',
  }),
  flags: setting(
    '--flags <path>',
    anyText,
    'serve flags of this JSON or YAML file, or folder of files, and what is saved there',
  ),
};

/** The other flags of `relay serve`. */
export const SERVE_FLAGS = {
  evaluatedStreams: setting(
    '--evaluated-streams',
    boolean,
    'send clients and mobiles the flags that changed, instead of pings',
    { variable: 'EVALUATED_STREAMS' },
  ),
  record: setting(
    '--record <folder>',
    anyText,
    'keep the last data of each environment there, for a start during an outage',
    {
      variable: 'RECORD_PATH',
    },
  ),
  host: setting('--host <address>', anyText, 'where to listen', {
    otherwise: 'every interface; with the sample or --flags this machine alone',
    variable: 'LISTEN_HOST',
  }),
  allowedHost: setting(
    '--allowed-host <name>',
    listOf(hostName),
    'a name of the relay beside localhost; it then answers under no other; may be repeated',
  ),
  logLevel: setting('--log.level <level>', logLevel, 'the least important lines written', {
    otherwise: 'info',
    variable: 'LOG_LEVEL',
  }),
  logFormat: setting('--log.format <format>', oneOf(LOG_FORMATS), 'the form of a line', {
    otherwise: 'logfmt',
    variable: 'LOG_FORMAT',
  }),
};

/** What the command line gives; a command may leave out any of it. */
export type CommandLine = Partial<Values<typeof CONFIG_FLAGS & typeof SERVE_FLAGS>>;
