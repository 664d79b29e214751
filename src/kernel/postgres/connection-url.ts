import { existsSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { checkServerIdentity, type ConnectionOptions as TlsOptions } from 'node:tls';
import { messageOf } from '../errors.ts';
import { accepted, type Outcome, refused } from '../outcome.ts';
import { readPasswordFile } from './password-file.ts';

/** A database and how to reach it. */
export interface ConnectionTarget {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** A function, so that nothing prints it: of the URL, PGPASSWORD, or the password file as it is now. */
  readonly password: () => string | undefined;
  /** Undefined: plain text. */
  readonly tls: TlsOptions | undefined;
  /** Whether plain text is used if the server has no TLS. */
  readonly isTlsOptional: boolean;
  readonly bindsChannel: boolean;
  /** Sent to the server as they are, such as `-c search_path=x`. */
  readonly options: string | undefined;
}

type Parameters = ReadonlyMap<string, string>;

const SHAPE =
  /^postgres(?:ql)?:\/\/(?:(?<user>[^:@/]*)(?::(?<password>[^@/]*))?@)?(?<host>\[[^\]]*\]|[^:/?@]*)(?::(?<port>\d*))?(?:\/(?<dbname>[^?]*))?(?:\?(?<query>.*))?$/s;

/** Parameters with an effect here. */
const READ = new Set(
  'user password host port dbname sslmode ssl sslrootcert sslcert sslkey sslpassword channel_binding options'.split(
    ' ',
  ),
);
/** Parameters of libpq and other clients that appear in copied URLs, and change nothing that is promised here. */
const IGNORED = new Set(
  'application_name fallback_application_name client_encoding connect_timeout gssencmode keepalives keepalives_idle keepalives_interval keepalives_count pgbouncer target_session_attrs tcp_user_timeout uselibpqcompat'.split(
    ' ',
  ),
);

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** `host:port/database`, for logs. */
export function printTarget({ host, port, database }: ConnectionTarget): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${database}`;
}

/**
 * Reads `postgres://user:password@host:port/database?parameter=value` as libpq does, with its environment variables, password
 * file and certificates as defaults. A refusal is one sentence without the password.
 */
export function readConnectionUrl(text: string, env: NodeJS.ProcessEnv = process.env): Outcome<ConnectionTarget> {
  const read = readParameters(text);
  if (!read.ok) return read;
  const parameters = read.value;
  const settingOf = (name: string, variable: string) => parameters.get(name) || env[variable] || undefined;
  const host = settingOf('host', 'PGHOST') ?? 'localhost';
  const portText = settingOf('port', 'PGPORT') ?? '5432';
  const port = Number(portText);
  if (host.includes(',')) {
    return refused('the storage URL names several hosts: name one address that leads to the primary');
  }
  if (!/^\d+$/.test(portText) || port < 1 || port > 65_535)
    return refused('the port of the storage URL must be 1 to 65535');
  const user = settingOf('user', 'PGUSER') ?? userInfo().username;
  const place = { host, port, user, database: settingOf('dbname', 'PGDATABASE') ?? user };
  const tls = readTls(parameters, host, env);
  if (!tls.ok) return tls;
  return accepted({
    ...place,
    ...tls.value,
    password: () => settingOf('password', 'PGPASSWORD') ?? readPasswordFile(place, env),
    bindsChannel: parameters.get('channel_binding') === 'require',
    options: parameters.get('options'),
  });
}

function readParameters(text: string): Outcome<Parameters> {
  const parts = SHAPE.exec(text.trim())?.groups;
  if (!parts) {
    return refused(
      'the storage URL must be postgres://user:password@host:port/database, with @ : / % in the password as %40 %3A %2F %25',
    );
  }
  const { query = '', ...places } = parts;
  const pairs = [
    ...Object.entries(places),
    ...query
      .split('&')
      .flatMap((pair) => (pair ? [[pair.replace(/=.*$/s, ''), pair.replace(/^[^=]*=?/, '')] as const] : [])),
  ];
  const parameters = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (IGNORED.has(name) || !value) continue;
    if (!READ.has(name)) return refused(`the storage URL has an unknown parameter ${JSON.stringify(name)}: remove it`);
    try {
      parameters.set(name, decodeURIComponent(name === 'host' ? value.replace(/^\[(.*)\]$/, '$1') : value));
    } catch {
      return refused(`the ${name} in the storage URL has a % that begins no escape: write it as %25`);
    }
  }
  return accepted(parameters);
}

type Tls = Pick<ConnectionTarget, 'tls' | 'isTlsOptional'>;

function readTls(parameters: Parameters, host: string, env: NodeJS.ProcessEnv): Outcome<Tls> {
  const mode = parameters.get('sslmode') ?? (parameters.get('ssl') === 'true' ? 'require' : env.PGSSLMODE || 'prefer');
  if (!MODES.includes(mode)) {
    return refused(`sslmode in the storage URL must be one of ${MODES.join(', ')}, not ${JSON.stringify(mode)}`);
  }
  if (mode === 'disable' || host.startsWith('/')) return accepted({ tls: undefined, isTlsOptional: false });
  const isTlsOptional = mode === 'allow' || mode === 'prefer';
  const rootFile = parameters.get('sslrootcert') ?? env.PGSSLROOTCERT ?? ownFile('root.crt');
  try {
    const client = {
      ...fileAs('cert', parameters.get('sslcert') ?? env.PGSSLCERT ?? ownFile('postgresql.crt')),
      ...fileAs('key', parameters.get('sslkey') ?? env.PGSSLKEY ?? ownFile('postgresql.key')),
      ...(parameters.has('sslpassword') ? { passphrase: parameters.get('sslpassword') as string } : {}),
    };
    if (isTlsOptional || (mode === 'require' && !rootFile)) {
      return accepted({ tls: { ...client, rejectUnauthorized: false }, isTlsOptional });
    }
    if (mode === 'verify-ca' && (!rootFile || rootFile === 'system')) {
      return refused('sslmode=verify-ca in the storage URL needs sslrootcert, the file of the authority');
    }
    // Node would compare the certificate of an address with `localhost`.
    const isFull = mode === 'verify-full' || rootFile === 'system';
    const identity: typeof checkServerIdentity = (_, certificate) =>
      isFull ? checkServerIdentity(host, certificate) : undefined;
    const root = rootFile === 'system' ? {} : fileAs('ca', rootFile);
    return accepted({ tls: { ...client, ...root, checkServerIdentity: identity }, isTlsOptional });
  } catch (error) {
    return refused(`a certificate of the storage URL cannot be read: ${messageOf(error)}`);
  }
}

function fileAs(option: 'ca' | 'cert' | 'key', path: string | undefined): TlsOptions {
  return path ? { [option]: readFileSync(path, 'utf8') } : {};
}

/** A file of libpq's folder, where it exists. */
function ownFile(name: string): string | undefined {
  const path = join(homedir(), '.postgresql', name);
  return existsSync(path) ? path : undefined;
}
