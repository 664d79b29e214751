import { connect, isIP, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { HttpSetupError } from './http-error.ts';

/** A proxy that does not talk for so long does not talk at all. */
const SILENCE_MS = 10_000;

/** Opens connections through a SOCKS5 proxy, which also looks up names. Source: RFC 1928 and RFC 1929. */
export function socksConnector(proxy: URL, onward: buildConnector.connector): buildConnector.connector {
  return (options, callback) => {
    openTunnel(proxy, options.hostname, Number(options.port) || (options.protocol === 'https:' ? 443 : 80)).then(
      (socket) => {
        if (options.protocol === 'https:') onward({ ...options, httpSocket: socket }, callback);
        else callback(null, socket);
      },
      (error: Error) => callback(error, null),
    );
  };
}

async function openTunnel(proxy: URL, host: string, port: number): Promise<Socket> {
  const socket = connect(Number(proxy.port) || 1080, bareHost(proxy.hostname));
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new HttpSetupError('the proxy does not answer')));
  // Whoever waits for bytes hears of it; between two waits nobody does.
  socket.on('error', () => {});
  try {
    await greet(socket, proxy);
    await askFor(socket, bareHost(host), port);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.setTimeout(0);
  return socket;
}

const bareHost = (host: string) => host.replace(/^\[|\]$/g, '');

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const BY_PASSWORD = 2;

async function greet(socket: Socket, proxy: URL): Promise<void> {
  const methods = proxy.username ? [NO_AUTHENTICATION, BY_PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await readBytes(socket, 2);
  if (version !== VERSION) throw new HttpSetupError('the proxy does not speak SOCKS5');
  if (method === NO_AUTHENTICATION) return;
  if (method !== BY_PASSWORD || !proxy.username) throw new HttpSetupError('the proxy wants another authentication');
  const [name, password] = [proxy.username, proxy.password].map((part) => Buffer.from(decodeURIComponent(part)));
  socket.write(Buffer.concat([Buffer.from([1]), withLength(name), withLength(password)]));
  const [, status] = await readBytes(socket, 2);
  if (status !== 0) throw new HttpSetupError('the proxy refused the user name and password');
}

function withLength(bytes: Buffer = Buffer.alloc(0)): Buffer {
  if (bytes.length > 255) throw new HttpSetupError('a name of more than 255 bytes cannot be told to the proxy');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;

async function askFor(socket: Socket, host: string, port: number): Promise<void> {
  const connectTo = Buffer.from([VERSION, 1, 0]);
  socket.write(Buffer.concat([connectTo, encodeHost(host), Buffer.from([port >> 8, port & 0xff])]));
  const [, status, , kind] = await readBytes(socket, 4);
  if (status !== 0) throw new HttpSetupError(`the proxy refused the connection with status ${status}`);
  // Where the proxy itself is bound is of no interest.
  const length = kind === IPV4 ? 4 : kind === IPV6 ? 16 : ((await readBytes(socket, 1))[0] as number);
  await readBytes(socket, length + 2);
}

function encodeHost(host: string): Buffer {
  const family = isIP(host);
  if (family === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (family === 0) return Buffer.concat([Buffer.from([NAME]), withLength(Buffer.from(host))]);
  const [before = [], after = []] = host.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...before, ...new Array(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from([IPV6, ...Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')]);
}

/** Just so many bytes: what follows belongs to the server behind the proxy. */
function readBytes(socket: Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stop = (settle: () => void) => {
      socket.off('readable', tryToRead).off('error', fail).off('close', fail);
      settle();
    };
    const tryToRead = () => {
      const bytes = socket.read(count) as Buffer | null;
      if (bytes?.length === count) stop(() => resolve(bytes));
    };
    const fail = (error?: unknown) =>
      stop(() => reject(error instanceof Error ? error : new HttpSetupError('the proxy closed the connection')));
    socket.on('readable', tryToRead).on('error', fail).on('close', fail);
    tryToRead();
  });
}
