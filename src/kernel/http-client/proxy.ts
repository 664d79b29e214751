import { BlockList, isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { HttpClientError } from './failure.ts';

export interface ProxySettings {
  /** `http`, `https`, `socks5` or `socks5h`, with name and password if the proxy needs them. */
  readonly proxyUrl?: string | undefined;
  /** Hosts that are reached without the proxy, as in `NO_PROXY`. */
  readonly noProxy?: string | undefined;
  /** Has HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in capital or small letters; not used if `proxyUrl` is given. */
  readonly variables?: Environment | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a request to this URL; undefined for none. */
export type ProxyChoice = (target: URL) => string | undefined;

/**
 * Chooses the proxy of a request. A proxy that is configured without `noProxy` is used for every host, even this machine; in
 * all other cases this machine is reached directly. Source: golang.org/x/net/http/httpproxy.
 */
export function proxyChoice({ proxyUrl, noProxy, variables }: ProxySettings): ProxyChoice {
  if (proxyUrl) {
    const proxy = withScheme(proxyUrl);
    return noProxy ? exceptFor(noProxy, { 'http:': proxy, 'https:': proxy }) : () => proxy;
  }
  if (!variables) return () => undefined;
  const of = (name: string) => variables[name] || variables[name.toLowerCase()] || '';
  return exceptFor(of('NO_PROXY'), { 'http:': withScheme(of('HTTP_PROXY')), 'https:': withScheme(of('HTTPS_PROXY')) });
}

function withScheme(proxy: string): string {
  return proxy === '' || /^[a-z][a-z\d+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

/** The address of a proxy, which may hold a name and a password. */
export function readProxy(proxy: string): URL {
  // The error that URL throws would quote a password.
  if (!URL.canParse(proxy)) throw new HttpClientError('the URL of the proxy cannot be read');
  const url = new URL(proxy);
  if (/^(https?|socks5h?):$/.test(url.protocol)) return url;
  throw new HttpClientError(`proxies are spoken to by http, https or socks5, not by ${url.protocol.slice(0, -1)}`);
}

function exceptFor(noProxy: string, proxies: Readonly<Record<string, string>>): ProxyChoice {
  const exceptions = readExceptions(noProxy);
  return (target) => {
    const proxy = proxies[target.protocol];
    if (!proxy) return undefined;
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (host === 'localhost' || isLoopback(host)) return undefined;
    const port = target.port || (target.protocol === 'https:' ? '443' : '80');
    return exceptions.some((matches) => matches(host, port)) ? undefined : proxy;
  };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && holds(LOOPBACK, host);
}

function holds(addresses: BlockList, ip: string): boolean {
  return addresses.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

type Exception = (host: string, port: string) => boolean;

function readExceptions(noProxy: string): readonly Exception[] {
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase());
  if (entries.includes('*')) return [() => true];
  return entries.flatMap((entry) => readException(entry) ?? []);
}

/** `10.0.0.0/8`, `10.1.2.3:80`, `[::1]:80`, `example.org` with all below it, `.example.org` without itself. */
function readException(entry: string): Exception | undefined {
  const subnet = /^([^/]+)\/(\d{1,3})$/.exec(entry);
  if (subnet) return inSubnet(subnet[1] as string, Number(subnet[2]));
  const [, bracketed, plain, port = ''] = /^(?:\[([^\]]+)\]:|([^:]*):?)(\d*)$/.exec(entry) ?? [undefined, entry];
  const host = bracketed ?? plain ?? entry;
  const atPort = (found: string) => port === '' || port === found;
  if (isIP(host)) {
    const addresses = new BlockList();
    addresses.addAddress(host, isIPv6(host) ? 'ipv6' : 'ipv4');
    return (found, foundPort) => isIP(found) !== 0 && holds(addresses, found) && atPort(foundPort);
  }
  const name = host.replace(/^\*(?=\.)/, '');
  if (name === '') return undefined;
  const domain = domainToASCII(name.replace(/^\./, '')) || name.replace(/^\./, '');
  const itselfToo = !name.startsWith('.');
  return (found, foundPort) =>
    isIP(found) === 0 && (found.endsWith(`.${domain}`) || (itselfToo && found === domain)) && atPort(foundPort);
}

function inSubnet(network: string, prefix: number): Exception | undefined {
  const family = isIP(network);
  if (family === 0 || prefix > (family === 6 ? 128 : 32)) return undefined;
  const addresses = new BlockList();
  addresses.addSubnet(network, prefix, family === 6 ? 'ipv6' : 'ipv4');
  return (host) => isIP(host) !== 0 && holds(addresses, host);
}
