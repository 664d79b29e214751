import { readFileSync } from 'node:fs';
import type { RedisClientType } from '@redis/client';
import type { Clock } from '../../../kernel/clock.ts';
import { DeadlineError } from '../../../kernel/deadline.ts';
import { messageOf, systemCodeOf } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { RedisOptions } from '../options.ts';

/** With the second version of the protocol, which Redis 5 and proxies know as well. */
export type RedisClient = RedisClientType<Record<never, never>, Record<never, never>, Record<never, never>, 2>;

export interface RedisConnection {
  /** Its commands fail at once while there is no connection, and within the read timeout if Redis hangs. */
  readonly client: RedisClient;
  /** Fails the commands under way. Idempotent. */
  close(): void;
}

const RECONNECT_MS = 500;
const PING_EVERY_MS = 1000;

/**
 * Connects to Redis, and again whenever the connection is lost. Resolves after the first attempt, even if that failed.
 * Throws if the files of certificates cannot be read.
 */
export async function openRedis(options: RedisOptions, log: Log, clock: Clock): Promise<RedisConnection> {
  const { createClient } = await import('@redis/client');
  const { username, password, readTimeoutMs } = options;
  const client = createClient({
    url: options.url,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    socket: {
      ...tlsOf(options),
      connectTimeout: options.connectTimeoutMs,
      // Ends a sign-in without an answer; pings keep an idle connection.
      socketTimeout: readTimeoutMs + PING_EVERY_MS,
      reconnectStrategy: () => RECONNECT_MS * (0.5 + Math.random() / 2),
    },
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
  });
  const attempt = reportConnection(client, options.url, log);
  let isClosed = false;
  const connect = () => {
    // Rejects only when closed: other failures are events, and tried again.
    client.connect().catch(() => {});
  };
  connect();
  const cancelPings = pingWhileReady(client, { clock, readTimeoutMs }, () => {
    client.destroy();
    if (!isClosed) connect();
  });
  await attempt;
  return {
    client,
    close() {
      if (isClosed) return;
      isClosed = true;
      cancelPings();
      if (client.isOpen) client.destroy();
    },
  };
}

/** Logs when the connection is lost and made. Resolves at the first of these events. */
function reportConnection(client: RedisClient, server: string, log: Log): Promise<void> {
  let lastFailure: string | undefined;
  return new Promise((resolve) => {
    const fail = (error: unknown) => {
      resolve();
      const failure = messageOf(error) || (systemCodeOf(error) ?? 'unknown');
      log[failure === lastFailure ? 'debug' : 'error']('no connection to Redis', { server, error: failure });
      lastFailure = failure;
    };
    const succeed = () => {
      resolve();
      log.info('connected to Redis', { server });
      lastFailure = undefined;
    };
    client.on('error', fail);
    // Redis may refuse a client's certificate, or commands without a password, only now.
    client.on('ready', () => client.ping().then(succeed, fail));
  });
}

/** Calls `onHang` if Redis takes too long for a ping: a lost network ends no connection by itself. */
function pingWhileReady(
  client: RedisClient,
  { clock, readTimeoutMs }: { readonly clock: Clock; readonly readTimeoutMs: number },
  onHang: () => void,
): () => void {
  let isWaiting = false;
  return clock.every(PING_EVERY_MS, () => {
    if (isWaiting || !client.isReady) return;
    isWaiting = true;
    const cancel = clock.after(readTimeoutMs, () => {
      client.emit('error', new DeadlineError(readTimeoutMs));
      onHang();
    });
    const answered = () => {
      isWaiting = false;
      cancel();
    };
    client.ping().then(answered, answered);
  });
}

function tlsOf({ url, caFile, certFile, keyFile }: RedisOptions) {
  if (!url.startsWith('rediss:')) return {};
  const read = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file));
  const { hostname } = new URL(url);
  return {
    tls: true as const,
    ca: read(caFile),
    cert: read(certFile),
    key: read(keyFile),
    ...(/[a-z]/i.test(hostname) && !hostname.startsWith('[') ? { servername: hostname } : {}),
  };
}
