import { DECK_URL } from '../../kernel/deck/setting.ts';
import { LOG_FORMATS, LOG_LEVELS } from '../../kernel/log.ts';
import { accepted, refused } from '../../kernel/outcome.ts';
import {
  boolean,
  bytes,
  duration,
  hostName,
  type Kind,
  kindOf,
  listenPort,
  listOf,
  oneOf,
  optional,
  origin,
  parseHttpUrl,
  serverUrl,
  text,
} from '../../kernel/settings/kind.ts';
import { setting, withVariables } from '../../kernel/settings/settings.ts';

const MAX_BODY = 2 ** 20;
const MAX_UPLOAD = 2 ** 31;

/** A duration, `never` (0), or `always` (`null`). */
const editWindow: Kind<number | null> = {
  absent: undefined,
  read: (written) => {
    if (written === null || written === 'always') return accepted(null);
    if (written === 'never') return accepted(0);
    const value = duration.read(written);
    return value.ok ? value : refused('write a duration such as 24h, or never, or always');
  },
};

/** The URL of a proxy, which may hold a name and password. */
const proxyUrl = kindOf(
  'an http or https URL such as http://proxy.example.com:3128; % in a password is %25, @ is %40',
  (found) => {
    const url = parseHttpUrl(found);
    return url && url.pathname === '/' && !url.search && !url.hash && isEscaped(url) ? url.href : undefined;
  },
);

function isEscaped({ username, password }: URL): boolean {
  try {
    return [username, password].every((part) => decodeURIComponent(part) !== undefined);
  } catch {
    return false;
  }
}

const room = kindOf('slugs or ids of rooms such as ops,oncall, without a leading #', (found) =>
  /^[a-z0-9][a-z0-9-]{0,63}$/.test(found) ? found : undefined,
);

/** A secret of the environment that clients show. */
const token = kindOf("16 to 200 characters without spaces, hard to guess; opsdeck's own begin with odr_", (found) =>
  /^[\x21-\x7e]{16,200}$/.test(found) ? found : undefined,
);

const sdkKey = kindOf('1 to 200 characters without spaces', (found) =>
  /^[\x21-\x7e]{1,200}$/.test(found) ? found : undefined,
);

/** The settings of `rooms serve`; their keys are those of the configuration file. */
export const SETTINGS = withVariables('OPSDECK_ROOMS_', {
  host: setting('--host <address>', text, 'address to listen on', { default: '127.0.0.1' }),
  port: setting('--port <port>', listenPort, 'port to listen on; 0 for any free port', { default: '8065' }),
  'data-dir': setting('--data-dir <directory>', text, 'data directory', {
    default: 'data/rooms',
    variable: 'OPSDECK_DATA_DIR',
  }),
  'storage-url': setting(
    '--storage-url <url>',
    text,
    'postgres://user:password@host/database: the rooms lie there, shared by all servers with this URL',
    { variable: 'OPSDECK_STORAGE_URL', isSecret: true },
  ),
  'storage-wait': setting('--storage-wait <duration>', duration, 'how long to wait for that database at the start', {
    default: '30s',
  }),
  'files-dir': setting('--files-dir <directory>', text, 'directory of uploaded files that all these servers share', {
    otherwise: 'in the database',
  }),
  database: setting('--database <url>', text, 'a PostgreSQL database', {
    isHidden: true,
    refusal: 'there is no such setting: write --storage-url',
  }),
  auth: setting(
    '--auth <mode>',
    oneOf(['none', 'token', 'insecure-none']),
    'none: every client is an admin, on this machine alone; insecure-none: the same for clients elsewhere',
    { otherwise: 'token where other machines reach the server, none otherwise' },
  ),
  'base-url': setting(
    '--base-url <url>',
    serverUrl('https://chat.example.com'),
    'public address of the server, such as https://chat.example.com',
  ),
  'allowed-host': setting(
    '--allowed-host <name>',
    listOf(hostName),
    'further host name of the server; may be repeated',
  ),
  'cors-origin': setting(
    '--cors-origin <origin>',
    listOf(origin),
    'origin whose pages may use the server; may be repeated',
  ),
  alerts: setting(
    '--alerts <url>',
    serverUrl('http://127.0.0.1:9093'),
    'alert server for commands such as /silence: http://127.0.0.1:9093',
  ),
  relay: setting(
    '--relay <url>',
    serverUrl('http://127.0.0.1:8030'),
    'flag relay for the command /flag; OPSDECK_ROOMS_RELAY_KEY holds an SDK key of it',
  ),
  dashboard: setting(
    '--dashboard <url>',
    serverUrl('http://127.0.0.1:8060'),
    'usage dashboard for the command /usage: http://127.0.0.1:8060',
  ),
  'outbound-proxy': setting(
    '--outbound-proxy <url>',
    proxyUrl,
    'proxy for outgoing hooks and copilots, in place of HTTP_PROXY; see below',
    { isSecret: true },
  ),
  'alerts-rooms': setting(
    '--alerts-rooms <rooms>',
    listOf(room),
    'rooms whose members may use the alert server, relay and dashboard, such as ops,oncall; elsewhere only admins may; may be repeated',
  ),
  'deck-url': DECK_URL,
  'max-body': setting('--max-body <size>', bytes(1024, MAX_BODY), 'maximum size of a message', { default: '65536' }),
  'upload-max': setting('--upload-max <size>', bytes(0, MAX_UPLOAD), 'maximum size of a file', { default: '25MiB' }),
  retention: setting('--retention <duration>', duration, 'how long messages are kept; 0 is for ever', {
    default: '0d',
  }),
  'edit-window': setting(
    '--edit-window <duration>',
    editWindow,
    'how long users may edit their messages; never, always',
    { default: '24h' },
  ),
  'read-only': setting('--read-only', boolean, 'refuse all changes'),
  'require-if-match': setting('--require-if-match', boolean, 'refuse changes without If-Match'),
  'rate-limits': setting('--no-rate-limits', boolean, 'do not limit the requests of users'),
  'edit-history': setting('--no-edit-history', boolean, 'do not keep earlier versions of edited messages', {
    default: 'true',
  }),
  presence: setting('--no-presence', boolean, 'do not show which users are online', { default: 'true' }),
  durability: setting(
    '--durability <kind>',
    oneOf(['full', 'off']),
    'off: faster, but a power failure may lose acknowledged writes',
    { default: 'full' },
  ),
  'secrets-dir': setting('--secrets-dir <directory>', text, 'directory of the keys that copilots read as file:…'),
  'node-id': setting('--node-id <name>', text, 'name of this server, different on each', { default: 'auto' }),
  'log-level': setting('--log-level <level>', oneOf(LOG_LEVELS), 'minimum level of log lines', {
    default: 'info',
  }),
  'log-format': setting('--log-format <format>', oneOf(LOG_FORMATS), 'format of log lines', { default: 'logfmt' }),
});

/** The file of settings itself. */
export const CONFIG_FILE = {
  config: setting('--config <file>', optional(text), 'file with these settings, YAML or JSON', {
    variable: 'OPSDECK_ROOMS_CONFIG',
  }),
};

/** Secrets that neither flags nor files hold. */
export const SECRETS = {
  adminToken: { kind: token, variable: 'OPSDECK_ROOMS_ADMIN_TOKEN', isSecret: true },
  metricsToken: { kind: token, variable: 'OPSDECK_ROOMS_METRICS_TOKEN', isSecret: true },
  relayKey: { kind: sdkKey, variable: 'OPSDECK_ROOMS_RELAY_KEY', isSecret: true },
  secretKey: { kind: text, variable: 'OPSDECK_SECRET_KEY', isSecret: true },
} as const;
