import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A reverse proxy that serves a server under a path prefix, which it strips. Requests without the prefix are answered with 404
 * and recorded in `strays`. `url` is `http://127.0.0.1:port/prefix/`.
 */
export async function openPrefixProxy(
  t: { after(end: () => Promise<void>): void },
  target: string,
  prefix: string,
): Promise<{ readonly url: string; readonly strays: readonly string[] }> {
  const strays: string[] = [];
  const url = await openHttpProxy(t, (incoming, outgoing) => {
    const { url = '' } = incoming;
    if (url.startsWith(`${prefix}/`)) pass(incoming, outgoing, new URL(url.slice(prefix.length), target));
    else {
      strays.push(url);
      outgoing.writeHead(404).end();
    }
  });
  return { url: `${url}${prefix}/`, strays };
}

/** A reverse proxy that cuts the requests for which `isCut` returns true. */
export function openCuttingProxy(
  t: { after(end: () => Promise<void>): void },
  target: string,
  isCut: (path: string) => boolean,
): Promise<string> {
  return openHttpProxy(t, (incoming, outgoing) => {
    const { url = '' } = incoming;
    if (isCut(url)) outgoing.destroy();
    else pass(incoming, outgoing, new URL(url, target));
  });
}

async function openHttpProxy(
  t: { after(end: () => Promise<void>): void },
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): Promise<string> {
  const proxy = createServer(answer);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

function pass(incoming: IncomingMessage, outgoing: ServerResponse, target: URL): void {
  const { method = 'GET', headers } = incoming;
  const upstream = request(target, { method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  upstream.on('error', () => outgoing.destroy());
  outgoing.on('close', () => upstream.destroy());
  incoming.pipe(upstream);
}
