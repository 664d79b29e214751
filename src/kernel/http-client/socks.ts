import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { systemCodeOf } from '../errors.ts';
import { HttpClientError } from './failure.ts';

/** The only part of undici's agent in use: its dispatcher supports neither IPv6 addresses nor idle connections. */
interface TunnelOpener {
  createSocks5Connection(host: string, port: number): Promise<Socket>;
}

type Undici = Pick<typeof import('undici'), 'Socks5ProxyAgent' | 'buildConnector'>;

/** Opens connections through a SOCKS5 proxy, which also resolves names; `secure` speaks TLS with the server behind it. */
export function socksConnector(
  proxy: URL,
  secure: buildConnector.connector,
  connectTimeout: number,
  undici: Undici,
): buildConnector.connector {
  const opener = createOpener(proxy, connectTimeout, undici);
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    opener.createSocks5Connection(bareHost(options.hostname), Number(options.port) || (isSecure ? 443 : 80)).then(
      (socket) => {
        socket.off('end', failAtEnd);
        if (isSecure) secure({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: Error) => callback(explain(error), null),
    );
  };
}

function createOpener(proxy: URL, connectTimeout: number, { Socks5ProxyAgent, buildConnector }: Undici): TunnelOpener {
  const toProxy = buildConnector({ timeout: connectTimeout });
  const url = new URL(proxy.href.replace(/^socks5h:/, 'socks5:'));
  const options: ConstructorParameters<typeof Socks5ProxyAgent>[1] & { connectTimeout: number } = {
    connectTimeout,
    connect: (options, callback) =>
      toProxy({ ...options, hostname: bareHost(options.hostname) }, (...[error, socket]) => {
        if (error) return callback(error, null);
        callback(null, socket.once('end', failAtEnd));
      }),
  };
  return withoutWarning(() => new Socks5ProxyAgent(url, options)) as unknown as TunnelOpener;
}

/** A proxy that closes the connection refuses; the agent would wait for its timeout. */
function failAtEnd(this: Socket): void {
  this.destroy(new HttpClientError('the proxy closed the connection'));
}

/** Hides the agent's warning that it is experimental. */
function withoutWarning<T>(action: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return action();
  } finally {
    process.emitWarning = emitWarning;
  }
}

const bareHost = (host: string) => host.replace(/^\[|\]$/g, '');

const REFUSALS: Readonly<Record<string, string>> = {
  UND_ERR_SOCKS5_VERSION: 'the proxy does not speak SOCKS5',
  UND_ERR_SOCKS5_AUTH_REJECTED: 'the proxy wants another authentication',
  UND_ERR_SOCKS5_AUTH_METHOD: 'the proxy wants another authentication',
  UND_ERR_SOCKS5_AUTH_FAILED: 'the proxy refused the user name and password',
  // The proxy needs a name and password, and there are none.
  UND_ERR_INVALID_ARG: 'the proxy wants another authentication',
};

function explain(error: Error): Error {
  const code = systemCodeOf(error) ?? '';
  const status = /^UND_ERR_SOCKS5_REPLY_(\d+)$/.exec(code)?.[1];
  const text = status === undefined ? REFUSALS[code] : `the proxy refused the connection with status ${status}`;
  return text === undefined ? error : new HttpClientError(text);
}
