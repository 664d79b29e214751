import { LOG_LEVELS } from '../kernel/log.ts';
import { anyText, duration, listenAddress, oneOf, optional } from '../kernel/settings/kind.ts';
import { setting, type Values } from '../kernel/settings/settings.ts';
import { LOG_SETTINGS } from '../kernel/terminal/flags.ts';

/** The settings of `opsdeck up`. */
export const SETTINGS = {
  dataDir: setting(
    '--data-dir <directory>',
    anyText,
    'where the servers keep their state, each in a folder of its own',
    {
      default: 'data',
    },
  ),
  storageUrl: setting(
    '--storage-url <url>',
    optional(anyText),
    'postgres://user:password@host/database: alerts and rooms lie there, shared by all servers with this URL',
    { variable: 'OPSDECK_STORAGE_URL', isSecret: true },
  ),
  storageWaitMs: setting('--storage-wait <duration>', duration, 'how long to wait for that database at the start', {
    default: '30s',
  }),
  hubAddress: setting('--hub-address <address>', listenAddress, 'where the page listens', {
    default: '127.0.0.1:8075',
  }),
  alertsAddress: setting('--alerts-address <address>', listenAddress, 'where the alert server listens', {
    default: '127.0.0.1:9093',
  }),
  relayAddress: setting('--relay-address <address>', listenAddress, 'where the flag relay listens', {
    default: '127.0.0.1:8030',
  }),
  dashboardAddress: setting('--dashboard-address <address>', listenAddress, 'where the usage dashboard listens', {
    default: '127.0.0.1:8060',
  }),
  project: setting(
    '--project <directory>',
    anyText,
    'the folder that the dashboard shows: its data/, and web pages in it',
    { otherwise: 'dashboard/ in the data directory' },
  ),
  roomsAddress: setting('--rooms-address <address>', listenAddress, 'where the rooms listen', {
    default: '127.0.0.1:8065',
  }),
  flags: setting('--flags <path>', anyText, 'a file or folder of flags for the relay to serve', {
    otherwise: 'a sample',
  }),
  ...LOG_SETTINGS,
  // The addresses are the news of a start by hand.
  logLevel: setting('--log-level <level>', oneOf(LOG_LEVELS), 'the least important lines written', {
    otherwise: 'warn on a terminal, else info',
  }),
};

export type UpFlags = Values<typeof SETTINGS>;
