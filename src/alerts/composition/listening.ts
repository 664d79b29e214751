import { hostname } from 'node:os';
import { CommandError, ExitCode } from '../../kernel/errors.ts';
import { type Listener, listen } from '../../kernel/http/server.ts';
import type { Log } from '../../kernel/log.ts';
import type { AlertServerOptions } from '../config/server-options.ts';
import type { WebProtection } from '../config/web/config.ts';
import type { Running } from './running.ts';

/** Listens for the options: on their addresses, or on the sockets that systemd hands over. */
export async function openListener(
  fetch: Parameters<typeof listen>[0]['fetch'],
  { options, clock, log }: Pick<Running, 'options' | 'clock' | 'log'>,
): Promise<Listener> {
  return listen({
    fetch,
    addresses: options.listenAddresses,
    sockets: options.systemdSocket ? await inheritedSockets() : undefined,
    ...(await openProtection(options.webConfigFile, log)),
    site: options.site,
    clock,
  });
}

async function inheritedSockets(): Promise<readonly number[]> {
  const { takeInheritedSockets } = await import('../../kernel/http/server-sockets.ts');
  const sockets = takeInheritedSockets(process.env, process.pid);
  if (sockets.length === 0) throw new CommandError('no socket activation file descriptors found', ExitCode.failed);
  return sockets;
}

async function openProtection(file: string | undefined, log: Log): Promise<Partial<WebProtection>> {
  if (file === undefined) return {};
  const { openWebConfig } = await import('../config/web/config.ts');
  return openWebConfig(file, log);
}

/** The address in links: the given one, otherwise that of the name of the machine. */
export function externalUrlOf(
  { externalUrl, routePrefix, site }: AlertServerOptions,
  listener: Listener | undefined,
): string {
  // The server would refuse the name of the machine.
  if (!externalUrl && listener && site?.hosts?.length === 0) return `${listener.url}${routePrefix}`;
  const port = listener?.addresses[0]?.split(':').at(-1) ?? '9093';
  const scheme = listener?.url.startsWith('https:') ? 'https' : 'http';
  return externalUrl?.href.replace(/\/+$/, '') ?? `${scheme}://${hostname()}:${port}${routePrefix}`;
}
